// The turns, newest first, each with what can be done about it.
import { spelledWord } from "../spelling.js";
import { isBlank } from "../tiles.js";
import { deedOf, letters, placeWords, printed, signed } from "../words.js";
import { flagsAbout } from "./attention.js";
import { button, html } from "./dom.js";
import { capital, whole } from "./wording.js";

function tile({ symbol, through }) {
  const text = printed(symbol);
  if (through) return html`<span class="deed">${text}</span>`;
  return isBlank(symbol) ? html`<u title="blank">${text}</u>` : text;
}

function play(turn, view, address) {
  const { position, kind } = turn;
  const flags = flagsAbout(view, turn.number);
  return html`<td class="play">
    ${position && html`<span class="deed" title=${placeWords(position)}>${position} </span>`}
    ${letters(turn, view.rows).map(tile)}
    ${kind !== "play" && html`<span class="deed">${position ? ` ${deedOf(kind)}` : capital(deedOf(kind))}</span>`}
    ${flags.length > 0 && html`<a class="flagged" href=${address} title=${messages(flags)}>${flagText(flags)}</a>`}
    ${by(view.players[turn.side].name)}
  </td>`;
}

const messages = (flags) => flags.map(({ message }) => message).join("\n");

// A flag with nothing left to decide needs nobody.
function flagText(flags) {
  const open = flags.filter(({ remedies }) => remedies.some((one) => one.open)).length;
  return open ? `${open} ${open === 1 ? "flag" : "flags"}` : "noted";
}

// Whose line it is, below what was played.
function by(name) {
  return html`<span class="by">${name}</span>`;
}

const number = (text) => html`<td class="num">${text}</td>`;

function row(turn, view, address, correct) {
  const correcting = button("Correct…", () => correct(turn.number), {
    class: "button small",
    "aria-label": `Correct turn ${turn.number}`,
    title: "Correct",
    "data-correct": turn.number,
  });
  const pictures = `Pictures of turn ${turn.number}`;
  return html`<tr id="turn-${turn.number}" data-row="turn ${turn.number}">
    <td><a href=${address} aria-label="Turn ${turn.number}: its pictures">${turn.number}</a></td>
    ${play(turn, view, address)}
    ${number(signed(turn.score))}
    ${number(whole(turn.total))}
    <td class="do">
      <a class="button small" href=${address} aria-label=${pictures} title="Pictures">Pictures</a>
      ${correct && [" ", correcting]}
    </td>
  </tr>`;
}

// `correct`: null where nothing can be corrected.
export function drawTurns(body, view, { turn: address, correct }) {
  const rows = view.turns.map((turn) => [row(turn, view, address(turn.number), correct)]);
  for (const line of view.adjustments) {
    const adjustment = html`<tr class="adjustment">
      <td></td>
      <td>
        ${[
          [deedOf(line.kind), line.tiles ? `(${spelledWord(line.tiles)})` : ""].filter(Boolean).join(" "),
          line.rule ? `rule ${line.rule}` : "",
          line.why,
        ]
          .filter(Boolean)
          .join(", ")}
        ${by(view.players[line.side].name)}
      </td>
      ${number(signed(line.points))}
      ${number(whole(line.total))}
      <td></td>
    </tr>`;
    // Newest first: what came after a turn stands above it.
    (rows[line.after_turn - 1] ?? rows[0] ?? rows[rows.push([]) - 1]).unshift(adjustment);
  }
  body.replaceChildren(...rows.reverse().flat());
}
