// An overlay: the parts that its page has, filled from whatever table is in the slot. When the connection
// is lost the last that was known stays, but for a clock that runs: a stream shows no troubles. Where the
// server refuses it, nothing is shown.
import { query } from "../asked.js";
import { BoardView } from "../board.js";
import { Clocks, WATCHING_MS } from "../clock.js";
import { html } from "../html.js";
import { sharedSource } from "../shared_source.js";
import { learnSpellings } from "../spelling.js";
import { hasWon, spoken } from "../spoken.js";
import { Stream } from "../stream.js";
import { drawUnseen } from "../unseen.js";
import { deed, deedOf, letters, printed, signed } from "../words.js";
import { playClip } from "./clip.js";
import { countTo } from "./count.js";
import { drawAbout, drawNext, drawStandings, drawTitle, EventAround } from "./event.js";
import { fitFolded as fit, fitNames } from "./fold.js";
import { drawGraph } from "./graph.js";
import { inLine } from "./in_line.js";
import { Moments } from "./moments.js";
import { drawPerson, drawVersus } from "./people.js";
import { drawRack } from "./rack.js";
import { drawResult } from "./result.js";
import { NOBODY, sampleEvent, sampleMoment, sampleResult } from "./sample.js";
import { exchanged } from "./sides.js";
import { Speech } from "./speech.js";

const SIDES = ["left", "right"];
const RECENT = 6;
const UNHEARD_MS = 15000; // after the connection was found lost

const page = document.documentElement;
const $ = (selector) => document.querySelector(selector);
for (const [name, value] of Object.entries(JSON.parse(page.dataset.style))) page.style.setProperty(name, value);

if (window !== top) page.style.setProperty("--shadow", "none"); // its frame would cut it off

const stage = $("#stage");
const cards = Object.fromEntries(SIDES.map((side) => [side, $(`.player[data-side=${side}]`)]));
const board = $("#board") && new BoardView($("#board"));
const clocks = $(".player .clock") && new Clocks(cards, WATCHING_MS);
const last = $("#last");
const unseen = $("#unseen");
const moments = $("#moment") && new Moments($("#moment"), Number(page.dataset.seconds));
const speech = page.dataset.part === "speech" ? new Speech() : null;
const sample = page.dataset.sample !== undefined;
let shown = null;
let latest = null; // the view as the server has it
let swapped = false; // left and right, on this slot's overlays
let newest = "";
let unheard = 0;

function drawPlayers(view) {
  page.toggleAttribute("data-withheld", Boolean(view.withheld) && !view.final);
  for (const side of SIDES) {
    const card = cards[side];
    if (!card) continue;
    const { name, score } = view.players[side];
    drawAbout(card.querySelector(".about"), around.player(name));
    const total = card.querySelector("output");
    if (total) countTo(total, score, shown?.game_id === view.game_id);
    card.classList.toggle("on", view.status === "running" && view.on_turn === side);
    card.classList.toggle("won", hasWon(view, side));
  }
  fitNames(
    SIDES.flatMap((side) => (cards[side] ? [[cards[side].querySelector(".name"), view.players[side].name]] : [])),
  );
}

// A clock that runs is not known once the table has not been heard of for a while.
function setClocks(heard) {
  if (!shown) return;
  clocks?.set(heard || !shown.clocks?.running ? shown.clocks : undefined, shown.game_id);
}

function drawLast(view) {
  const turn = view.turns.at(-1);
  last.hidden = !turn;
  const key = turn ? JSON.stringify([view.game_id, turn]) : "";
  if (key === newest) return;
  newest = key;
  if (!turn) return;
  last.dataset.side = turn.side;
  const name = inLine(view.players[turn.side].name);
  const undone = turn.kind !== "play" && turn.word ? `, ${deedOf(turn.kind)}` : "";
  last.querySelector(".spoken").textContent = spoken(turn, view);
  last.querySelector(".gain").textContent = signed(turn.score);
  drawRack(last.querySelector(".rack"), turn, view);
  last.querySelector(".badge").hidden = !turn.bingo || turn.kind !== "play";
  fit(last.querySelector(".who"), `${name}${turn.position ? ` at ${turn.position}` : ""}${undone}`);
  const say = last.querySelector(".say");
  say.classList.remove("fresh");
  if (shown) requestAnimationFrame(() => say.classList.add("fresh"));
}

