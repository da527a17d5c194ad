// The control page of the show: a graphic is chosen, seen in the preview, and taken; a table comes into the slot.
// The server draws what is so, and is asked for it every two seconds and after each order.

import { ONLY_HERE, onlyHere } from "../only_here.js";
import { link, post, tell } from "./api.js";
import { $, fault, say } from "./dom.js";
import { doing, freshen } from "./fresh.js";
import { download } from "./saving.js";

const EVERY_MS = 2000;
const SEEN_MS = 500;
const show = $("#show");
const { slot, overlay, served } = show.dataset;
const graphics = [...document.querySelectorAll("#graphics button")];
let chosen = null;

// --- graphics ---

const titled = (name) => $(`#graphics [data-graphic="${name}"] b`)?.textContent ?? (name || "none");
const onAir = () => $("#live-name").dataset.graphic;

function choose(button) {
  chosen = button;
  for (const one of graphics) one.setAttribute("aria-pressed", String(one === button));
  $("#next-name").textContent = titled(button?.dataset.graphic);
  const frame = $("#next-frame");
  const src = button ? `${overlay}?monitor=yes&graphic=${button.dataset.graphic}` : "about:blank";
  if (frame.getAttribute("src") !== src) frame.src = src;
}

const take = (graphic) =>
  doing(
    tell("/director/api/show/take", { slot, graphic }),
    graphic ? `${titled(graphic)} is on air` : "Nothing is on air",
  );

function step(by) {
  const at = graphics.indexOf(chosen);
  const next = graphics[(at + by + graphics.length) % graphics.length];
  choose(next);
  next.focus({ preventScroll: true });
}

// What a monitor does not tell: a graphic may have nothing to show now, and no account opens racks and plays.
function seen(name, frame) {
  if (!name || name === "automatic") return "";
  if ($(`#graphics [data-graphic="${name}"]`)?.dataset.secret !== undefined)
    return "· not shown here; on air with a token";
  const inner = frame.contentDocument?.querySelector(`iframe[title="${name}"]`)?.contentDocument;
  const stage = inner?.readyState === "complete" && inner.querySelector("#stage");
  return stage && !stage.querySelector(":scope:not([data-state=empty]) > section:not([hidden])")
    ? "· nothing to show now"
    : "";
}

function drawSeen() {
  const next = seen(chosen?.dataset.graphic, $("#next-frame"));
  const live = seen(onAir(), $("#live-frame"));
  if ($("#next-seen").textContent !== next) $("#next-seen").textContent = next;
  if ($("#live-seen").textContent !== live) $("#live-seen").textContent = live;
}

// --- tables ---

// The first table that a rule proposes and that is not shown already; without one, the next at which a game runs.
function nextTable() {
  const lines = [...$("#tables").children];
  const at = lines.findIndex((one) => one.matches("[data-on]"));
  const proposed = lines.find((one) => one.matches("[data-proposed]:not([data-on])"));
  const others = [...lines.slice(at + 1), ...lines.slice(0, Math.max(at, 0))];
  const next = proposed ?? others.find((one) => one.matches("[data-running]"));
  if (next) next.querySelector("button").click();
  else say("No other table has a game that runs.");
}

// Whoever is followed no longer leaves the slot at their table.
$("#follow-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const player = $("#player").value.trim() || null;
  const table = player ? null : $("#on-now").dataset.table || null;
  doing(
    tell("/director/api/slots", { name: slot, table, player }),
    player ? `${slot} follows ${player}` : `${slot} ${table ? `shows table ${table}` : "is automatic"}`,
  );
});

// --- OBS ---

$("#collection-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const delay = Number(event.target.elements.delay.value);
    await download(await post("/director/api/show/collection", { slot, delay }));
    $("#collection-note").textContent =
      "Saved. In OBS: Scene Collection › Import. Do not let players have the file: its token shows unseen tiles.";
    look();
  } catch (error) {
    fault(error);
  }
});

// --- what is so ---

function drawOnAir() {
  for (const one of graphics) one.toggleAttribute("data-on", one.dataset.graphic === onAir());
  $(".live").toggleAttribute("data-on", Boolean(onAir()));
}

let looking;
async function look() {
  clearTimeout(looking);
  try {
    await freshen();
    link("live");
  } catch (error) {
    if (error.status !== 401) link("lost");
  }
  looking = setTimeout(look, EVERY_MS);
}

// --- hands ---

const KEYS = {
  Enter: () => chosen && take(chosen.dataset.graphic),
  c: () => take(""),
  a: () => take("automatic"),
  n: nextTable,
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
};
const PRESSED = { take: KEYS.Enter, clear: KEYS.c, automatic: KEYS.a, "next-table": nextTable };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, summary"))
    return;
  const button = event.target.closest("button, a");
  if (event.key === "Enter" && button && button !== chosen) return; // it is pressed
  const act = KEYS[event.key] ?? (graphics[Number(event.key) - 1] && (() => choose(graphics[Number(event.key) - 1])));
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (graphics.includes(button)) choose(button);
  else PRESSED[button?.id]?.();
});
$("#slot").addEventListener("change", ({ target }) => location.assign(`?slot=${encodeURIComponent(target.value)}`));

// The monitors are as large as their places allow.
const scaled = new ResizeObserver((places) => {
  for (const { target } of places)
    target.querySelector("iframe").style.transform = `scale(${target.clientWidth / 1920})`;
});
for (const place of document.querySelectorAll(".monitor")) scaled.observe(place);

$("#live-frame").src = `${overlay}?monitor=yes`;
choose(graphics[0]);
drawOnAir();
$("#only-here").textContent = ONLY_HERE;
$("#only-here").hidden = !onlyHere(served);
addEventListener("fresh", drawOnAir);
setInterval(drawSeen, SEEN_MS);
look();
