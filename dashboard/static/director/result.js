// How a game has ended: who has won and by how much, and what may still change that.
import { capital, ended, other, SIDES, whole } from "./wording.js";

// How many questions about the game nobody has answered yet.
export function openQuestions(record) {
  return record.concerns.filter(({ level }) => level === "question").length;
}

// The result as somebody says it, e.g. "Ann wins by 24"; `open`: how many questions are.
export function resultText(view, open = 0) {
  if (view.no_result) return "No result";
  const { kind, winner, margin, loss } = view.outcome ?? {};
  const by = margin === null || margin === undefined ? "" : ` by ${whole(margin)}`;
  const lost = loss ? `, ${view.players[other(winner)].name} loses by ${whole(loss)}` : "";
  if (winner && (open || view.provisional || !view.final) && kind === "played")
    return `${view.players[winner].name} leads${by}, not yet final`;
  if (winner) return `${view.players[winner].name} wins${by}${lost}`;
  if (kind === "both_absent") return "Neither player came";
  return kind === "played" ? "A tie" : "The director says who has won";
}

// How it ended; where somebody lost without being behind, who and why.
export function endText({ end_reason: reason, outcome, players, turns }) {
  const last = turns.findLast(({ tiles }) => Object.keys(tiles).length);
  if (reason === "out" && last?.kind === "play")
    return capital(ended(reason).replace(/^a player/, players[last.side].name));
  const cause = reason?.startsWith("forfeit_") && outcome?.winner ? players[other(outcome.winner)].name : null;
  return cause ? `${cause} ${ended(reason)}` : capital(ended(reason));
}

// The final scores as they stand on the board.
export function scoreText({ players: { left, right } }) {
  return `${left.name} ${whole(left.score)} : ${whole(right.score)} ${right.name}`;
}

export function scoresText(view) {
  const { basis } = view.outcome ?? {};
  const kept = basis && !view.adjustments.length ? "The scores stay as they were made" : "The scores";
  return `${kept}: ${scoreText(view)}.${basis ? ` The spread is ${basis}.` : ""}`;
}

// A score that open questions may still change says so.
export function drawOpen(cards, { concerns }) {
  for (const side of SIDES) {
    const mine = concerns.filter((one) => one.level === "question" && one.side === side).length;
    const mark = cards[side].querySelector(".open");
    mark.hidden = mine === 0;
    mark.textContent = `${mine} open`;
    mark.title =
      mine === 1
        ? "A question about a play of this score is open"
        : `${mine} questions about plays of this score are open`;
  }
}
