// What a ruling would change, in a few words.
import { signed } from "../words.js";
import { html } from "./dom.js";
import { SIDES, whole } from "./wording.js";

export const NO_SCORE = "no score changes";

// "left wins by 24" as somebody says it.
export function outcomeText(value, view) {
  const [, winner, rest] = /^(left|right)\b(.*)$/.exec(value) ?? [];
  return winner ? `${view.players[winner].name}${rest}` : value;
}

function scoreLines({ scores }, players) {
  const lines = SIDES.filter((side) => scores[side][0] !== scores[side][1]).map(
    (side) => `${players[side].name} ${scores[side].map(whole).join(" → ")}`,
  );
  return lines.length ? lines : [NO_SCORE];
}

function clockLines({ clocks, stops }, view) {
  return Object.entries(clocks)
    .filter(([side]) => side !== stops && side !== view.clocks?.running)
    .map(([side, times]) => `${view.players[side].name}’s clock ${times.join(" → ")}`);
}

function turnOrResult({ outcome, on_turn: next }, view) {
  if (outcome?.[1]) return outcomeText(outcome[1], view);
  return next?.[1] && `${view.players[next[1]].name} to play`;
}

export const newFlags = ({ flags_new: ofGame, turns }) => [...ofGame, ...turns.flatMap((turn) => turn.flags_new)];

function flagLines(difference) {
  const fresh = newFlags(difference);
  const racks = fresh.filter(({ code }) => code === "rack_unknown").length;
  const flags = fresh.length - racks;
  return [
    racks && (racks === 1 ? "a rack is asked for" : "both racks are asked for"),
    flags && (flags === 1 ? "raises a flag" : `raises ${flags} flags`),
  ];
}

// What a ruling would change in a few words, for a button. A running clock's time is shown by the clock itself.
export function brief(difference, view, empty) {
  if (empty) return ["nothing changes; the record has a note of it"];
  const { facts, basis, stops, beyond, turns } = difference;
  return [
    ...scoreLines(difference, view.players),
    ...clockLines(difference, view),
    turnOrResult(facts, view),
    basis && `the spread is ${basis}`,
    facts.opened && "the signature counts no more",
    stops && "the clock stops",
    ...SIDES.map((side) => facts[side]?.join(" → ")),
    ...beyond,
    turns.length > 1 && `${turns.length} turns change`,
    ...flagLines(difference),
  ].filter(Boolean);
}

// What each answer that asks nothing more would change, for its button: `found(offer, effect, element)`. A
// refused one has none, nor has any while the table cannot be asked.
export async function foresee(offers, preview, view, found) {
  const whole = offers.filter((offer) => offer.asks.length === 0);
  if (!whole.length) return;
  const answers = await preview(whole.map(({ event }) => event)).catch(() => []);
  answers.forEach((answer, at) => {
    if (!answer.refused)
      found(
        whole[at],
        answer.effect,
        html`<span class="brief">${brief(answer.difference, view, answer.empty).join("; ")}</span>`,
      );
  });
}

const changeOf = ({ difference: { scores } }, side) => scores[side][1] - scores[side][0];

export const scoring = (choices) => SIDES.filter((side) => choices.some((one) => changeOf(one, side)));

// For a small button: "+3", and "+9 / ±0" of two players.
export const scoreChange = (one, sides) =>
  one.empty
    ? "now"
    : sides
        .map((side) => changeOf(one, side))
        .map((by) => (by ? signed(by) : "±0"))
        .join(" / ") || "±0";
