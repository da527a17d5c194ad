// The grid over the picture: found by the table, moved by hand where need be.

import { account, ask, tell } from "../director/api.js";
import { fault } from "../director/dom.js";
import { mapping } from "../director/picture.js";
import { html } from "../html.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);
const picture = at("picture");
const handles = [...document.querySelectorAll(".corner")];
const loupe = at("loupe");
const SIZE = 15;

let size = null; // of the picture that is judged, in its own pixels
let corners = null;
let around = 0; // the squares around the grid that are kept with the board
let asked = 0;
let later = 0;

// --- drawing ---

const path = (kind, points) => html`<polyline class=${kind} points=${points.map((p) => p.join(",")).join(" ")} />`;

// What is not kept of a picture: all but the board and its surroundings.
function rest(to) {
  const near = [-around, SIZE + around];
  const kept = [to(near[0], near[0]), to(near[1], near[0]), to(near[1], near[1]), to(near[0], near[1])];
  const outline = `M0 0H${size[0]}V${size[1]}H0ZM${kept.map((p) => p.join(" ")).join("L")}Z`;
  return html`<path class="grid-rest" d=${outline} />`;
}

function draw() {
  const grid = at("grid");
  grid.replaceChildren();
  if (!size || !corners) {
    handles.forEach((handle) => {
      handle.hidden = true;
    });
    return;
  }
  grid.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  const to = mapping(corners);
  if (at("board-only").checked) grid.append(rest(to));
  const lines = [];
  for (let k = 0; k <= SIZE; k += 1) {
    lines.push([to(k, 0), to(k, SIZE)], [to(0, k), to(SIZE, k)]);
  }
  grid.append(
    ...lines.map((line) => path("grid-shade", line)),
    ...lines.map((line) => path("grid-line", line)),
    path("grid-edge", [...corners, corners[0]]),
  );
  handles.forEach((handle, i) => {
    handle.hidden = false;
    handle.style.left = `${(corners[i][0] / size[0]) * 100}%`;
    handle.style.top = `${(corners[i][1] / size[1]) * 100}%`;
  });
  magnify();
}

function magnify() {
  const i = handles.indexOf(document.activeElement);
  loupe.hidden = i < 0 || !corners || !picture.naturalWidth;
  if (loupe.hidden) return;
  const scale = picture.naturalWidth / size[0];
  const [x, y] = corners[i];
  const span = (size[0] / 1280) * 55;
  const pen = loupe.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, 220, 220);
  pen.drawImage(picture, (x - span / 2) * scale, (y - span / 2) * scale, span * scale, span * scale, 0, 0, 220, 220);
  const to = mapping(corners);
  pen.strokeStyle = "#ffd23f";
  pen.lineWidth = 1.5;
  const inside = ([u, v]) => [((u - x) / span + 0.5) * 220, ((v - y) / span + 0.5) * 220];
  pen.beginPath();
  for (const corner of [to(0, 0), to(SIZE, 0), to(SIZE, SIZE), to(0, SIZE)]) pen.lineTo(...inside(corner));
  pen.closePath();
  pen.stroke();
  loupe.classList.toggle("left", x > size[0] / 2);
}

// --- what the table says ---

function show(state, moved = false) {
  fault(state.trouble && { message: state.trouble });
  ({ size, around } = state);
  const form = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" };
  const kept = state.saved
    ? `Saved ${new Date(state.saved.made).toLocaleString([], form)}, ${state.saved.camera}`
    : "Nothing saved yet";
  at("kept").textContent = state.saved_trouble || kept;
  if (state.found && !moved) corners = state.found.corners;
  if (!state.found && size && !corners) {
    const [w, h] = size;
    const half = Math.min(w, h) * 0.35;
    corners = [
      [w / 2 - half, h / 2 - half],
      [w / 2 + half, h / 2 - half],
      [w / 2 + half, h / 2 + half],
      [w / 2 - half, h / 2 + half],
    ];
  }
  at("no-picture").hidden = Boolean(size);
  const judgements = state.found?.judgements ?? [];
  at("verdict").replaceChildren(...judgements.map(judgement));
  const summary = judgements.length ? summed(judgements) : "Nothing to judge until the board is found.";
  if (at("summary").textContent !== summary) at("summary").textContent = summary; // read out once
  at("save").disabled = !state.found;
  if (!moved && state.found) at("empty").checked = state.found.empty;
  if (!moved && state.saved) at("board-only").checked = state.saved.board_only;
  draw();
}

