// One table for the director: the newest view from the stream, the rulings from the record, and
// everything that can be done about either.
import { BoardView } from "../board.js";
import { Clocks } from "../clock.js";
import { fitNames } from "../overlay/fold.js";
import { learnSpellings } from "../spelling.js";
import { steadily } from "../steady.js";
import { Stream } from "../stream.js";
import { backDeed, newNamesDeed, shownNamesDeed } from "./actions.js";
import { ask, link, Refused, tell } from "./api.js";
import { askedSquares, flagsAbout, openFlags } from "./attention.js";
import { AttentionList } from "./attention_list.js";
import { ActionBar } from "./bar.js";
import { outcomeText } from "./brief.js";
import { Dialog } from "./dialog.js";
import { $, button, html, say } from "./dom.js";
import { Outcome } from "./outcome.js";
import { place } from "./place.js";
import { drawOpen, scoreText } from "./result.js";
import { Rights } from "./rights.js";
import { blankDeed, challengeDeed, endDeed, stopDeed, tileDeed, turnDeed } from "./rulings.js";
import { capital, learn, other as opponent, PHASES, phaseOf, SIDES, symbolText, whole } from "./wording.js";

const PULSE_MS = 2000;
const HERE = { ...PHASES, waiting: "Waiting for the board", ready: "Ready: the first press starts it" };

const STOPPED_FOR = {
  challenge: challengeDeed,
  blank: blankDeed,
  score: async (of) => (await import("./score_deed.js")).scoreDeed(of),
};

// Of a table that a hub does not hear.
const UNHEARD = { table_silent: "Not heard of", table_off: "Switched off", table_out: "Kept out" };

const table = document.documentElement.dataset.table;
const encoded = encodeURIComponent(table);
const root = `/director/api/tables/${encoded}`;
let game = document.documentElement.dataset.game; // "" is the one on the table
const following = game === "";
const cards = Object.fromEntries(SIDES.map((side) => [side, $(`.player[data-side=${side}]`)]));
const board = new BoardView($("#board"));
const clocks = new Clocks(cards);
const rights = new Rights($("#rights"), clocks);
const renames = [...document.querySelectorAll(".rename")];
const attention = new AttentionList();
const outcome = new Outcome();
let record = null;
let phase = null; // its own account of its phase
let seq = -1;

// What is done goes to the game that is shown: an address is made of what was drawn, never of `game`.
const address = (id) => `${root}/games/${encodeURIComponent(id)}`;
const turnAddress = (turn) =>
  `/director/tables/${encoded}/turns/${turn}?game=${encodeURIComponent(record.view.game_id)}`;
const pictureAddress = (sha) => `/director/tables/${encoded}/evidence/${sha}.jpg`;
const cropAddress = (turn, square) => {
  const sha = record.crops[turn]?.[square];
  return sha ? pictureAddress(sha) : null;
};

const setUp = $(".bar nav [href*='/setup/']")?.href.replace(/[^/]*$/, "") ?? null; // of who may
const shownGame = () => ({ id: record.view.game_id, path: address(record.view.game_id), view: record.view });
const dialog = new Dialog($("#dialog"), shownGame, done, ({ id }) =>
  following && record.view.game_id === id && record.view.clocks?.running ? () => stopForRuling(id) : null,
);
const bar = new ActionBar($("#bar"), $("#menu"), {
  open: (deed) => dialog.open(deed),
  end,
  ruled,
  pick: pickSquare,
  stop,
  start,
  next,
  remaining: (side) => clocks.remaining(side),
  crop: cropAddress,
  fail: (error) => outcome.fail(error),
});
const watching = document.body.classList.contains("observer");

function drawView(view) {
  learnSpellings(view.tile_set);
  $("#rules").textContent = [view.rulebook.name, view.rulebook.in_words, view.tile_set.name]
    .filter(Boolean)
    .join(" · ");
  $("#earlier").hidden = following;
  document.title = `${scoreText(view)} – director`;
  const long = SIDES.some((side) => view.players[side].name.length > 22); // both in one size
  for (const side of SIDES) {
    cards[side].querySelector(".name").classList.toggle("long", long);
    cards[side].querySelector("output").textContent = whole(view.players[side].score);
    cards[side].classList.toggle("on", view.status === "running" && view.on_turn === side);
  }
  fitNames(SIDES.map((side) => [cards[side].querySelector(".name"), view.players[side].name]));
  $("#bag").textContent = view.bag_count;
  drawPhase(view);
  clocks.set(view.clocks, view.game_id);
  rights.set(view);
  board.draw(view.rows, view.last, view.tile_set.values, false);
  const asked = askedSquares(view);
  for (const square of board.squares) square.classList.toggle("asked", asked.has(square.dataset.name));
  $("#no-turns").hidden = view.turns.length > 0;
  outcome.shows(view);
}

