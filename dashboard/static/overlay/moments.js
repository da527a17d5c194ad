// What happens now and then: a bingo, a challenge and its outcome. Each is shown for some seconds
// after the turn that brought it, and never for a turn that was there when the page was opened.
import { spoken } from "../spoken.js";
import { signed } from "../words.js";
import { fit } from "./fit.js";
import { fitFolded } from "./fold.js";
import { inLine } from "./in_line.js";
import { drawRack } from "./rack.js";

const plays = (view) => view.turns.filter((turn) => turn.word);

// The points that came of challenges in vain, by turn.
const bonuses = (view) => view.adjustments.filter(({ kind }) => kind === "challenge_bonus");

function bingo(view, before) {
  const turn = view.turns.at(-1);
  return turn?.number > before.turns.length ? asBingo(turn, view) : null;
}

function asBingo(turn, view) {
  if (!turn.bingo || turn.kind !== "play") return null;
  return {
    turn,
    headline: `Bingo by ${inLine(view.players[turn.side].name)}`,
    detail: `${signed(turn.bingo)} for all the tiles`,
    gain: signed(turn.score),
  };
}

// A play that came off, a challenge that cost its turn, or points for one in vain.
function challenge(view, before) {
  const known = new Map(before.turns.map((turn) => [turn.number, turn.kind]));
  const off = view.turns.findLast(
    (turn) => turn.kind === "challenge_upheld" && known.get(turn.number) !== "challenge_upheld",
  );
  if (off) {
    const { name } = view.players[off.side];
    return {
      turn: off,
      headline: "Challenged off",
      detail: `${inLine(name)} takes it back and scores nothing`,
      gain: "0",
      good: false,
    };
  }
  const failed = view.turns.findLast(
    (turn) => turn.kind === "challenge_failed" && known.get(turn.number) !== "challenge_failed",
  );
  const bonus = bonuses(view).length > bonuses(before).length ? bonuses(view).at(-1) : null;
  if (!failed && !bonus) return null;
  const turn = failed
    ? plays(view).findLast(({ number }) => number < failed.number)
    : view.turns.find(({ number }) => number === bonus.after_turn);
  if (!turn) return null;
  const detail = failed
    ? `${inLine(view.players[failed.side].name)} loses the turn`
    : `${bonus.points} ${bonus.points === 1 ? "point" : "points"} for ${inLine(view.players[bonus.side].name)}`;
  return {
    turn,
    headline: "Challenge failed: the play stands",
    detail,
    gain: bonus ? signed(bonus.points) : "",
    good: true,
  };
}

// Both clocks stand after a play: whatever for, the play is what it is about.
function stopped(view) {
  const turn = view.turns.at(-1);
  const stands = view.status === "running" && view.clocks && view.clocks.running === null && !view.clocks.withheld;
  if (!stands || turn?.kind !== "play") return null;
  const headline = view.clocks.stopped_for === "challenge" ? "A challenge" : "The clock is stopped";
  return { turn, headline, detail: `Play by ${inLine(view.players[turn.side].name)}`, gain: "", waits: true };
}

export class Moments {
  constructor(panel, seconds) {
    this.panel = panel;
    this.ms = seconds * 1000;
    this.before = null;
    this.waits = false;
  }

  draw(view) {
    const before = this.before?.game_id === view.game_id ? this.before : null;
    this.before = view;
    const challenges = this.panel.dataset.kind === "challenge";
    const moment = before && (challenges ? challenge(view, before) : bingo(view, before));
    if (moment) this.show(moment, view);
    else if (!challenges) this.keepIfStands(view);
    else if (stopped(view)) this.show(stopped(view), view);
    else if (this.waits) this.hide();
    else this.renew(view);
  }

  // A bingo that is taken off the board is no bingo any more.
  keepIfStands(view) {
    if (this.panel.hidden) return;
    const turn = this.turnIn(view);
    const moment = turn && view.turns.at(-1).kind === "play" ? asBingo(turn, view) : null;
    if (!moment) return this.hide();
    this.write(moment);
    this.renew(view);
  }

  // A long name makes its line smaller, so that what was done is not cut off.
  write({ headline, detail, gain }) {
    this.panel.querySelector(".gain").textContent = gain;
    fit(this.panel.querySelector(".headline"), headline);
    fitFolded(this.panel.querySelector(".detail"), detail);
  }

  turnIn(view) {
    return view.turns.find(({ number }) => number === this.number);
  }

  // Its play may be known better by now: a blank has its letter.
  renew(view) {
    const turn = this.turnIn(view);
    if (this.panel.hidden || !turn) return;
    this.say(turn, view);
    drawRack(this.panel.querySelector(".rack"), turn, view);
  }

  say(turn, view) {
    const line = this.panel.querySelector(".spoken");
    const textOf = (part) => this.panel.querySelector(part).textContent;
    // An example has no play.
    const text = `${textOf(".headline")}. ${turn.number ? spoken(turn, view) : textOf(".detail")}`;
    if (line.textContent !== text) line.textContent = text; // what stands there already is not read out again
  }

  show({ turn, headline, detail, gain, good, waits }, view) {
    clearTimeout(this.timer);
    this.waits = waits === true;
    this.number = turn.number;
    const { panel } = this;
    panel.dataset.side = turn.side;
    panel.dataset.outcome = good === undefined ? "" : good ? "good" : "bad";
    drawRack(panel.querySelector(".rack"), turn, view);
    panel.hidden = false; // its lines have no width before
    this.write({ headline, detail, gain });
    this.say(turn, view);
    if (!waits) this.timer = setTimeout(() => this.hide(), this.ms);
  }

  hide() {
    clearTimeout(this.timer);
    this.waits = false;
    this.panel.hidden = true;
  }
}
