// What was done last, or why it could not be: a line on the page, with a button to undo.
import { Refused } from "./api.js";
import { $ } from "./dom.js";
import { SIDES, sentence, whole } from "./wording.js";

export class Outcome {
  constructor() {
    this.undoable = null; // {about, number}: of which game, and which of its events
    this.view = null; // what the page shows
    this.stopped = null; // the game whose clock was stopped from here, {id, stands: whether a view has shown it}
    this.line = null; // {text, score, turns: after how many it was written}
  }

  // `about`: the game that it was done to; `scores`: of each side, before and after. Null where they are the
  // same; else the sentence on them, with the players where the page shows another game by now.
  score({ id, view: { players } }, { left, right }) {
    if (left[0] === left[1] && right[0] === right[1]) return null;
    const shown = this.view?.game_id === id;
    const score = shown
      ? `${whole(left[1])} : ${whole(right[1])}`
      : `${players.left.name} ${whole(left[1])} : ${whole(right[1])} ${players.right.name}`;
    return { sentence: ` The score is now ${score}.`, after: { left: left[1], right: right[1] }, shown: false };
  }

  // `score`: the sentence on it stands until the next turn, or until something else changes the score.
  // `fleeting`: so does the whole line, and there is nothing to undo.
  show(text, { score = null, undoable = null, fleeting = false } = {}) {
    this.undoable = undoable;
    this.line = { text, score, fleeting, turns: this.view?.turns.length };
    $("#done").hidden = false;
    this.draw();
    $("#undo").hidden = undoable === null;
    $("#fault").hidden = true;
  }

  reword(text) {
    if (this.line === null) return; // read and put away
    this.line.text = text;
    this.draw();
  }

  draw() {
    $("#done p").textContent = `${this.line.text}${this.line.score?.sentence ?? ""}`;
  }

  hide() {
    $("#done").hidden = true;
    this.undoable = null;
    this.line = null;
  }

  // While the table is asked to take it back, the button says so.
  undoing(on) {
    $("#undo").disabled = on;
    $("#undo").textContent = on ? "Taking it back …" : "Undo";
  }

  fail(error) {
    $("#fault").textContent =
      error instanceof Refused
        ? sentence(error.message)
        : "The table cannot be reached. Once it is back, look at what was ruled before you try again.";
    $("#fault").hidden = false;
  }

  // A clock that was stopped from here and was started by somebody else.
  restarted({ game_id: id, clocks, players }) {
    if (this.stopped?.id !== id) return;
    if (!clocks?.running) this.stopped.stands = true;
    else if (this.stopped.stands) {
      this.stopped = null;
      this.show(
        "The clock that you stopped runs again, and was not started from this page: " +
          `${players[clocks.running].name} is on turn.`,
        { fleeting: true },
      );
    }
  }

  // The page shows `view` from now on.
  shows(view) {
    const another = this.view !== null && this.view.game_id !== view.game_id;
    this.view = view;
    this.restarted(view);
    // What was done to the game before it is undone on that game's page, among what was ruled.
    if (another) this.hide();
    if (this.line?.fleeting && this.line.turns !== view.turns.length) this.hide();
    const { line } = this;
    if (!line?.score) return;
    // The score of before may be shown once more, until the first view that has what was entered.
    const same = SIDES.every((side) => view.players[side].score === line.score.after[side]);
    if (line.turns === view.turns.length && (same || !line.score.shown)) {
      line.score.shown ||= same;
      return;
    }
    line.score = null;
    this.draw();
  }
}
