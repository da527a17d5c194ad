// The list of turns, newest first. Names and words enter as text, never as markup.
import { deed, letters, signed } from "./words.js";
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
    span.textContent = symbol === "?" ? "?" : symbol.toUpperCase();
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
    span.textContent = turn.word ? ` ${deed(turn.kind)}` : deed(turn.kind);
    td.append(span);
  }
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
    rack.textContent = ` ${change.tiles}`;
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

function flags(flagged, view) {
  const row = document.createElement("tr");
  row.className = "flag";
  const td = document.createElement("td");
  td.colSpan = 6;
  const list = document.createElement("ul");
  list.className = "flags";
  for (const flag of flagged) {
    const item = document.createElement("li");
    const code = document.createElement("code");
    code.textContent = flag.label;
    const message = document.createElement("span");
    message.textContent = flag.message;
    item.append(code, message);
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

export class TurnList {
  constructor(body, empty, onTurn) {
    this.body = body;
    this.empty = empty;
    this.shown = "";
    this.at = null;
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr.turn");
      if (row) onTurn(Number(row.dataset.number));
    });
  }

  // Mark the turn after which the board is shown.
  mark(number) {
    for (const row of this.body.querySelectorAll("tr.turn")) {
      const is = Number(row.dataset.number) === number;
      row.classList.toggle("newest", is);
      row.querySelector("button").toggleAttribute("aria-current", is);
    }
    if (number !== this.at) this.bring(this.body.querySelector("tr.newest"));
    this.at = number;
  }

  // Into sight within the list alone: the page stays where the viewer put it.
  bring(row) {
    if (!row) return;
    const list = this.body.closest(".scroll");
    const head = this.body.previousElementSibling?.offsetHeight ?? 0;
    const top = row.offsetTop - head;
    const bottom = row.offsetTop + row.offsetHeight - list.clientHeight + row.offsetHeight;
    if (list.scrollTop > top) list.scrollTop = top;
    else if (list.scrollTop < bottom) list.scrollTop = bottom;
  }

  draw(view) {
    const { game_id, players, turns, adjustments = [], flags: ofGame = [] } = view;
    const key = JSON.stringify([game_id, players, turns, adjustments, ofGame]);
    if (key === this.shown) return;
    this.shown = key;
    const groups = turns.map((turn) => {
      const row = line("turn", turn.side, [
        goTo(turn.number),
        by(players[turn.side].name),
        cell("at", turn.position ?? ""),
        play(turn, view),
        cell("num gained", signed(turn.score)),
        cell("num total", turn.total),
      ]);
      row.dataset.number = turn.number;
      return turn.flags.length ? [row, flags(turn.flags, view)] : [row];
    });
    for (const change of adjustments) {
      const row = line("adjustment", change.side, [
        cell("number"),
        by(players[change.side].name),
        cell("at"),
        adjustment(change, view),
        cell("num gained", signed(change.points)),
        cell("num total", change.total),
      ]);
      (groups[change.after_turn - 1] ?? groups[0] ?? groups[groups.push([]) - 1]).push(row);
    }
    if (ofGame.length) groups.push([flags(ofGame, view)]);
    // Newest first, but what belongs to one turn stays in its order below it.
    this.body.replaceChildren(...groups.reverse().flat());
    this.empty.hidden = turns.length > 0;
  }
}
