// The turns, newest first, each with what can be done about it.
import { spelledWord } from "../spelling.js";
import { deedOf, letters, placeWords, printed, signed } from "../words.js";
import { isBlank } from "../tiles.js";
import { flagsAbout } from "./attention.js";
import { button, make } from "./dom.js";
import { capital, whole } from "./wording.js";

function play(turn, view, address) {
  const cell = make("td", { className: "play" });
  if (turn.position) cell.append(make("span", { className: "deed", title: placeWords(turn.position), text: `${turn.position} ` }));
  for (const { symbol, through } of letters(turn, view.rows)) {
    const text = printed(symbol);
    if (through) cell.append(make("span", { className: "deed", text }));
    else if (isBlank(symbol)) cell.append(make("u", { title: "blank", text }));
    else cell.append(text);
  }
  if (turn.kind !== "play") cell.append(make("span", { className: "deed", text: turn.position ? ` ${deedOf(turn.kind)}` : capital(deedOf(turn.kind)) }));
  const flags = flagsAbout(view, turn.number);
  if (flags.length) cell.append(make("a", { className: "flagged", href: address, title: flags.map((flag) => flag.message).join("\n"), text: flagText(flags) }));
  cell.append(by(view.players[turn.side].name));
  return cell;
}

// A flag with nothing left to decide needs nobody.
function flagText(flags) {
  const open = flags.filter(({ remedies }) => remedies.some((one) => one.open)).length;
  return open ? `${open} ${open === 1 ? "flag" : "flags"}` : "noted";
}

// Whose line it is, below what was played.
function by(name) {
  return make("span", { className: "by", text: name });
}

const number = (text) => make("td", { className: "num", text });

// `correct`: null where nothing can be corrected.
export function drawTurns(body, view, { turn: address, correct }) {
  const rows = view.turns.map((turn) => [
    make(
      "tr",
      { id: `turn-${turn.number}`, data: { row: `turn ${turn.number}` } },
      make("td", {}, make("a", { href: address(turn.number), "aria-label": `Turn ${turn.number}: its pictures`, text: turn.number })),
      play(turn, view, address(turn.number)),
      number(signed(turn.score)),
      number(whole(turn.total)),
      make(
        "td",
        { className: "do" },
        make("a", { className: "button small", href: address(turn.number), "aria-label": `Pictures of turn ${turn.number}`, title: "Pictures", text: "Pictures" }),
        " ",
        correct && button("Correct…", () => correct(turn.number), { className: "button small", "aria-label": `Correct turn ${turn.number}`, title: "Correct", data: { correct: turn.number } }),
      ),
    ),
  ]);
  for (const line of view.adjustments) {
    const row = make(
      "tr",
      { className: "adjustment" },
      make("td"),
      make("td", { text: [[deedOf(line.kind), line.tiles ? `(${spelledWord(line.tiles)})` : ""].filter(Boolean).join(" "), line.rule ? `rule ${line.rule}` : "", line.why].filter(Boolean).join(", ") }, by(view.players[line.side].name)),
      number(signed(line.points)),
      number(whole(line.total)),
      make("td"),
    );
    // Newest first: what came after a turn stands above it.
    (rows[line.after_turn - 1] ?? rows[0] ?? rows[rows.push([]) - 1]).unshift(row);
  }
  body.replaceChildren(...rows.reverse().flat());
}
