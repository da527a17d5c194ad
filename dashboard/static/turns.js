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
  if (turn.kind !== "play") {
    const span = document.createElement("span");
    span.className = "deed";
    span.textContent = turn.word ? ` ${deed(turn.kind)}` : deed(turn.kind);
    td.append(span);
  }
  return td;
}

function flags(turn, view) {
  const row = document.createElement("tr");
  row.className = "flag";
  const td = document.createElement("td");
  td.colSpan = 6;
  const list = document.createElement("ul");
  list.className = "flags";
  for (const flag of turn.flags) {
    const item = document.createElement("li");
    const code = document.createElement("code");
    code.textContent = flag.code.replaceAll("_", " ");
    const message = document.createElement("span");
    message.textContent = flag.message;
    item.append(code, message);
    if (flag.rule) {
      const rule = document.createElement("span");
      rule.className = "rule";
      rule.textContent = `Rule ${flag.rule}`;
      rule.title = view.rulebook.name;
      item.append(rule);
    }
    list.append(item);
  }
  td.append(list);
  row.append(td);
  return row;
}

export class TurnList {
  constructor(body, empty) {
    this.body = body;
    this.empty = empty;
    this.shown = "";
  }

  draw(view) {
    const key = JSON.stringify([view.game_id, view.players, view.turns]);
    if (key === this.shown) return;
    this.shown = key;
    const rows = view.turns.flatMap((turn, index) => {
      const row = document.createElement("tr");
      row.dataset.side = turn.side;
      row.dataset.number = turn.number;
      row.append(
        cell("number", turn.number),
        by(view.players[turn.side].name),
        cell("at", turn.position ?? ""),
        play(turn, view),
        cell("num gained", signed(turn.score)),
        cell("num total", turn.total),
      );
      const group = turn.flags.length ? [row, flags(turn, view)] : [row];
      if (index === view.turns.length - 1) for (const each of group) each.classList.add("newest");
      return [group];
    });
    this.body.replaceChildren(...rows.reverse().flat());
    this.empty.hidden = view.turns.length > 0;
  }
}
