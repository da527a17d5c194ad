// The course of a game: the spread after each turn as a bar, as `spread_bars` in Python draws it.
import { totals } from "./replay.js";

const MOST = 150;
const LEAST_TURNS = 24;

// `bingos`: the numbers of turns to be marked, where the drawing has a place for the marks.
export function drawBars(svg, spreads, bingos = []) {
  const turns = spreads.slice(1);
  const high = (lead) => (-50 * Math.max(-1, Math.min(1, lead / MOST))).toFixed(1);
  const wide = 100 / Math.max(LEAST_TURNS, turns.length);
  const across = (wide * 0.86).toFixed(1);
  const bar = (lead, at) => `M${(wide * at).toFixed(1)} 0h${across}v${high(lead)}h-${across}z`;
  const ahead = { left: (lead) => lead > 0, right: (lead) => lead < 0 };
  const path = (side) => turns.map((lead, at) => (ahead[side](lead) ? bar(lead, at) : "")).join("");
  for (const side of ["left", "right"]) svg.querySelector(`[data-side=${side}]`).setAttribute("d", path(side));
  const marks = bingos.map((number) => `M${(wide * (number - 0.57)).toFixed(1)} 0h0`).join("");
  svg.querySelector(".bingos")?.setAttribute("d", marks);
}

// The turn at a place across the drawing, from 0 to 1.
export const turnAt = (share, count) => Math.min(count, Math.ceil(share * Math.max(LEAST_TURNS, count)));

export function spreadsOf(view) {
  const spread = ({ left, right }) => left.score - right.score;
  const now = view.turns.map((_, at) => {
    const turns = view.turns.slice(0, at + 1);
    const known = at + 1 < view.turns.length ? at + 1 : at;
    return spread(
      totals(
        view,
        turns,
        (view.adjustments ?? []).filter((line) => line.after_turn <= known),
      ),
    );
  });
  const found = [0, ...now];
  return found.at(-1) === spread(view.players) ? found : [...found, spread(view.players)];
}
