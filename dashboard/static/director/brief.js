// What a ruling would change, in a few words.
import { signed } from "../words.js";
import { make } from "./dom.js";
import { SIDES, whole } from "./wording.js";

export const NO_SCORE = "no score changes";

// "left wins by 24" as somebody says it.
export function outcomeText(value, view) {
  const [, winner, rest] = /^(left|right)\b(.*)$/.exec(value) ?? [];
  return winner ? `${view.players[winner].name}${rest}` : value;
}

// What a ruling would change in a few words, for a button. A running clock's time is shown by the clock itself.
export function brief(difference, view, empty) {
  if (empty) return ["nothing changes; the record has a note of it"];
  const lines = [];
  for (const side of SIDES) {
    const [before, after] = difference.scores[side];
    if (before !== after) lines.push(`${view.players[side].name} ${whole(before)} → ${whole(after)}`);
  }
  if (!lines.length) lines.push(NO_SCORE);
  for (const [side, [before, after]] of Object.entries(difference.clocks)) {
    if (side !== difference.stops && side !== view.clocks?.running) lines.push(`${view.players[side].name}’s clock ${before} → ${after}`);
  }
  if (difference.facts.outcome?.[1]) lines.push(outcomeText(difference.facts.outcome[1], view));
  else if (difference.facts.on_turn?.[1]) lines.push(`${view.players[difference.facts.on_turn[1]].name} to play`);
  if (difference.basis) lines.push(`the spread is ${difference.basis}`);
  if (difference.facts.opened) lines.push("the signature counts no more");
  if (difference.stops) lines.push("the clock stops");
  for (const side of SIDES) if (difference.facts[side]) lines.push(difference.facts[side].join(" → "));
  lines.push(...difference.beyond);
  if (difference.turns.length > 1) lines.push(`${difference.turns.length} turns change`);
  const fresh = [...difference.flags_new, ...difference.turns.flatMap((turn) => turn.flags_new)];
  const racks = fresh.filter(({ code }) => code === "rack_unknown").length;
  if (racks) lines.push(racks === 1 ? "a rack is asked for" : "both racks are asked for");
  const flags = fresh.length - racks;
  if (flags) lines.push(flags === 1 ? "raises a flag" : `raises ${flags} flags`);
  return lines;
}

// What each answer that asks nothing more would change, for its button: `found(offer, effect, element)`. A
// refused one has none, nor has any while the table cannot be asked.
export async function foresee(offers, preview, view, found) {
  const whole = offers.filter((offer) => offer.asks.length === 0);
  if (!whole.length) return;
  const answers = await preview(whole.map(({ event }) => event)).catch(() => []);
  answers.forEach((answer, at) => {
    if (!answer.refused) found(whole[at], answer.effect, make("span", { className: "brief", text: brief(answer.difference, view, answer.empty).join("; ") }));
  });
}

// What the scores change by, for a small button: "+3", and both where both change.
export function scoreChange(difference, empty) {
  if (empty) return "now";
  const changes = SIDES.map((side) => difference.scores[side][1] - difference.scores[side][0]).filter(Boolean);
  return changes.length ? changes.map(signed).join(" / ") : "±0";
}
