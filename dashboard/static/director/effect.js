// What a ruling would change, in a table: shown before it is made.
import { spelled } from "../spelling.js";
import { deedOf, printed, signed } from "../words.js";
import { outcomeText } from "./brief.js";
import { make } from "./dom.js";
import { ended, symbolText, whole } from "./wording.js";

const FACTS = { left: "Left", right: "Right", status: "The game", end_reason: "How it ends", on_turn: "On turn", bag_count: "In the bag", outcome: "Result", spread: "Points on the spread only", final: "The result", opened: "The signature" };
const STATUS = { waiting: "not begun", running: "going on", ended: "over" };

function change(before, after) {
  const from = before === null || before === undefined || before === "" ? null : make("del", { text: before });
  const to = make("ins", { text: after === null || after === undefined || after === "" ? "–" : after });
  return from ? [from, " → ", to] : [to];
}

function scoreLine(side, [before, after], view) {
  const diff = after - before;
  return make(
    "span",
    {},
    `${view.players[side].name} `,
    ...(diff ? [make("del", { text: whole(before) }), " → "] : []),
    make("span", { className: "to", text: whole(after) }),
    diff ? ` (${signed(diff)})` : " as before",
  );
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
  for (const flag of turn.flags_gone) what.push(make("div", {}, make("del", { text: flag.message })));
  for (const flag of turn.flags_new) what.push(make("div", {}, make("ins", { text: flag.message })));
  if (!what.length && turn.word) what.push(shownWord(turn.word.toUpperCase()));
  const score = pair(turn, "score");
  const total = pair(turn, "total");
  return make(
    "tr",
    {},
    make("td", { text: turn.number }),
    make("td", { text: view.players[turn.side].name }),
    make("td", {}, ...what),
    make("td", { className: "num" }, ...(score ? change(...score.map(points)) : [])),
    make("td", { className: "num" }, ...(total ? change(...total.map(points)) : [])),
  );
}

function people(name, value, view) {
  if (value === null || value === undefined) return value;
  if (name === "on_turn") return view.players[value].name;
  if (name === "outcome") return outcomeText(value, view);
  if (name === "end_reason") return ended(value);
  if (name === "final") return value ? "final" : "not yet final";
  if (name === "opened") return value ? "counts no more; both sign again" : null;
  if (name === "status") return STATUS[value] ?? value;
  if (name === "spread") return ["left", "right"].map((side) => `${view.players[side].name} ${signed(value[side])}`).join(", ");
  return value;
}

// The whole of it, for a dialog.
export function effect(difference, view, empty) {
  const box = make("div", { className: "effect" });
  box.append(make("h3", { text: empty ? "Nothing in the game changes; the record has a note of it." : "What changes" }));
  if (empty) return box;
  box.append(make("p", { className: "scores" }, ...["left", "right"].map((side) => scoreLine(side, difference.scores[side], view))));
  const lines = [];
  for (const [square, [before, after]] of Object.entries(difference.squares)) lines.push(make("li", {}, `${square}: `, ...change(symbolText(before), symbolText(after))));
  if (difference.stops) lines.push(make("li", {}, `${view.players[difference.stops].name}’s clock: `, make("ins", { text: "stops when this is entered" })));
  for (const [side, [before, after]] of Object.entries(difference.clocks)) {
    if (side !== difference.stops) lines.push(make("li", {}, `${view.players[side].name}’s clock: `, ...change(before, after)));
  }
  for (const [name, [before, after]] of Object.entries(difference.facts)) lines.push(make("li", {}, `${FACTS[name] ?? name}: `, ...change(people(name, before, view), people(name, after, view))));
  if (difference.basis) lines.push(make("li", { text: `The spread is ${difference.basis}.` }));
  for (const flag of difference.flags_gone) lines.push(make("li", {}, make("del", { text: flag.message })));
  for (const flag of difference.flags_new) lines.push(make("li", {}, make("ins", { text: flag.message })));
  for (const line of difference.beyond) lines.push(make("li", {}, make("ins", { text: line })));
  if (lines.length) box.append(make("ul", {}, ...lines));
  if (difference.turns.length) {
    const head = ["Turn", "Player", "Play", "Score", "Total"].map((text, at) => make("th", { scope: "col", className: at > 2 ? "num" : "", text }));
    box.append(
      make(
        "div",
        { className: "scroll" },
        make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...difference.turns.map((turn) => turnRow(turn, view)))),
      ),
    );
  }
  return box;
}