function drawPhase(view) {
  const [unheard] = record?.concerns.flatMap(({ code }) => UNHEARD[code] ?? []) ?? [];
  $(".players").classList.toggle("unheard", following && unheard !== undefined);
  const why = record?.options.words.stops[view.clocks?.stopped_for]; // undefined where nobody has said it
  const stands = why && phaseOf(view, phase) === "stopped" ? `: ${why}` : "";
  $("#phase").textContent = following ? (unheard ?? `${HERE[phaseOf(view, phase)]}${stands}`) : "";
}

// What a card of the game that is shown now can do.
function answers() {
  const about = shownGame();
  return {
    settle: (...what) => settle(about, ...what),
    answer: (...what) => answer(about, ...what),
    preview: async (events) => (await tell(`${about.path}/preview`, { events })).answers,
    act,
    other,
    attend,
    crop: cropAddress,
    picture: pictureAddress,
    turn: turnAddress,
    setUp,
    explain: () => dialog.open(stopDeed(record)),
  };
}

// Which game something was done to, where the page shows another one by now.
const where = ({ id, view: { players } }) =>
  record.view.game_id === id ? "" : ` in ${players.left.name} – ${players.right.name}`;

// `about`: the game that it was done to, which another one may have followed on the page since.
// It is said in the words of the log, or in `words` where those are `kept`.
async function done(answer, about, words, kept = false) {
  const back = answer.event.type === "Retracted";
  const fixed = back || answer.event.type === "ResultSigned";
  const now = {
    score: outcome.score(about, answer.difference.scores),
    undoable: fixed ? null : { about, number: answer.number },
  };
  const { text } = answer; // empty where the log has not got it yet
  const own = (!kept || answer.event.type === "StopExplained") && text;
  const line = back ? `${capital(text || "taken back")}${where(about)}` : `Entered${where(about)}: ${own || words}`;
  outcome.show(`${line}.`, now);
  await refresh();
  if (outcome.undoable !== now.undoable || record?.view.game_id !== about.id) return;
  const result = answer.difference.facts.outcome?.[1];
  const rest = result ? ` ${capital(outcomeText(result, record.view))}.` : "";
  const { status, clocks: clock } = record.view;
  const stands = back && following && status === "running" && clock?.running === null ? " The clock stands." : "";
  if (rest || stands) outcome.reword(`${line}.${rest}${stands}`);
  if (answer.event.type === "StopExplained") await ruleOnStop();
}

// What the clock was stopped for is usually ruled on next.
async function ruleOnStop() {
  const deed = await STOPPED_FOR[record.view.clocks?.stopped_for]?.({ ...record, crop: cropAddress });
  if (deed && !deed.hidden && !dialog.dialog.open) dialog.open(deed);
}

// One click or key; what it did stands there to undo.
async function settle(about, event, square, symbol, flag) {
  attention.answering();
  try {
    const answer = await tell(`${about.path}/rule`, { event, flag, why: event.why });
    outcome.show(`${square}: ${symbolText(symbol)}.`, {
      score: outcome.score(about, answer.difference.scores),
      undoable: { about, number: answer.number },
    });
    await refresh();
  } catch (error) {
    outcome.fail(error);
  } finally {
    attention.restSoon();
  }
}

// An answer whose effect stands on its button. Where that has changed since, it is shown first.
async function answer(about, offer, flag, turn, effect) {
  const shown = { turn, code: flag.code, message: flag.message };
  attention.answering();
  try {
    const entered = await tell(`${about.path}/rule`, {
      event: offer.event,
      flag: shown,
      effect,
      why: offer.event.why,
    });
    done(entered, about, offer.text, true);
    $("#attention-title").focus();
  } catch (error) {
    if (error.stale) act(offer, flag, turn);
    else outcome.fail(error);
  } finally {
    attention.restSoon();
  }
}

async function act(offer, flag, turn) {
  const { offerDeed } = await import("./offer_deed.js");
  dialog.open(offerDeed(offer, flag, turn, record.options.letters));
}

// Something else than was guessed of a square, or a letter that was not suggested.
function other({ square, field, offer }) {
  if (field === "letter") dialog.open(blankDeed({ ...record, crop: cropAddress }, square));
  else openTile(square, { event: offer.event, turn: offer.event.turn, why: offer.event.why });
}

