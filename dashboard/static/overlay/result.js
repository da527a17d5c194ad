// The result, once it is final: racks and time are in it, and nothing will be undone.

import { hasWon, isFinal, undecided } from "../spoken.js";
import { fitFolded, fitNames } from "./fold.js";
import { inLine } from "./in_line.js";

function verdict(view) {
  const { kind, winner, margin } = view.outcome ?? {};
  if (!winner) return kind === "played" ? "A tie" : "";
  const how = kind === "played" && undecided(view) ? "leads" : "wins";
  const text = `${inLine(view.players[winner].name)} ${how}${margin ? ` by ${margin}` : ""}`;
  if (kind === "resigned")
    return `${text}: ${inLine(view.players[winner === "left" ? "right" : "left"].name)} resigned`;
  return kind === "played" ? text : `${text} (forfeit)`;
}

// A game that was not played to its end says so.
const EARLY = {
  agreed: "ended by agreement",
  director: "ended by the director",
  shortened: "cut short",
  "an example": "an example",
};

function headline({ provisional, outcome, end_reason: reason }) {
  if (provisional) return "Result, not yet final";
  return outcome?.kind === "played" && EARLY[reason] ? `Final result, ${EARLY[reason]}` : "Final result";
}

export function drawResult(panel, view, about) {
  panel.hidden = !isFinal(view);
  if (panel.hidden) return;
  panel.querySelector(".headline").textContent = headline(view);
  for (const [side, { name, score }] of Object.entries(view.players)) {
    const line = panel.querySelector(`.line[data-side=${side}]`);
    line.classList.toggle("won", hasWon(view, side));
    about(line.querySelector(".about"), name);
    line.querySelector(".points").textContent = score;
  }
  fitNames(
    Object.entries(view.players).map(([side, { name }]) => [
      panel.querySelector(`.line[data-side=${side}] .name`),
      name,
    ]),
  );
  fitFolded(panel.querySelector(".verdict"), verdict(view));
}
