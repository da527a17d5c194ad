// The course of the score: a line for each player, from turn to turn, with a dot at each bingo.
import { html } from "../html.js";
import { totals } from "../replay.js";
import { fitNames } from "./fold.js";

const SIDES = ["left", "right"];
const [WIDE, HIGH] = [900, 220];
const STEP = 100;
const NUMBERED = 12; // turns with a number below, at most

// The scores after so many turns, from none to all.
export function courseOf(view) {
  const after = (count) => {
    const lines = (view.adjustments ?? []).filter((line) => line.after_turn <= count);
    const { left, right } = totals(view, view.turns.slice(0, count), lines);
    return { left: left.score, right: right.score };
  };
  const found = view.turns.map((_, at) => after(at));
  return [...found, { left: view.players.left.score, right: view.players.right.score }];
}

// A mark at a point of the drawing: letters in it would be stretched.
function mark(kind, x, y, text = "", side = "") {
  const made = html`<span class=${kind} data-side=${side}>${text}</span>`;
  made.style.left = `${(100 * x) / WIDE}%`;
  made.style.top = `${(100 * y) / HIGH}%`;
  return made;
}

export function drawGraph(panel, view) {
  panel.hidden = !view.turns.length;
  if (panel.hidden) return;
  const course = courseOf(view);
  const most = Math.max(STEP, ...course.flatMap(({ left, right }) => [left, right]));
  const across = (at) => (WIDE * at) / Math.max(1, course.length - 1);
  const up = (score) => HIGH - 8 - ((HIGH - 16) * Math.max(0, score)) / most;
  for (const side of SIDES) {
    const points = course.map((scores, at) => `${across(at).toFixed(1)},${up(scores[side]).toFixed(1)}`);
    panel.querySelector(`polyline[data-side=${side}]`).setAttribute("points", points.join(" "));
    panel.querySelector(`.points[data-side=${side}]`).textContent = view.players[side].score;
  }
  const lines = Array.from({ length: Math.floor(most / STEP) }, (_, at) => up((at + 1) * STEP));
  const grid = lines.map((y) => html`<line x1="0" x2=${WIDE} y1=${y} y2=${y} />`);
  panel.querySelector(".grid").replaceChildren(...grid);
  const every = Math.ceil(view.turns.length / NUMBERED);
  const bingos = view.turns.filter(({ kind, bingo }) => kind === "play" && bingo);
  panel
    .querySelector(".marks")
    .replaceChildren(
      ...lines.map((y, at) => mark("score-at", 0, y, (at + 1) * STEP)),
      ...view.turns
        .filter(({ number }) => number % every === 0)
        .map(({ number }) => mark("turn-at", across(number), HIGH, number)),
      ...bingos.map(({ number, side }) => mark("bingo-at", across(number), up(course[number][side]), "", side)),
    );
  fitNames(SIDES.map((side) => [panel.querySelector(`.name[data-side=${side}]`), view.players[side].name]));
}