function openTile(square, { other: elsewhere = { text: "Another square", go: pickSquare }, ...more } = {}) {
  stopPicking();
  const turn = more.turn ?? record.view.squares[square]?.turn ?? record.view.turns.length;
  const guesses = (record.guesses[`${turn}:${square}`] ?? []).map(({ symbol }) => symbol).slice(0, 6);
  dialog.open({ ...tileDeed(record, square, { crop: cropAddress(turn, square), guesses, ...more }), other: elsewhere });
}

// The rulings and what else was entered, each to be taken back.
function ruled() {
  $("#statements-title").scrollIntoView({ block: "start" });
  $("#statements-title").focus({ preventScroll: true });
}

async function undo() {
  if (outcome.undoable === null) return;
  const { about, number } = outcome.undoable;
  outcome.undoing(true);
  try {
    const answer = await tell(`${about.path}/rule`, { event: { type: "Retracted", event: number } });
    done(answer, about);
    $("#attention-title").focus();
  } catch (error) {
    outcome.fail(error);
  } finally {
    outcome.undoing(false);
  }
}

function attend({ code, what, text }) {
  dialog.confirm({
    title: "Seen to",
    about: text,
    deed: "Seen to",
    send: (attribution) => tell(`${root}/attend`, { code, what, message: text, ...attribution }),
    done: async () => {
      $("#attention-title").focus();
      await refresh();
    },
  });
}

// A clock's button or the next game: asks once more, and does it to the game that is shown.
// `gone(view)`: why it can no longer be done, in the game as it stands by then; null while it can.
function confirmed(
  title,
  deed,
  what,
  text,
  { about = null, after = () => {}, despite = null, gone = () => null } = {},
) {
  if (!current()) {
    outcome.fail(new Refused(409, { error: "Another game has come on the table; look at it before you do this." }));
    return;
  }
  const shown = meant();
  const { game: id } = shown;
  const send = (attribution, anyway) => {
    outcome.stopped = null; // whatever starts the clock now is done from here
    return tell(`${root}/${what}`, { ...shown, ...attribution, ...(anyway ? { despite_tiles: true } : {}) });
  };
  dialog.confirm({
    title,
    about,
    deed,
    despite,
    gone,
    send,
    done: () => {
      outcome.show(text, { fleeting: true });
      after(id);
    },
  });
}

// The game and its turn as they are shown: the server refuses what would end another turn.
function meant() {
  const { game_id, turns, on_turn } = record.view;
  return { game: game_id, turn: turns.length + 1, on_turn };
}

// Whether everything on the page is of one game: a new one is drawn before its record is here.
const current = () => record !== null && (!following || record.view.game_id === game);

// The same at once, where no time may be lost.
async function command(what, text, shown = { game }) {
  outcome.show("The table is asked …", { fleeting: true });
  try {
    await tell(`${root}/${what}`, shown);
    if (what === "stop") outcome.stopped = { id: shown.game };
    outcome.show(text, { fleeting: true });
  } catch (error) {
    outcome.hide();
    outcome.fail(error);
  }
}

// A square of the board or of the picture: what is there is put right.
function correctSquare(square) {
  if (record === null || watching) return;
  if (record.signed !== null)
    outcome.fail(new Refused(409, { error: "The result is signed. To change it, reopen it under More." }));
  else if (record.view.turns.length) openTile(square);
}

// A turn: the square of it that is in doubt, else what the turn was.
function correctTurn(number) {
  const doubt = [...askedSquares({ turns: [], flags: flagsAbout(record.view, number) })];
  const whole = {
    ...turnDeed(record, number, (square) => openTile(square, { turn: number })),
    other: { text: "Another square", go: pickSquare },
  };
  if (doubt.length)
    openTile(doubt[0], { turn: number, other: { text: "What the turn was", go: () => dialog.open(whole) } });
  else dialog.open(whole);
}

// The next square that is pressed is meant; those in doubt stand ready to be pressed.
function pickSquare() {
  const asked = [...askedSquares(record.view)];
  const buttons = asked.slice(0, 4).map((name) => button(name, () => correctSquare(name), { class: "button small" }));
  $("#in-doubt").replaceChildren(...(buttons.length ? [html`<span>In doubt:</span>`, ...buttons] : []));
  $("#picking").hidden = false;
  $(".board-room").scrollIntoView({ block: "nearest" });
  const aim = $(`#board [data-name="${asked[0]}"]`) ?? $("#board .square:has(.lit)") ?? $("#board [tabindex='0']");
  aim?.focus();
  aim?.scrollIntoView({ block: "nearest" }); // whole
}

function stopPicking() {
  $("#picking").hidden = true;
}

