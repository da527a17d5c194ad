// The show: the overlays of the graphic that is on air, each in a frame at its place.
import { asked, query } from "../asked.js";
import { sharedSource } from "../shared_source.js";
import { Stream } from "../stream.js";

const FADE_MS = 400;
const page = document.documentElement;
const stage = document.querySelector("#stage");
const places = JSON.parse(page.dataset.places);
const preview = page.dataset.graphic; // seen whatever is on air
const slot = `/overlay/${encodeURIComponent(page.dataset.slot)}`;
const passed = new URLSearchParams([...asked].filter(([name]) => !["size", "graphic"].includes(name)));
let now = "";

page.style.setProperty("--share", (Number(asked.get("size")) || 100) / 100);

function framed([part, left, top, width, height]) {
  const frame = document.createElement("iframe");
  Object.assign(frame, { width, height, title: part, src: `${slot}/${part}?${passed}` });
  Object.assign(frame.style, { left: `${left}px`, top: `${top}px` });
  frame.addEventListener("load", () => frame.classList.add("on"), { once: true });
  return frame;
}

// Takes a graphic: the one before it fades away.
function take(graphic, number) {
  const key = `${graphic} ${graphic === "clip" ? number : ""}`;
  if (key === now) return;
  now = key;
  for (const frame of stage.querySelectorAll("iframe")) {
    frame.classList.remove("on");
    setTimeout(() => frame.remove(), FADE_MS);
  }
  stage.append(...(places[graphic] ?? []).map(framed));
  stage.dataset.state = "shown";
}

if (preview) take(preview, 0);
else
  new Stream(
    `${slot}/live`,
    {
      onView: () => {},
      onTime: () => {},
      onState: () => {},
      onShow: (show) => take(show.graphic, show.take),
      onRefused: () => take("", 0),
    },
    query,
    sharedSource,
  );
