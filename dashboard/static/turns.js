// The list of turns, newest first or in the order of play, as the viewer likes.

import { passed } from "./clock.js";
import { html } from "./html.js";
import { spelledWord } from "./spelling.js";
import { store, stored } from "./stored.js";
import { gettext } from "./texts.js";
import { isBlank } from "./tiles.js";
import { deed, deedOf, letters, placeWords, printed, signed } from "./words.js";

// On a phone the initials stand for the name; a screen reader has the name in either case. A name that is
// too long is cut at its end.
function by(name) {
  const initials = name
    .split(/[\s.,'-]+/u)
    .filter(Boolean)
    .map((part) => [...part][0].toUpperCase())
    .slice(0, 3)
    .join("");
  return html`<td class="by" title=${name} dir="auto">
    <span class="initials" aria-hidden="true">${initials}</span>
    <span class="full">${name}</span>
  </td>`;
}

function letter({ symbol, through }) {
  if (through) return html`<span class="through">${printed(symbol)}</span>`;
  return isBlank(symbol)
    ? html`<span class="as-blank" title=${gettext("blank")}>${printed(symbol)}</span>`
    : html`<span>${printed(symbol)}</span>`;
}

function play(turn, view) {
  return html`<td class="play">
    ${letters(turn, view.rows).map(letter)}
    ${turn.phoney && html`<span class="deed"> ${gettext("phoney")}</span>`}
    ${turn.kind !== "play" && html`<span class="deed">${turn.word ? ` ${deedOf(turn.kind)}` : deed(turn.kind)}</span>`}
    ${marks(turn)}
  </td>`;
}

function adjustment(change, view) {
  return html`<td class="play">
    <span class="deed" title=${change.why ?? ""}>${deed(change.kind)}</span>
    ${change.tiles && html`<span class="left-over"> ${spelledWord(change.tiles)}</span>`}
    ${change.rule && ruleOf(change.rule, view)}
  </td>`;
}

function ruleOf(rule, view) {
  return html`<span class="rule" title=${view.rulebook.name}>${gettext("Rule %(number)s", { number: rule })}</span>`;
}

function mark(className, text, title) {
  return html`<span class="mark-note ${className}" title=${title}>${text}</span>`;
}

function marks(turn) {
  return [
    turn.bingo > 0 &&
      turn.kind === "play" &&
      mark("bingo", gettext("Bingo"), gettext("All tiles of the rack: %(points)s points more", { points: turn.bingo })),
    turn.corrected && mark("corrected", gettext("corrected"), gettext("Corrected by the director")),
    turn.lost && mark("lost", gettext("pictures lost"), lostText(turn)),
    turn.checking && mark("asked", gettext("being checked"), gettext("The director is asked about this turn")),
  ];
}

// "Pictures were lost: 12 s, up to 3 s before the press (40 dropped). No fault of the players".
function lostText(turn) {
  const spans = turn.lost.map(({ from_ns: from, until_ns: until, dropped }) => {
    const end = Math.round(until / 1e9 - turn.press_ms / 1e3);
    const when =
      end < 0
        ? gettext("until %(seconds)s s before the press", { seconds: -end })
        : end > 0
          ? gettext("until %(seconds)s s after the press", { seconds: end })
          : gettext("until the press");
    const which = dropped ? `, ${gettext("%(number)s dropped", { number: dropped })}` : "";
    const seconds = Math.max(1, Math.round((until - from) / 1e9));
    return `${gettext("for %(seconds)s s", { seconds })}, ${when}${which}`;
  });
  return gettext("Pictures were lost %(when)s. That is no fault of the players", { when: spans.join("; ") });
}

function notes(flagged, view) {
  return html`<tr class="flag">
    <td colspan="7">
      <ul class="flags">
        ${flagged.map((flag) => html`<li><span>${flag.message}</span>${flag.rule && ruleOf(flag.rule, view)}</li>`)}
      </ul>
    </td>
  </tr>`;
}

// The number is a button that shows the board as it was then.
function played(turn, view) {
  return html`<tr class="turn" data-side=${turn.side} data-number=${turn.number} data-row="turn ${turn.number}">
    <td class="number">
      <button type="button" aria-label=${gettext("Turn %(number)s: show the board after it", turn)}>
        ${turn.number}
      </button>
    </td>
    ${by(view.players[turn.side].name)}
    <td class="at" title=${placeWords(turn.position ?? "")}>${turn.position}</td>
    ${play(turn, view)}
    <td class="num used">${turn.used_ns !== undefined && passed(turn.used_ns)}</td>
    <td class="num gained">${signed(turn.score)}</td>
    <td class="num total">${turn.total}</td>
  </tr>`;
}

const ORDER = "turns-in-order";

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
    this.inOrder = stored(ORDER) === "yes";
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr.turn");
      if (row) onTurn(Number(row.dataset.number), event.detail > 0);
    });
    order.addEventListener("click", () => {
      this.inOrder = !this.inOrder;
      store(ORDER, this.inOrder ? "yes" : "no");
      this.shown = "";
      this.draw(this.view);
      this.mark(this.at, true);
    });
    this.drawOrder();
  }

  drawOrder() {
    this.order.textContent = this.inOrder ? gettext("Order: first turn first") : gettext("Order: newest first");
    this.order.setAttribute("aria-label", `${this.order.textContent}. ${gettext("Turn the list round")}`);
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
      const row = played(turn, view);
      const noted = turn.flags.filter((flag) => flag.announced);
      groups.push(noted.length ? [row, notes(noted, view)] : [row], ...adjustmentsAfter(turn.number, view));
    }
    const noted = ofGame.filter((flag) => flag.announced);
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
      html`<tr class="adjustment" data-side=${change.side}>
        <td class="number"></td>
        ${by(view.players[change.side].name)}
        <td class="at"></td>
        ${adjustment(change, view)}
        <td class="num used"></td>
        <td class="num gained">${signed(change.points)}</td>
        <td class="num total">${change.total}</td>
      </tr>`,
    ]);
}