function drawBag(view) {
  for (const count of document.querySelectorAll(".bag-count")) count.textContent = view.bag_count;
  if (!unseen) return;
  $("#bag").textContent = view.bag_count;
  const title = unseen.querySelector(".title");
  if (view.unseen) {
    const many = drawUnseen($("#unseen-tiles"), view.unseen, view.tile_set.values);
    title.textContent = `${many} unseen ${many === 1 ? "tile" : "tiles"}`;
    $("#recent").replaceChildren();
  } else {
    $("#unseen-tiles").replaceChildren();
    title.textContent = "Earlier turns";
    $("#recent").replaceChildren(
      ...view.turns
        .slice(0, -1)
        .slice(-RECENT)
        .reverse()
        .map((turn) => before(turn, view)),
    );
  }
}

function before(turn, view) {
  const word = letters(turn, view.rows)
    .map(({ symbol }) => printed(symbol))
    .join("");
  return html`<li data-side=${turn.side}>
    <span>${turn.kind === "play" && word ? word : deed(turn.kind)}</span>
    <b>${signed(turn.score)}</b>
  </li>`;
}

function draw(view) {
  learnSpellings(view.tile_set);
  around.shows(view.game_id);
  drawPlayers(view);
  if (last && !($("#clip") && shown)) drawLast(view); // a clip has the play that it began with
  drawBag(view);
  drawSeldom(view);
  drawKnown(view);
  speech?.draw(view);
  board?.draw(view.rows, view.last, view.tile_set.values, shown !== null && shown.game_id === view.game_id);
  shown = view;
  setClocks(true);
  stage.dataset.state = "shown";
}

// Left and right as the show has them.
function take(view) {
  latest = view;
  draw(swapped ? exchanged(view) : view);
}

function onShow(show) {
  speech?.switch(show.spoken);
  if (show.swapped === swapped) return;
  swapped = show.swapped;
  if (latest) take(latest);
}

// What is known of the players, beside the game.
function drawKnown(view) {
  const player = (name) => around.player(name);
  if ($("#person")) drawPerson($("#person"), view, player);
  if ($("#versus")) {
    const met = around.known?.met ?? [];
    drawVersus($("#versus"), view, player, swapped ? exchanged(met) : met);
  }
  if ($("#graph")) drawGraph($("#graph"), view);
}

// What is shown now and then, or an example of it.
function drawSeldom(view) {
  if (moments && sample) moments.show(sampleMoment(page.dataset.part, view), view);
  else moments?.draw(view);
  if ($("#result"))
    drawResult($("#result"), sample ? sampleResult(view) : view, (element, name) =>
      drawAbout(element, around.player(name), { withRecord: false }),
    );
}

// Before the first game there is an example too.
function drawExample() {
  drawSeldom(NOBODY);
  drawEvent(null);
  stage.dataset.state = "shown";
}

const EVENT_PARTS = ["next", "standings", "title"];

function drawEvent(known) {
  const event = sample && EVENT_PARTS.includes(page.dataset.part) ? sampleEvent(known) : known;
  if (event === null) return;
  if ($("#event")) drawTitle($("#event"), event);
  if ($("#next")) drawNext($("#next"), event);
  if ($("#standings"))
    drawStandings($("#standings"), event, Number(page.dataset.rows), sample ? null : (page.dataset.division ?? null));
  if (EVENT_PARTS.includes(page.dataset.part)) stage.dataset.state = "shown";
  if (shown) draw(shown);
}

function empty() {
  shown = latest = null;
  stage.dataset.state = "empty";
}

const slot = `/overlay/${encodeURIComponent(page.dataset.slot)}`;
if ($("#clip")) playClip($("#clip"), `${slot}/clip/pictures`, query);
const around = new EventAround(`${slot}/event`, query, drawEvent);
new Stream(
  `${slot}/live`,
  {
    onView: take,
    onShow,
    onTime: (time) => clocks?.sync(time),
    onEmpty: () => {
      empty();
      if (sample) drawExample();
    },
    onRefused: empty,
    onState: (state) => {
      page.dataset.link = state;
      clearTimeout(unheard);
      if (state === "lost") unheard = setTimeout(() => setClocks(false), UNHEARD_MS);
      else setClocks(true);
    },
  },
  query,
  sharedSource,
);
if (sample) drawExample();