$("#board").addEventListener("click", (event) => {
  const square = event.target.closest(".square");
  if (square) correctSquare(square.dataset.name);
});
$("#board").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.classList.contains("square")) correctSquare(event.target.dataset.name);
});
addEventListener("keydown", (event) => event.key === "Escape" && stopPicking());
$("#unnamed button").addEventListener("click", () =>
  dialog.open({ ...newNamesDeed(record.view), title: "Who plays this game?" }),
);
for (const name of renames) {
  const { side } = name.closest("[data-side]").dataset;
  name.addEventListener(
    "click",
    () => record && dialog.open(shownNamesDeed(record.view, side, (deed) => dialog.open(deed))),
  );
}
$("#stop-picking").addEventListener("click", stopPicking);
addEventListener("change", ({ target }) => {
  if (target.id === "game") location.assign(`${location.pathname}?game=${encodeURIComponent(target.value)}`);
});
$(".statements").addEventListener("click", ({ target }) => {
  const number = Number(target.closest("[data-back]")?.dataset.back);
  const one = record?.statements.find((entry) => entry.number === number);
  if (one) dialog.open(backDeed(one));
});
$(".turnbox").addEventListener("click", ({ target }) => {
  const { correct } = target.closest("[data-correct]")?.dataset ?? {};
  if (correct) correctTurn(Number(correct));
});
$("#undo").addEventListener("click", undo);
$("#seen").addEventListener("click", () => outcome.hide());
// A stop amid a ruling has its reason: nobody is asked for another.
async function stopForRuling(id) {
  await tell(`${root}/stop`, { game: id });
  outcome.stopped = { id };
  await refresh();
  if (record.view.game_id === id)
    await tell(`${address(id)}/rule`, {
      event: { type: "StopExplained", turn: record.view.turns.length, reason: "director" },
    }).catch(() => {}); // else it is asked for
}

let unexplained = null; // the game whose clock was stopped from here; why is asked once its log has that

async function stop() {
  unexplained = game;
  await command("stop", "The clock was stopped.");
  await refresh().catch(() => {});
}

function explainStop() {
  const deed = stopDeed(record);
  if (unexplained !== record.view.game_id || deed.hidden) return;
  unexplained = null;
  if (!dialog.dialog.open && $("#picking").hidden && !record.view.clocks.stopped_for) dialog.open(deed);
}

function start(side) {
  const { view } = record;
  const other = opponent(side);
  const ends = view.on_turn === other && view.turns.length > 0;
  if (view.status === "running" && view.on_turn === side && current()) {
    outcome.stopped = null;
    command(`start/${side}`, `${view.players[side].name}’s clock runs.`, meant());
    return;
  }
  confirmed(`Start ${view.players[side].name}’s clock`, "Start the clock", `start/${side}`, "The clock runs again.", {
    about: ends
      ? `It is ${view.players[other].name}’s turn. This ends it, as a press of the clock would: ` +
        "without a play on the board it is an exchange or a pass."
      : null,
    gone: (view) =>
      view.status === "ended"
        ? "The game is over."
        : view.clocks?.running
          ? `${view.players[view.clocks.running].name}’s clock was started meanwhile.`
          : null,
  });
}

function next() {
  const unsigned =
    record.signed === null
      ? "The result of this game is not signed yet; it can still be signed from the list of games. "
      : "";
  confirmed("The next game", "Get the table ready", "next", "The table is ready for the next game.", {
    about: [
      `${unsigned}Clear the board first. The scores and the clocks begin anew, ` +
        "and this game stays in the list of games. ",
      setUp && html`<br /><a class="button small" href="${setUp}game">Other names or rules…</a>`,
    ],
    despite: "Get the table ready all the same",
    after: (id) => {
      before = id;
      nameNext();
    },
  });
}

// A play that no turn has counted yet is counted first: then each way to end the game says what it changes.
function end(deed) {
  const id = record.view.game_id;
  if (!uncounted.length) {
    dialog.open(deed);
    return;
  }
  dialog.confirm({
    title: "A play lies on the board that has not been counted yet",
    about:
      `${uncounted.join(", ")}. It is the last play if the game ends now, and the result may change with it. ` +
      "Count it first; then you see what each way to end the game changes.",
    deed: "Count it",
    send: (attribution) => tell(`${root}/count`, { game: id, ...attribution }),
    done: async () => {
      drawUncounted([]);
      await refresh();
      const ends = endDeed(record);
      if (record.view.game_id === id && !ends.hidden) dialog.open(ends);
    },
  });
}

