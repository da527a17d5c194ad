// A line on the game before the one on the table, while it lacks something.
import { newNamesDeed } from "./actions.js";
import { openQuestions, resultText, scoreText } from "./result.js";

const closedKey = (game) => `tilewatch.closed:${game}`;

// Whether somebody has closed the line about a game.
export function closedBefore(game) {
  return sessionStorage.getItem(closedKey(game)) !== null;
}

// Another game has come on the table: the one before it stays a click away, and says what it lacks
// until that is closed.
export function drawPrevious(note, earlier) {
  if (earlier === null || closedBefore(earlier.view.game_id)) return;
  const { view, signed } = earlier;
  note.querySelector("button").onclick = () => {
    sessionStorage.setItem(closedKey(view.game_id), "yes");
    note.hidden = true;
  };
  const open = openQuestions(earlier);
  const lacks = [
    newNamesDeed(view) ? "players not named" : "",
    signed === null ? "not signed" : "",
    open ? `${open} ${open === 1 ? "question" : "questions"} open` : "",
  ].filter(Boolean);
  // Who has won is plain from the score, but for a game that was forfeited.
  const result = view.status === "ended" && view.outcome?.kind !== "played" ? `. ${resultText(view, open)}` : "";
  note.querySelector("span").textContent =
    `The game before${lacks.length ? `, ${lacks.join(", ")}` : ""}: ${scoreText(view)}${result}.`;
  note.querySelector("a").href = `${location.pathname}?game=${encodeURIComponent(view.game_id)}`;
  note.hidden = false;
}
