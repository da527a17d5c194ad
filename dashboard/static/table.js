// The table's page: views come in from the stream, and everything on the page follows from the
// newest one.

import { BoardView } from "./board.js";
import { Clocks, WATCHING_MS } from "./clock.js";
import { html } from "./html.js";
import { Walk } from "./replay.js";
import { Share } from "./share.js";
import { data, file, page, playerPage, published } from "./site.js";
import { learnSpellings } from "./spelling.js";
import { hasWon, isFinal, spoken, undecided } from "./spoken.js";
import { drawBars, spreadsOf, turnAt } from "./spread_bars.js";
import { steadily } from "./steady.js";
import { Stream } from "./stream.js";
import { gettext } from "./texts.js";
import { drawTiles } from "./tiles.js";
import { TurnList } from "./turns.js";
import { drawUnseen, whose } from "./unseen.js";
import { keepAwake } from "./wake.js";
import { deed, deedOf, letters, scoreSum, signed, standIns } from "./words.js";

const $ = (selector) => document.querySelector(selector);
const SIDES = ["left", "right"];
const LONG = 22; // letters of a name that take two lines in a hall
const LINK = {
  connecting: gettext("Connecting"),
  live: gettext("Live"),
  polling: gettext("Live, every few seconds"),
  lost: gettext("Connection lost, trying again"),
  waiting: gettext("Waiting for the next game"),
  begins: gettext("Not begun"),
  stopped: gettext("Live: the clock is stopped"),
  challenge: gettext("Live: a challenge"),
  over: gettext("Over, not yet final"),
  provisional: gettext("Over, not yet final"),
  final: gettext("Final"),
  no_result: gettext("Over, no result"),
};

const inHall = document.documentElement.classList.contains("hall");
const LEADS = inHall ? "leads" : "leads, not yet final"; // in a hall the rest stands above and below

const cards = Object.fromEntries(SIDES.map((side) => [side, $(`.player[data-side=${side}]`)]));
const board = new BoardView($("#board"));
const walk = new Walk($(".walk"), () => {
  draw(walk.shown(), false);
  drawLink();
});
const turns = new TurnList($("#turns"), $("#no-turns"), $("#order"), (number, byHand) => {
  walk.go(number);
  if (byHand) bringBoard();
});
const { behind, table, game } = document.documentElement.dataset;
const here = `/tables/${encodeURIComponent(table)}`;
const gamePath = (id) => `${here}/games/${encodeURIComponent(id)}`;
new Share(
  $("#share"),
  () => (shown ? gamePath(shown.game_id) : here),
  () => walk.at,
);
let shown = null; // the newest view
let link = "connecting";
let clocks = null; // until the first view the server's own stand there
let time = null; // the table's, as it was last heard

// Why nobody's clock runs, in a game that goes on; null while one does.
function halted({ clocks }) {
  if (!clocks || clocks.running !== null || clocks.withheld) return null;
  return clocks.stopped_for === "challenge" ? "challenge" : "stopped";
}

// How the page stands: to the table, and to its game.
function standing() {
  if (link === "connecting" || link === "lost") return link;
  if (!shown) return link === "live" ? "waiting" : link;
  if (walk.at !== null) return "earlier";
  if (link === "polling") return link;
  if (shown.status === "waiting") return "begins";
  if (shown.status !== "ended") return halted(shown) ?? "live";
  if (shown.no_result) return "no_result";
  return !isFinal(shown) ? "over" : shown.provisional ? "provisional" : "final";
}

function drawLink() {
  const state = standing();
  const pill = $("#link");
  const text =
    state === "earlier"
      ? walk.words()
      : behind
        ? (LINK[state] ?? "").replace(LINK.live, gettext("%(time)s behind", { time: behind }))
        : LINK[state];
  if (pill.dataset.state === state && pill.textContent === text) return;
  delete pill.dataset.loaded;
  pill.dataset.state = state;
  pill.querySelector("span").textContent = text;
}

