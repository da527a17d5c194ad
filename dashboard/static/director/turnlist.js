// The turns, newest first, each with what can be done about it.
import { spelledWord } from "../spelling.js";
import { isBlank } from "../tiles.js";
import { deedOf, letters, placeWords, printed, signed } from "../words.js";
import { flagsAbout } from "./attention.js";
import { button, html } from "./dom.js";
import { capital, whole } from "./wording.js";

function play(turn, view, address) {
  const cell = html`<td class="play"></td>`;
  if (turn.position) cell.append(html`<span class="deed" title=${placeWords(turn.position)}>${turn.position} </span>`);
  for (const { symbol, through } of letters(turn, view.rows)) {
    const text = printed(symbol);
    if (through) cell.append(html`<span class="deed">${text}</span>`);
    else if (isBlank(symbol)) cell.append(html`<u title="blank">${text}</u>`);
    else cell.append(text);
  }
  if (turn.kind !== "play")
    cell.append(
      html`<span class="deed">${turn.position ? ` ${deedOf(turn.kind)}` : capital(deedOf(turn.kind))}</span>`,
    );
  const flags = flagsAbout(view, turn.number);
  if (flags.length)
    cell.append(html`<a class="flagged" href=${address} title=${messages(flags)}>${flagText(flags)}</a>`);
  cell.append(by(view.players[turn.side].name));
  return cell;
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

// `correct`: null where nothing can be corrected.
export function drawTurns(body, view, { turn: address, correct }) {
  const rows = view.turns.map((turn) => [
    html`<tr id="turn-${turn.number}" data-row="turn ${turn.number}">
      <td><a href=${address(turn.number)} aria-label="Turn ${turn.number}: its pictures">${turn.number}</a></td>
      ${play(turn, view, address(turn.number))}
      ${number(signed(turn.score))}
      ${number(whole(turn.total))}
      <td class="do">
        <a
          class="button small"
          href=${address(turn.number)}
          aria-label="Pictures of turn ${turn.number}"
          title="Pictures"
        >
          Pictures
        </a> ${
          correct &&
          button("Correct…", () => correct(turn.number), {
            class: "button small",
            "aria-label": `Correct turn ${turn.number}`,
            title: "Correct",
            "data-correct": turn.number,
          })
        }
      </td>
    </tr>`,
  ]);
  for (const line of view.adjustments) {
    const row = html`<tr class="adjustment">
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
    (rows[line.after_turn - 1] ?? rows[0] ?? rows[rows.push([]) - 1]).unshift(row);
  }
  body.replaceChildren(...rows.reverse().flat());
}
