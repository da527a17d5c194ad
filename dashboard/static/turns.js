// The list of turns, newest first or in the order of play, as the viewer likes. Names and words enter as text, never as markup.
import { NOTES } from "./spoken.js";
import { deed, deedOf, letters, placeWords, printed, signed } from "./words.js";
import { passed } from "./clock.js";
import { spelledWord } from "./spelling.js";
import { isBlank } from "./tiles.js";

function cell(className, text) {
  const td = document.createElement("td");
  td.className = className;
  if (text !== undefined) td.textContent = text;
  return td;
}

// On a phone the initials stand for the name; a screen reader has the name in either case.
function by(name) {
  const td = cell("by");
  td.title = name;
  td.dir = "auto"; // a name that is too long is cut at its end
  const short = document.createElement("span");
  short.className = "initials";
  short.setAttribute("aria-hidden", "true");
  short.textContent = name
    .split(/[\s.,'-]+/u)
    .filter(Boolean)
    .map((part) => [...part][0].toUpperCase())
    .slice(0, 3)
    .join("");
  const full = document.createElement("span");
  full.className = "full";
  full.textContent = name;
  td.append(short, full);
  return td;
}

function play(turn, view) {
  const td = cell("play");
  for (const { symbol, through } of letters(turn, view.rows)) {
    const span = document.createElement("span");
    span.textContent = printed(symbol);
    if (through) span.className = "through";
    else if (isBlank(symbol)) {
      span.className = "as-blank";
      span.title = "blank";
    }
    td.append(span);
  }
  if (turn.phoney) {
    const span = document.createElement("span");
    span.className = "deed";
    span.textContent = " phoney";
    td.append(span);
  }
  if (turn.kind !== "play") {
    const span = document.createElement("span");
    span.className = "deed";
    span.textContent = turn.word ? ` ${deedOf(turn.kind)}` : deed(turn.kind);
    td.append(span);
  }
  td.append(...marks(turn));
  return td;
}

function adjustment(change, view) {
  const td = cell("play");
  const what = document.createElement("span");
  what.className = "deed";
  what.textContent = deed(change.kind);
  what.title = change.why ?? "";
  td.append(what);
  if (change.tiles) {
    const rack = document.createElement("span");
    rack.className = "left-over";
    rack.textContent = ` ${spelledWord(change.tiles)}`;
    td.append(rack);
  }
  if (change.rule) td.append(ruleOf(change.rule, view));
  return td;
}

function ruleOf(rule, view) {
  const span = document.createElement("span");
  span.className = "rule";
  span.textContent = `Rule ${rule}`;
  span.title = view.rulebook.name;
  return span;
}

function line(className, side, cells) {
  const row = document.createElement("tr");
  row.className = className;
  row.dataset.side = side;
  row.append(...cells);
  return row;
}

function mark(className, text, title) {
  const span = document.createElement("span");
  span.className = `mark-note ${className}`;
  span.textContent = text;
  span.title = title;
  return span;
}

function marks(turn) {
  const found = [];
  if (turn.bingo && turn.kind === "play") found.push(mark("bingo", "Bingo", `All tiles of the rack: ${turn.bingo} points more`));
  if (turn.corrected) found.push(mark("corrected", "corrected", "Corrected by the director"));
  if (turn.lost) found.push(mark("lost", "pictures lost", lostText(turn)));
  if (turn.checking) found.push(mark("asked", "being checked", "The director is asked about this turn"));
  return found;
}

// "Pictures were lost: 12 s, up to 3 s before the press (40 dropped). No fault of the players".
function lostText(turn) {
  const spans = turn.lost.map(({ from_ns: from, until_ns: until, dropped }) => {
    const end = Math.round(until / 1e9 - turn.press_ms / 1e3);
    const when = end < 0 ? `until ${-end} s before the press` : end > 0 ? `until ${end} s after the press` : "until the press";
    const which = dropped ? `, ${dropped} dropped` : "";
    return `for ${Math.max(1, Math.round((until - from) / 1e9))} s, ${when}${which}`;
  });
  return `Pictures were lost ${spans.join("; ")}. That is no fault of the players`;
}

function notes(flagged, view) {
  const row = document.createElement("tr");
  row.className = "flag";
  const td = document.createElement("td");
  td.colSpan = 7;
  const list = document.createElement("ul");
  list.className = "flags";
  for (const flag of flagged) {
    const item = document.createElement("li");
    const message = document.createElement("span");
    message.textContent = flag.message;
    item.append(message);
    if (flag.rule) item.append(ruleOf(flag.rule, view));
    list.append(item);
  }
  td.append(list);
  row.append(td);
  return row;
}

// The number is a button that shows the board as it was then.
function goTo(number) {
  const td = cell("number");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = number;
  button.setAttribute("aria-label", `Turn ${number}: show the board after it`);
  td.append(button);
  return td;
}

const ORDER = "turns-in-order";

function inOrder() {
  try {
    return localStorage.getItem(ORDER) === "yes";
  } catch {
    return false; // a browser that keeps nothing still shows the page
  }
}

function keepOrder(yes) {
  try {
    localStorage.setItem(ORDER, yes ? "yes" : "no");
  } catch {
    // Then it holds for this page alone.
  }
}

export class TurnList {
  // `order` is the button that turns the list round. `onTurn` is called with a turn's number, and
  // whether it was chosen by hand: the keyboard's focus stays where it is.
  constructor(body, empty, order, onTurn) {
    this.body = body;
    this.empty = empty;
    this.order = order;
    this.shown = "";
    this.at = null;
    this.view = null;
    this.inOrder = inOrder();
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr.turn");
      if (row) onTurn(Number(row.dataset.number), event.detail > 0);
    });
    order.addEventListener("click", () => {
      this.inOrder = !this.inOrder;
      keepOrder(this.inOrder);
      this.shown = "";
      this.draw(this.view);
      this.mark(this.at, true);
    });
    this.drawOrder();
  }

  drawOrder() {
    this.order.textContent = this.inOrder ? "Order: first turn first" : "Order: newest first";
    this.order.setAttribute("aria-label", `${this.order.textContent}. Turn the list round`);
  }

  // Mark the turn after which the board is shown.
  mark(number, bring = number !== this.at) {
    for (const row of this.body.querySelectorAll("tr.turn")) {
      const is = Number(row.dataset.number) === number;
      row.classList.toggle("newest", is);
      row.querySelector("button").toggleAttribute("aria-current", is);
    }
    if (bring) this.bring(this.body.querySelector("tr.newest"));
    this.at = number;
  }

  // Into sight within the list alone: the page stays where the viewer put it.
  bring(row) {
    if (!row) return;
    const list = this.body.closest(".scroll");
    const head = this.body.previousElementSibling?.offsetHeight ?? 0;
    const last = row === [...this.body.querySelectorAll("tr.turn")].at(-1);
    const top = row.offsetTop - head;
    // What follows the last turn belongs to the end, and is brought along.
    const bottom = (last ? this.body.offsetHeight + head : row.offsetTop + row.offsetHeight * 2) - list.clientHeight;
    if (list.scrollTop > top) list.scrollTop = top;
    else if (list.scrollTop < bottom) list.scrollTop = Math.min(bottom, top);
  }

  draw(view) {
    this.view = view;
    this.drawOrder();
    if (!view) return;
    const { game_id, players, turns, adjustments = [], flags: ofGame = [] } = view;
    const key = JSON.stringify([game_id, players, turns, adjustments, ofGame]);
    if (key === this.shown) return;
    this.shown = key;
    const timed = turns.some((turn) => turn.used_ns !== undefined);
    this.body.parentElement.classList.toggle("untimed", !timed);
    const groups = adjustmentsAfter(0, view);
    for (const turn of turns) {
      const row = line("turn", turn.side, [
        goTo(turn.number),
        by(players[turn.side].name),
        Object.assign(cell("at", turn.position ?? ""), { title: placeWords(turn.position ?? "") }),
        play(turn, view),
        cell("num used", turn.used_ns === undefined ? "" : passed(turn.used_ns)),
        cell("num gained", signed(turn.score)),
        cell("num total", turn.total),
      ]);
      row.dataset.number = turn.number;
      row.dataset.row = `turn ${turn.number}`;
      const noted = turn.flags.filter((flag) => NOTES.has(flag.code));
      groups.push(noted.length ? [row, notes(noted, view)] : [row], ...adjustmentsAfter(turn.number, view));
    }
    const noted = ofGame.filter((flag) => NOTES.has(flag.code));
    if (noted.length) groups.push([notes(noted, view)]);
    // Turned round, what happened last is on top; a note stays below its turn.
    this.body.replaceChildren(...(this.inOrder ? groups : groups.reverse()).flat());
    this.empty.hidden = turns.length > 0;
  }
}

// The lines beside the plays that came after a turn, each in its place.
function adjustmentsAfter(number, view) {
  return (view.adjustments ?? [])
    .filter((change) => change.after_turn === number)
    .map((change) => [
      line("adjustment", change.side, [
        cell("number"),
        by(view.players[change.side].name),
        cell("at"),
        adjustment(change, view),
        cell("num used"),
        cell("num gained", signed(change.points)),
        cell("num total", change.total),
      ]),
    ]);
}
