// The two clocks. The server says what was left when the running side's clock started and what
// time it is on the table's own base; between its words the page counts on by itself.

const SECOND = 1e9;
const NOT_TOLD = "–:––";

// Past 0:00 the time is negative; 0:00 and −0:00 are the same. With `tenths`, the last minute has them.
export function format(ns, tenths = false) {
  if (tenths && ns > 0 && ns < 60 * SECOND) {
    const tenth = Math.ceil(ns / (SECOND / 10));
    return `${Math.floor(tenth / 600)}:${String(Math.floor((tenth % 600) / 10)).padStart(2, "0")}.${tenth % 10}`;
  }
  const seconds = Math.ceil(ns / SECOND);
  const size = Math.abs(seconds);
  const text = `${Math.floor(size / 60)}:${String(size % 60).padStart(2, "0")}`;
  return seconds < 0 ? `−${text}` : text;
}

export class Clocks {
  constructor(cards) {
    this.cards = cards;
    this.clocks = null;
    this.base = null; // {now_ns, rate, at}
    this.timer = setInterval(() => this.tick(), 200);
  }

  sync({ now_ns, rate }) {
    this.base = { now_ns, rate, at: performance.now() };
    this.tick();
  }

  set(clocks) {
    this.clocks = clocks;
    this.tick();
  }

  // What time it is on the table's base; null until the server has said it once.
  now() {
    return this.base && this.base.now_ns + (performance.now() - this.base.at) * 1e6 * this.base.rate;
  }

  remaining(side) {
    const { running, since_ns, remaining_ns } = this.clocks;
    if (running !== side || since_ns === null || !this.base) return remaining_ns[side];
    return remaining_ns[side] - Math.max(0, this.now() - since_ns);
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
      card.classList.toggle("running", this.clocks.running === side);
    }
  }
}
