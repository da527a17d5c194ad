// What a ruling would change, in a table: shown before it is made.
import { spelled } from "../spelling.js";
import { deedOf, printed, signed } from "../words.js";
import { outcomeText } from "./brief.js";
import { html } from "./dom.js";
import { ended, SIDES, symbolText, whole } from "./wording.js";

const FACTS = {
  left: "Left",
  right: "Right",
  status: "The game",
  end_reason: "How it ends",
  on_turn: "On turn",
  bag_count: "In the bag",
  outcome: "Result",
  spread: "Points on the spread only",
  final: "The result",
  opened: "The signature",
};
const STATUS = { waiting: "not begun", running: "going on", ended: "over" };

const isNothing = (value) => value === null || value === undefined || value === "";

function change(before, after) {
  const to = html`<ins>${isNothing(after) ? "–" : after}</ins>`;
  return isNothing(before) ? [to] : [html`<del>${before}</del>`, " → ", to];
}

function scoreLine(side, [before, after], view) {
  const diff = after - before;
  return html`<span>
    ${view.players[side].name} ${diff ? [html`<del>${whole(before)}</del>`, " → "] : []}
    <span class="to">${whole(after)}</span>
    ${diff ? ` (${signed(diff)})` : " as before"}
  </span>`;
}

function shownWord(word) {
  return [...word].map((symbol) => (symbol === "#" || symbol === "~" ? printed(symbol) : spelled(symbol))).join("");
}

function points(value) {
  return typeof value === "number" ? whole(value) : value;
}

function pair(turn, name) {
  const before = turn.before?.[name];
  const after = turn.after?.[name];
  return before === undefined && after === undefined ? null : [before, after];
}

function turnRow(turn, view) {
  const kind = pair(turn, "kind");
  const word = pair(turn, "word");
  const what = [];
  if (word && word[0] !== word[1]) what.push(...change(word[0] && shownWord(word[0]), word[1] && shownWord(word[1])));
  if (kind) what.push(what.length ? ", " : "", ...change(kind[0] && deedOf(kind[0]), kind[1] && deedOf(kind[1])));
  for (const flag of turn.flags_gone) what.push(html`<div><del>${flag.message}</del></div>`);
  for (const flag of turn.flags_new) what.push(html`<div><ins>${flag.message}</ins></div>`);
  if (!what.length && turn.word) what.push(shownWord(turn.word.toUpperCase()));
  const score = pair(turn, "score");
  const total = pair(turn, "total");
  return html`<tr>
    <td>${turn.number}</td>
    <td>${view.players[turn.side].name}</td>
    <td>${what}</td>
    <td class="num">${score ? change(...score.map(points)) : []}</td>
    <td class="num">${total ? change(...total.map(points)) : []}</td>
  </tr>`;
}

function people(name, value, view) {
  if (value === null || value === undefined) return value;
  if (name === "on_turn") return view.players[value].name;
  if (name === "outcome") return outcomeText(value, view);
  if (name === "end_reason") return ended(value);
  if (name === "final") return value ? "final" : "not yet final";
  if (name === "opened") return value ? "counts no more; both sign again" : null;
  if (name === "status") return STATUS[value] ?? value;
  if (name === "spread") return SIDES.map((side) => `${view.players[side].name} ${signed(value[side])}`).join(", ");
  return value;
}

// The whole of it, for a dialog.
export function effect(difference, view, empty) {
  if (empty) return html`<div class="effect"><h3>Nothing in the game changes; the record has a note of it.</h3></div>`;
  const lines = factLines(difference, view);
  return html`<div class="effect">
    <h3>What changes</h3>
    <p class="scores">${SIDES.map((side) => scoreLine(side, difference.scores[side], view))}</p>
    ${lines.length > 0 && html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
    ${difference.turns.length > 0 && turnTable(difference.turns, view)}
  </div>`;
}

function factLines(difference, view) {
  const clock = (side) => `${view.players[side].name}’s clock: `;
  const { squares, stops, clocks, facts, basis, beyond } = difference;
  return [
    ...Object.entries(squares).map(([square, [before, after]]) => [
      `${square}: `,
      change(symbolText(before), symbolText(after)),
    ]),
    ...(stops ? [[clock(stops), html`<ins>stops when this is entered</ins>`]] : []),
    ...Object.entries(clocks)
      .filter(([side]) => side !== stops)
      .map(([side, [before, after]]) => [clock(side), change(before, after)]),
    ...Object.entries(facts).map(([name, values]) => [
      `${FACTS[name] ?? name}: `,
      change(...values.map((value) => people(name, value, view))),
    ]),
    ...(basis ? [`The spread is ${basis}.`] : []),
    ...difference.flags_gone.map((flag) => html`<del>${flag.message}</del>`),
    ...difference.flags_new.map((flag) => html`<ins>${flag.message}</ins>`),
    ...beyond.map((line) => html`<ins>${line}</ins>`),
  ];
}

function turnTable(turns, view) {
  const head = ["Turn", "Player", "Play", "Score", "Total"].map(
    (text, at) => html`<th scope="col" class=${at > 2 ? "num" : ""}>${text}</th>`,
  );
  return html`<div class="scroll">
    <table>
      <thead><tr>${head}</tr></thead>
      <tbody>${turns.map((turn) => turnRow(turn, view))}</tbody>
    </table>
  </div>`;
}
