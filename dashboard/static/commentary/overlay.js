// An overlay with both racks, or with the best plays of the player on turn. A trouble shows nothing.
import { query } from "../asked.js";
import { fill, html } from "../html.js";
import { exchanged } from "../overlay/sides.js";
import { sharedSource } from "../shared_source.js";
import { learnSpellings, spelled } from "../spelling.js";
import { Stream } from "../stream.js";
import { tile } from "../tiles.js";

const SHOWN = 5;
const LONG_RACK = 7;

const page = document.documentElement;
const stage = document.querySelector("#stage");
for (const [name, value] of Object.entries(JSON.parse(page.dataset.style))) page.style.setProperty(name, value);

function drawRack(panel, report) {
  const { side } = panel.dataset;
  const { values } = report.tile_set;
  const order = Object.keys(values);
  const rack = [...(report.racks[side] ?? "")].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  panel.classList.toggle("on", report.on_turn === side);
  panel.querySelector(".who").textContent = report.players[side].name;
  panel.querySelector(".rack").classList.toggle("long", rack.length > LONG_RACK);
  fill(
    panel.querySelector(".rack"),
    rack.map((symbol) => tile(symbol, values)),
  );
  panel.querySelector(".spoken").textContent = rack
    .map((symbol) => (symbol === "?" ? "blank" : spelled(symbol)))
    .join(" ");
}

function drawBest(panel, report) {
  const plays = report.plays[report.on_turn];
  panel.hidden = !plays?.count;
  if (panel.hidden) return;
  const best = [...plays.best].sort((a, b) => b.score - a.score).slice(0, SHOWN);
  panel.dataset.side = report.on_turn;
  panel.querySelector(".who").textContent = `${report.players[report.on_turn].name} could play`;
  fill(
    panel.querySelector("ol"),
    best.map((play) => html`<li><span>${play.at}</span><b>${play.text}</b><strong>${play.score}</strong></li>`),
  );
}

let latest = null;
let swapped = false; // left and right, on this slot's overlays

function take(report) {
  latest = report;
  draw(swapped ? exchanged(report) : report);
}

function onShow(show) {
  if (show.swapped === swapped) return;
  swapped = show.swapped;
  if (latest) take(latest);
}

function draw(report) {
  const known = Object.values(report.racks).some((rack) => rack?.length);
  if (report.withheld || report.status === "ended" || !known) {
    stage.dataset.state = "empty";
    return;
  }
  learnSpellings(report.tile_set);
  for (const panel of document.querySelectorAll(".held")) drawRack(panel, report);
  for (const panel of document.querySelectorAll(".best")) drawBest(panel, report);
  stage.dataset.state = "shown";
}

const nothing = () => {
  stage.dataset.state = "empty";
};
new Stream(
  `/commentary/${encodeURIComponent(page.dataset.slot)}/live`,
  { onView: take, onShow, onTime: () => {}, onState: () => {}, onEmpty: nothing, onRefused: nothing },
  query,
  sharedSource,
);
