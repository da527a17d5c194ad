// The commentators' page: both racks, their plays, what is unseen and may be drawn, the last play beside the
// best, the end of the game. The server works all of it out and draws it; at each new report the page is fetched again.
import { query } from "../asked.js";
import { BoardView } from "../board.js";
import { Clocks, WATCHING_MS } from "../clock.js";
import { place } from "../director/place.js";
import { EventAround, record } from "../overlay/event.js";
import { learnSpellings } from "../spelling.js";
import { Stream } from "../stream.js";
import { signed } from "../words.js";

const SIDES = ["left", "right"];
const AGAIN_MS = 2000;
const STATES = { live: "live", polling: "every few seconds", lost: "no connection" };

const $ = (selector, within = document) => within.querySelector(selector);
const board = new BoardView($("#board"));
const main = $("#main");
const clocks = new Clocks(Object.fromEntries(SIDES.map((side) => [side, $(`.side[data-side=${side}]`)])), WATCHING_MS);
let shown = null;
let chosen = null; // how many tiles somebody wants to see drawn

const name = (side) => shown.players[side].name;

// What the event's file of pairings knows of a player, and the standings.
function about(player) {
  if (!player) return "";
  const ranked = player.place != null && `place ${player.place}`;
  const played = player.wins != null && `${record(player)} ${signed(player.spread)}`;
  return [player.country, player.rating, played, ranked].filter(Boolean).join(" · ");
}

function drawAround() {
  for (const side of SIDES) $(`.side[data-side=${side}] .about`).textContent = about(around.player(name(side)));
  const round = around.known?.round != null && `round ${around.known.round}`;
  $("#around").textContent = [round, shown.word_list].filter(Boolean).join(" · ");
}

// How many tiles are drawn: after the best play of the player on turn, unless somebody chose.
function drawChances() {
  const drawn = chosen ?? Number($("#drawn").dataset.drawn);
  for (const button of $("#drawn").children) button.ariaPressed = Number(button.value) === drawn;
  for (const { dataset, firstChild } of document.querySelectorAll("#pool i")) {
    const chances = dataset.chances.split(" ");
    firstChild.data = chances[Math.min(drawn, chances.length) - 1];
  }
}

function speak(before) {
  const side = shown.on_turn;
  if (before?.turns === shown.turns && before?.on_turn === side) return;
  const best = side && shown.plays[side]?.best[0];
  $("#say").textContent = best ? `${name(side)} to play; ${best.text} for ${best.score}` : "";
}

// What the server draws of this report, unless a newer one has come meanwhile.
async function drawParts(report) {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = await answer.text();
    if (report !== shown) return;
    place(page);
    drawChances();
  } catch {
    setTimeout(() => report === shown && drawParts(report), AGAIN_MS);
  }
}

async function take(report) {
  const before = shown?.game_id === report.game_id ? shown : null;
  draw(report);
  if (shown !== report) return;
  await drawParts(report);
  speak(before);
}

function draw(report) {
  if (report.withheld) {
    empty("This game is not shown.");
    return;
  }
  const same = shown?.game_id === report.game_id;
  shown = report;
  learnSpellings(report.tile_set);
  trouble("");
  board.draw(report.rows, report.last_tiles, report.tile_set.values, same);
  clocks.set(report.clocks, report.game_id);
  around.shows(report.game_id);
  main.classList.toggle("without-plays", Object.keys(report.plays).length === 0);
  for (const side of SIDES) {
    const section = $(`.side[data-side=${side}]`);
    section.classList.toggle("on", report.on_turn === side);
    $(".scroll", section).ariaLabel = `Plays of ${name(side)}`;
  }
  drawAround();
  main.dataset.state = "shown";
}

function empty(text) {
  shown = null;
  main.dataset.state = "empty";
  trouble(text);
}

function trouble(text) {
  $("#trouble").hidden = !text;
  $("#trouble").textContent = text;
}

function choose(number) {
  chosen = number;
  drawChances();
}

$(".draws").addEventListener("click", ({ target }) => target.closest("#drawn button") && choose(Number(target.value)));
addEventListener("keydown", (event) => {
  const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
  if (plain && /^[1-7]$/.test(event.key)) choose(Number(event.key));
});

const slot = encodeURIComponent(document.body.dataset.slot);
const around = new EventAround(`/overlay/${slot}/event`, query, () => shown && drawAround());
const first = JSON.parse($("#first").textContent);
if (first) draw(first);
if (shown) speak(null);
drawChances();
new Stream(
  `/commentary/${slot}/live`,
  {
    onView: take,
    onTime: (time) => clocks.sync(time),
    onState: (state) => {
      $("#link").dataset.state = state;
      $("#link span").textContent = STATES[state];
    },
    onEmpty: () => empty("No game has begun at this table."),
    onRefused: () => empty("This page may not be seen any longer: the token was withdrawn, or the table is another."),
  },
  query,
);