let uncounted = []; // the tiles of a play on the board that no turn has counted yet, in a game without a clock

function drawUncounted(tiles) {
  uncounted = following ? tiles : [];
  const marked = new Map(uncounted.map((one) => one.split(" ")));
  for (const { dataset } of board.squares) {
    if (marked.has(dataset.name)) dataset.uncounted = marked.get(dataset.name);
    else delete dataset.uncounted;
  }
  $("#uncounted").hidden = !uncounted.length;
  $("#uncounted").textContent =
    `On the board, and not counted yet: ${uncounted.join(", ")}. ` +
    "It counts once the opponent answers, or when the game is ended.";
}

let before = null; // the game after which the players of the next are asked for

function nameNext() {
  if (before === null || record.view.game_id === before || dialog.dialog.open) return;
  before = null;
  const asked = newNamesDeed(record.view);
  if (asked) dialog.open(asked);
}

let busy = null;

// The game before the one on the table, as it stands now. When the page is opened, one that is not signed.
let previous = null;

async function drawBefore(earlier) {
  if (earlier === null) previous = $("#game option[data-unsigned]:nth-child(2)")?.value ?? null;
  else if (earlier.view.game_id !== record.view.game_id) previous = earlier.view.game_id;
  if (previous === null) return;
  const { closedBefore, drawPrevious } = await import("./previous.js");
  if (!closedBefore(previous)) drawPrevious($("#previous"), await ask(address(previous)).catch(() => null));
}

// The record of the game; asked for again if it was asked for meanwhile.
function refresh() {
  if (busy !== null) {
    busy.again = true;
    return busy.promise;
  }
  const job = { again: true };
  busy = job;
  job.promise = (async () => {
    try {
      while (job.again && game !== "") {
        job.again = false;
        const earlier = record;
        record = await ask(address(game));
        seq = record.head.seq;
        steadily(drawAll);
        if (following) await drawBefore(earlier);
      }
    } finally {
      busy = null;
    }
  })();
  return job.promise;
}

async function drawEnd() {
  const panel = $("#result");
  const card = record.view.status === "ended" ? await import("./result_card.js") : null;
  const { view } = record;
  panel.hidden = !card || view.status !== "ended";
  if (!panel.hidden) card.drawResult(panel, record, address(view.game_id));
}

function drawAll() {
  const { view } = record;
  learn(record.options.words);
  drawView(view);
  $("#no-game").hidden = true;
  attention.draw(record, answers());
  drawEnd().catch(() => {});
  drawOpen(cards, record);
  place(record.html);
  bar.draw(record, following);
  dialog.shows(view, record);
  $("#public").textContent = record.public;
  $("#public").hidden = !record.public;
  $("#unnamed").hidden = watching || newNamesDeed(view) === null;
  $("#unnamed button").hidden = record.signed !== null;
  for (const name of renames) name.disabled = record.signed !== null;
  nameNext();
  explainStop();
}

let last = null;

function announce(view) {
  if (last !== null && last.game_id === view.game_id && view.turns.length > last.turns.length) {
    const turn = view.turns.at(-1);
    say(
      `Turn ${turn.number}, ${view.players[turn.side].name}: ${turn.score} points. ${openFlags(turn.flags)
        .map((flag) => flag.message)
        .join(" ")}`.trim(),
    );
  }
  last = view;
}

async function pulse() {
  try {
    const now = await ask(`${root}/pulse`);
    phase = now.phase;
    drawUncounted(now.uncounted);
    if (record !== null) drawPhase(record.view);
    else if (following) $("#phase").textContent = HERE[phase] ?? "";
    if (!following) clocks.sync(now);
    const troubles = JSON.stringify(now.troubles);
    if (now.seq !== seq || troubles !== pulse.troubles || now.game_id !== pulse.newest) {
      Object.assign(pulse, { troubles, newest: now.game_id });
      if (following && now.game_id !== null) game = now.game_id;
      await refresh();
      seq = now.seq;
    }
    if (!following) link("live");
  } catch (error) {
    link("lost");
    if (error.status === 401) dialog.ended(error);
  }
  setTimeout(pulse, PULSE_MS);
}

// What the camera sees now is nothing of an earlier game.
if (following) {
  import("./camera_view.js").then(({ watch }) => watch(table, correctSquare));
  new Stream(
    `/api/v1/tables/${encoded}`,
    {
      onView: (view) => {
        game = view.game_id;
        steadily(() => drawView(view));
        announce(view);
        refresh().catch(() => {});
      },
      onTime: (time) => clocks.sync(time),
      onState: link,
    },
    { audience: "director" },
  );
}
pulse();