// After a tap in the list the board is in sight, below the cards that may stand above it.
function bringBoard() {
  const box = $(".board-room").getBoundingClientRect();
  const cards = $(".players");
  const above = getComputedStyle(cards).position === "sticky" ? cards.offsetHeight : 0;
  const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, above);
  if (seen < box.height * 0.7)
    scrollTo({
      top: scrollY + box.top - above,
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
}

// "won", "leads" or "".
function outcomeOf(view, side) {
  if (hasWon(view, side)) return "won";
  return undecided(view) && view.outcome.winner === side ? "leads" : "";
}

function drawPlayers(view) {
  const long = SIDES.some((side) => view.players[side].name.length > LONG); // both names in one size
  for (const side of SIDES) {
    const { name, score } = view.players[side];
    const card = cards[side];
    const own = card.querySelector("a[data-player]"); // the player's page, at a hub
    if (own) {
      own.href = playerPage(name);
      own.title = gettext("The page of %(name)s", { name });
    }
    (own ?? card.querySelector(".name")).textContent = name;
    card.querySelector(".name").title = name;
    card.querySelector(".name").classList.toggle("long", long);
    card.querySelector("output").textContent = unscored(shown) ? "" : score;
    const on = view.status === "running" && view.on_turn === side;
    card.classList.toggle("on", on);
    const now = outcomeOf(view, side);
    for (const one of ["won", "leads"]) card.classList.toggle(one, now === one);
    // The words are those of the newest turn, seen or not: an earlier one leaves them their room.
    const outcome = outcomeOf(shown, side);
    if (outcome) card.dataset.outcome = outcome;
    else delete card.dataset.outcome;
    card.querySelector(".to-play span").textContent =
      { won: "won", leads: LEADS }[outcome] ?? (shown.status === "ended" ? "" : "to play");
  }
}

function drawLast(view) {
  const turn = view.turns.at(-1);
  const strip = $("#last");
  strip.classList.toggle("idle", !turn);
  strip.querySelector(".asked").hidden = !turn?.checking;
  strip.querySelector(".spoken").textContent = turn ? spoken(turn, view) : "";
  strip.querySelector(".sum").textContent = turn ? scoreSum(turn) : "";
  drawLookUp(turn);
  const rack = strip.querySelector(".rack");
  if (!turn) {
    strip.querySelector(".who span").textContent = gettext("The board is empty");
    strip.querySelector(".at").textContent = "";
    rack.replaceChildren();
    return;
  }
  const undone = turn.kind === "play" || !turn.word ? "" : `: ${deedOf(turn.kind)}`;
  strip.querySelector(".who span").textContent = view.players[turn.side].name;
  strip.querySelector(".at").textContent = `${turn.position ? ` ${gettext("at %(position)s", turn)}` : ""}${undone}`;
  strip.querySelector(".gain").textContent = signed(turn.score);
  const word = letters(turn, view.rows);
  if (word.length) drawTiles(rack, word, view.tile_set.values);
  else rack.replaceChildren(html`<span class="plain-word">${deed(turn.kind)}</span>`);
}

// The words of the play that is shown, looked up in the table's list: once the server has said of it, in the view, if
// it is a phoney, so that nobody can challenge it any more.
const lookUp = $("#look-up");

function drawLookUp(turn) {
  lookUp.hidden = turn?.phoney === undefined || published || Boolean(game);
  if (lookUp.dataset.turn === `${turn?.number}`) return;
  lookUp.dataset.turn = `${turn?.number}`;
  lookUp.lastElementChild.textContent = "";
}

lookUp.firstElementChild.addEventListener("click", async () => {
  const answer = await fetch(`${here}/turns/${lookUp.dataset.turn}/words`, { cache: "no-store" });
  if (!answer.ok) return;
  const line = ({ text, listed }) =>
    listed
      ? gettext("%(word)s is in the list", { word: text })
      : gettext("%(word)s is not in the list", { word: text });
  lookUp.lastElementChild.textContent = (await answer.json()).words.map(line).join(" · ");
});

function drawBag(view) {
  $("#bag").textContent = view.bag_count;
  const meter = $("#bag-meter");
  meter.max = view.tile_set.total ?? 100;
  meter.value = view.bag_count;
  $("#ending").hidden = view.status !== "ended" || view.final || !view.end_reason;
  $("#ending").textContent = view.no_result
    ? gettext("The game was broken off: there is no result.")
    : gettext("Not final yet: the tiles left on the racks are still to be counted.");
  $("#unseen").hidden = !view.unseen;
  if (view.unseen) {
    const many = drawUnseen($("#unseen ul"), view.unseen, view.tile_set.values);
    $("#unseen h2").textContent = whose(view, many);
  }
}

// What a new view has that the one before had not, in sentences.
function happened(before, view) {
  const known = before.game_id === view.game_id ? before.turns : [];
  const lines = [];
  if (before.game_id !== view.game_id)
    lines.push(
      gettext("New game: %(left)s against %(right)s.", {
        left: view.players.left.name,
        right: view.players.right.name,
      }),
    );
  for (const turn of view.turns.slice(known.length))
    lines.push(`${gettext("Turn %(number)s", turn)}. ${spoken(turn, view)}`);
  const common = Math.min(known.length, view.turns.length);
  for (let i = 0; i < common; i += 1) {
    if (JSON.stringify(known[i]) !== JSON.stringify(view.turns[i]))
      lines.push(`${gettext("Corrected: turn %(number)s.", view.turns[i])} ${spoken(view.turns[i], view)}`);
  }
  return [...lines, ...ending(before, view)];
}

function ending(before, view) {
  const { left, right } = view.players;
  const scores = `${left.name} ${left.score}, ${right.name} ${right.score}.`;
  if (isFinal(view) && !(isFinal(before) && before.game_id === view.game_id)) {
    const winner = SIDES.find((side) => hasWon(view, side));
    const won = winner ? ` ${gettext("%(name)s has won.", view.players[winner])}` : "";
    const open = view.provisional ? ` ${gettext("The result is not final yet.")}` : "";
    return [`${gettext("The game is over.")} ${scores}${won}${open}`];
  }
  if (view.status !== "ended" || isFinal(view) || before.status === "ended") return [];
  return view.no_result
    ? [`${gettext("The game was broken off.")} ${scores} ${gettext("There is no result.")}`]
    : [`${gettext("The game is played.")} ${scores} ${gettext("The result is not final yet.")}`];
}

function announce(before, view) {
  if (!before) return;
  const lines = view.withheld || before.withheld ? announced(before, view) : happened(before, view);
  $("#say").append(...lines.map((line) => html`<span>${line}</span>`));
  while ($("#say").childElementCount > 20) $("#say").firstElementChild.remove();
}

// Of a game that is not shown only that is said, and its result.
function announced(before, view) {
  if (view.withheld && !before.withheld) return [$("#not-shown").textContent];
  return isFinal(view) ? ending(before, view) : [];
}

const unscored = (view) => view.withheld && !isFinal(view);

// What is shown: the newest view, or an earlier turn's.
function draw(view, fresh) {
  document.documentElement.classList.toggle("past", view.status === "past");
  document.documentElement.classList.toggle("withheld", Boolean(view.withheld));
  drawPlayers(view);
  if (clocks === null) {
    clocks = new Clocks(cards, WATCHING_MS);
    if (time) clocks.sync(time);
  }
  clocks.set(view.clocks, view.game_id);
  board.draw(view.rows, view.last, view.tile_set.values, fresh);
  drawLast(view);
  drawBag(view);
  turns.mark(view.turns.length);
}

// A game that is over has its result in the place of its turns, which are a click away.
function choose(tab) {
  $(".turns").dataset.tab = tab;
  $("#turns-title").textContent = tab === "result" ? gettext("Result") : gettext("Turns");
  for (const button of $("#tabs").children) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
  if (tab === "list") turns.mark(walk.at ?? walk.count(), true);
}

// The result, with its numbers: the server draws it, as it does for readers without script.
let drawn = "";
const WAITS_MS = 20_000;
let waits = 0; // the timer until it is asked again if a result counts
// The game whose result, final at its table, does not count yet at the event: the server says so with the result.
let open = $("#link").dataset.loaded === "provisional" ? document.documentElement.dataset.shown : null;
const atHub = $("a[data-player]") !== null;

function asItCounts(view) {
  if (!isFinal(view)) return view;
  // When a game ends, nobody has signed it yet.
  if (atHub && shown?.game_id === view.game_id && !isFinal(shown)) open = view.game_id;
  if (open !== view.game_id) return view;
  drawn = ""; // the result is asked for again
  return { ...view, provisional: true };
}

function askAgain() {
  drawn = "";
  drawResult(shown);
}

async function drawResult(view) {
  const final = isFinal(view);
  if ($("#tabs").hidden === final) choose(final && walk.at === null ? "result" : "list");
  $("#result").hidden = $("#tabs").hidden = !final;
  if (!final) $("#turns-title").textContent = gettext("Turns");
  const key = final
    ? JSON.stringify([view.game_id, view.turns, view.adjustments, view.players, view.outcome, view.provisional])
    : "";
  if (key === drawn) return;
  drawn = key;
  if (!final) return;
  const answer = await fetch(page(`${gamePath(view.game_id)}/result`) + (inHall ? "?hall" : ""));
  if (!answer.ok || drawn !== key) return;
  const part = new DOMParser().parseFromString(await answer.text(), "text/html");
  const body = part.querySelector("#result-body");
  const provisional = body.dataset.provisional !== undefined;
  $("#result").replaceChildren(...body.childNodes);
  open = provisional ? view.game_id : null;
  if (provisional !== shown.provisional) take({ ...shown, provisional });
  clearTimeout(waits);
  if (provisional) waits = setTimeout(askAgain, WAITS_MS * (1 + Math.random()));
}

// The tournament around another game: the players' details, the round, the next pairing.
const AROUND_MS = 5000; // within which all pages that look on have asked

function drawFrom(cell, known) {
  const record = known?.wins === undefined ? null : `${known.wins}–${known.losses} ${signed(known.spread)}`;
  cell.replaceChildren(
    ...(known?.country ? [html`<abbr class="country" data-country=${known.country}>${known.country}</abbr>`] : []),
    html`<span>${known?.rating}</span>`,
    ...(record ? [html`<span title=${gettext("Games won and lost, and the spread")}>${record}</span>`] : []),
  );
}

async function drawAround() {
  for (const side of SIDES) cards[side].querySelector(".from").replaceChildren();
  await new Promise((done) => setTimeout(done, AROUND_MS * Math.random()));
  const answer = await fetch(data(`${here}/around`));
  if (!answer.ok) return;
  const { players, round: number, coming } = await answer.json();
  for (const side of SIDES) drawFrom(cards[side].querySelector(".from"), players?.[side]);
  const round = $("#table-round");
  round.hidden = !number;
  (round.querySelector("a") ?? round).textContent = gettext("Round %(number)s", { number });
  if (round.querySelector("a")) round.querySelector("a").href = page(`/event/rounds/${number}`);
  $("#coming").textContent = coming;
}

// Another game has come on the table: the one before it stays a click away.
function drawEarlier({ game_id: id, players: { left, right } }) {
  const link = $("#earlier-game");
  link.href = page(gamePath(id));
  link.textContent = gettext("The game before: %(left)s – %(right)s", { left: left.name, right: right.name });
  link.hidden = false;
}

function take(heard) {
  const view = asItCounts(heard);
  if (game && view.game_id !== game) {
    $("#next-game").hidden = false; // this page stays with its game
    return;
  }
  const before = shown;
  shown = view;
  document.documentElement.classList.remove("no-game");
  if (before && before.game_id !== view.game_id && before.turns.length) drawEarlier(before);
  learnSpellings(view.tile_set);
  const root = document.documentElement;
  if (root.dataset.shown !== view.game_id && !game) drawAround();
  root.dataset.shown = view.game_id;
  $("#coming").hidden = view.status === "running" || !$("#coming").textContent;
  const bingos = view.turns.filter(({ bingo, kind }) => bingo && kind === "play");
  drawBars(
    $("#bars"),
    spreadsOf(view),
    bingos.map(({ number }) => number),
  );
  $("#rules").textContent = [view.rulebook?.name, view.rulebook?.in_words, view.tile_set?.name]
    .filter(Boolean)
    .join(" · ");
  const { left, right } = view.players;
  const scores = unscored(view) ? "–" : `${left.score} : ${right.score}`;
  document.title = `${left.name} ${scores} ${right.name} – ${$(".brand").textContent.trim()}`;
  $("#gcg").href = file(`${gamePath(view.game_id)}/game.gcg`);
  $("#gcg").hidden = Boolean(view.withheld);
  $("#gcg-note").textContent = standIns(view);
  const held = steadily(() => {
    turns.draw(view);
    walk.take(view);
    draw(walk.shown(), before !== null && before.game_id === view.game_id);
  });
  // Else the newest turn is in sight. It comes there once nobody is about to press another.
  if (held) $("#turns").addEventListener("mouseleave", () => turns.mark(turns.at, true), { once: true });
  drawLink();
  drawResult(view);
  announce(before, view);
}

$("#bars").addEventListener("click", ({ offsetX, currentTarget }) =>
  walk.go(turnAt(offsetX / currentTarget.clientWidth, walk.count())),
);
$("#tabs").addEventListener("click", (event) => event.target.dataset.tab && choose(event.target.dataset.tab));
document.documentElement.classList.add("scripted");
if (inHall) keepAwake();
// Until it is connected, no game is said to be live.
if ($("#link").dataset.loaded === "running") $("#link span").textContent = LINK.connecting;
addEventListener("hashchange", () => walk.at !== null && bringBoard());

function follow() {
  new Stream(file(`${here}/live`), {
    onView: take,
    onTime: (heard) => {
      time = heard;
      clocks?.sync(heard);
    },
    onState: (state) => {
      link = state;
      drawLink();
    },
  });
}

// A game of before stands as it ended.
async function load() {
  const answer = await fetch(data(`${gamePath(game)}/view`));
  if (!answer.ok) return;
  link = "past";
  take(await answer.json());
}

if (document.documentElement.dataset.past) load();
else follow();
