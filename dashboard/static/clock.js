// The two clocks. The server says what was left when the running side's clock started and what
// time it is on the table's own base; between its words the page counts on by itself.
//
// What is shown never steps back. A word may have been longer on its way than the one before, or the
// table may have waited for its machine: the time shown then stands until it is caught up with. And
// the end of a turn is heard of a moment after the press, so the clocks of a page that only watches
// run a little late: else the clock that was stopped would be seen to gain what it ran too far.

const SECOND = 1e9;
const STANDS_MS = 30000; // a word that is further behind is of another time base
export const WATCHING_MS = 500; // as late as a press is heard of, with room to spare
const NOT_TOLD = "–:––";

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

// What is left, rounded up: 0:00 once it is used up, −0:01 once a whole second is over. With `tenths`,
// the last minute has them. `shown` in game/clock.py does the same, and `passed` there as here.
export function format(ns, tenths = false) {
  if (tenths && ns > 0 && ns < 60 * SECOND) {
    const tenth = Math.ceil(ns / (SECOND / 10));
    return `${Math.floor(tenth / 600)}:${String(Math.floor((tenth % 600) / 10)).padStart(2, "0")}.${tenth % 10}`;
  }
  const seconds = Math.ceil(ns / SECOND);
  return `${seconds < 0 ? "−" : ""}${minutes(Math.abs(seconds))}`;
}

// A time that passed: whole seconds of it.
export const passed = (ns) => minutes(Math.floor(ns / SECOND));

// What is left to a side at a moment of the table's; null is one that is not known.
export function leftOf({ running, since_ns, remaining_ns }, side, now, rate = 1) {
  const passes = running === side && since_ns !== null && now !== null;
  return remaining_ns[side] - (passes ? Math.max(0, now - since_ns) * rate : 0);
}

export class Clocks {
  // `late`: by how many ms of real time what is shown is behind the table's last message.
  constructor(cards, late = 0) {
    this.cards = cards;
    this.late = late;
    this.clocks = null;
    this.game = null;
    this.base = null; // {now_ns, rate, at}
    this.floor = -Infinity; // what was shown when a message had an earlier time
    this.timer = setInterval(() => this.tick(), 200);
  }

  sync({ now_ns, rate }) {
    const before = this.now();
    this.base = { now_ns, rate, at: performance.now() };
    this.floor = -Infinity;
    const back = before === null ? 0 : before - this.now();
    if (back > 0 && back <= STANDS_MS * 1e6 * rate) this.floor = before;
    this.tick();
  }

  // Another game may be of another table, with a time of its own. `clocks` are null in a game without
  // a clock, and undefined where they are not known.
  set(clocks, game) {
    if (game !== this.game) this.floor = -Infinity;
    this.game = game;
    this.clocks = clocks;
    // Played without one, a game has no clock to show.
    for (const card of Object.values(this.cards)) card.querySelector(".clock").hidden = clocks === null;
    this.tick();
  }

  // What time it is on the table's base; null until the server has sent it once.
  now() {
    if (this.base === null) return null;
    const { now_ns, rate, at } = this.base;
    return Math.max(this.floor, now_ns + (performance.now() - at - this.late) * 1e6 * rate);
  }

  remaining(side) {
    return leftOf(this.clocks, side, this.now());
  }

  tick() {
    if (!this.clocks) {
      for (const card of Object.values(this.cards)) {
        card.querySelector(".clock time").textContent = NOT_TOLD;
        card.querySelector(".clock").classList.remove("low");
        card.classList.remove("running");
      }
      return;
    }
    for (const [side, card] of Object.entries(this.cards)) {
      const left = this.remaining(side);
      const text = format(left);
      const time = card.querySelector(".clock time");
      if (time.textContent !== text) time.textContent = text;
      card.querySelector(".clock").classList.toggle("low", left <= 60 * SECOND);
      card.querySelector(".clock").classList.toggle("wide", text.length > 5); // as "−10:00" is
      card.classList.toggle("running", this.clocks.running === side);
    }
  }
}
