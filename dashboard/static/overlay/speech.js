// The scores, spoken by the browser: each turn once, and of a correction only the correction.
import { spoken } from "../spoken.js";

const heard = (turn) => JSON.stringify([turn.kind, turn.word, turn.position, turn.score]);

// What a view adds to the one before it, in sentences; nothing of a game that has just come on.
export function addedTo(view, before) {
  if (before?.game_id !== view.game_id) return [];
  const changed = before.turns.findIndex((turn, at) => view.turns[at] && heard(turn) !== heard(view.turns[at]));
  if (changed >= 0) {
    const turn = view.turns[changed];
    return [`Correction of turn ${turn.number}. ${spoken(turn, view)}`];
  }
  return view.turns.slice(before.turns.length).map((turn) => spoken(turn, view));
}

export class Speech {
  constructor() {
    this.on = false;
    this.before = null;
  }

  draw(view) {
    const sentences = addedTo(view, this.before);
    this.before = view;
    if (!this.on || !("speechSynthesis" in window)) return;
    for (const sentence of sentences) speechSynthesis.speak(new SpeechSynthesisUtterance(sentence));
  }

  switch(on) {
    this.on = on;
    if (!on && "speechSynthesis" in window) speechSynthesis.cancel();
  }
}