// The picture in one line: what is less than good by its name.
function summed(judgements) {
  const short = judgements
    .filter(({ grade }) => grade !== "good")
    .map(({ name, grade }) => `${name.toLowerCase()} (${grade})`);
  return short.length ? `All is good except: ${short.join(", ")}.` : "All is good.";
}

function judgement(one) {
  return html`<li>
    <span class="grade" data-grade=${one.grade}>${one.grade}</span>
    <b>${one.name}</b>
    <span class="says">${one.says}</span>
    ${one.advice && html`<span class="advice">${one.advice}</span>`}
  </li>`;
}

async function doing(what) {
  try {
    return await what();
  } catch (error) {
    fault(error);
    return null;
  }
}

function load(which) {
  asked += 1;
  picture.src = `${api}${which}.jpg?n=${asked}`;
}

async function look() {
  at("look").disabled = true;
  at("saved").textContent = "";
  corners = null;
  const state = await doing(() => tell(`${api}look`));
  at("look").disabled = false;
  if (!state) return;
  if (!at("live").checked) load("judged");
  show(state);
}

// --- moving corners ---

function move(i, x, y) {
  corners[i] = [Math.min(Math.max(x, 0), size[0]), Math.min(Math.max(y, 0), size[1])];
  at("saved").textContent = "";
  draw();
  clearTimeout(later);
  later = setTimeout(async () => {
    const state = await doing(() => tell(`${api}nudge`, { corners }));
    if (state) show(state, true);
  }, 350);
}

handles.forEach((handle, i) => {
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = picture.getBoundingClientRect();
    move(i, ((event.clientX - box.left) / box.width) * size[0], ((event.clientY - box.top) / box.height) * size[1]);
  });
  handle.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 10 : event.altKey ? 0.25 : 1;
    const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    move(i, corners[i][0] + way[0], corners[i][1] + way[1]);
  });
  handle.addEventListener("focus", magnify);
  handle.addEventListener("blur", magnify);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const i = ["1", "2", "3", "4"].indexOf(event.key);
  if (i >= 0 && corners) handles[i].focus();
});

picture.addEventListener("load", () => {
  draw();
  if (at("live").checked)
    setTimeout(() => {
      if (at("live").checked) load("live");
    }, 400);
});
at("live").addEventListener("change", () => load(at("live").checked ? "live" : "judged"));
at("look").addEventListener("click", look);
at("save").addEventListener("click", async () => {
  at("save").disabled = true;
  clearTimeout(later);
  const state = await doing(async () => {
    const found = await ask(`${api}calibration`);
    if (found.found && JSON.stringify(found.found.corners) !== JSON.stringify(corners))
      await tell(`${api}nudge`, { corners });
    const [empty, boardOnly] = [at("empty").checked, at("board-only").checked];
    return tell(`${api}save`, { empty, board_only: boardOnly, by: account, why: at("why")?.value ?? "" });
  });
  at("save").disabled = false;
  if (!state) return;
  show(state, true);
  const running = document.querySelector("meta[name=csrf-token]");
  at("saved").textContent = running
    ? "Saved. The table uses it from now on."
    : "Saved. You can close this page; a table that is started now uses it.";
});
at("board-only").addEventListener("change", () => {
  at("saved").textContent = "";
  draw();
});
addEventListener("resize", draw);

const first = await doing(() => ask(`${api}calibration`));
if (first?.found || first?.trouble) {
  load("judged");
  show(first);
} else {
  await look();
}
