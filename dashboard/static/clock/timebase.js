// What time it is on the table's own clock, as well as a page can know it.
//
// An answer to a question says what time it was somewhere between asking and hearing; the middle is
// wrong by at most half the way there and back. Of the samples of the last while the one with the
// shortest way is taken. What only comes (a frame of the stream) may have been on its way for any
// time, and counts only until the first answer.

const KEPT_MS = 120000;

export class TableTime {
  constructor() {
    this.samples = [];
    this.heard = null;
  }

  // `now_ns` at the table, asked at `asked` and heard at `heard` (performance.now()).
  answer({ now_ns, rate }, asked, heard) {
    this.samples = this.samples.filter((one) => heard - one.at < KEPT_MS && one.rate === rate);
    this.samples.push({ now_ns, rate, at: (asked + heard) / 2, off: (heard - asked) / 2 });
  }

  // Start anew: a page's clock may stand still while its device sleeps.
  forget() {
    this.samples = [];
    this.heard = null;
  }

  // A frame of the stream.
  frame({ now_ns, rate }, heard) {
    this.heard = { now_ns, rate, at: heard, off: Infinity };
  }

  // The table's nanoseconds at a moment of the page's; null before anything was heard.
  at(moment) {
    const best = this.samples.reduce((a, b) => (b.off <= a.off ? b : a), this.samples[0]) ?? this.heard;
    return best ? best.now_ns + (moment - best.at) * 1e6 * best.rate : null;
  }

  now() {
    return this.at(performance.now());
  }

  // How wrong that may be, in ms.
  get off() {
    return Math.min(...this.samples.map((one) => one.off), Infinity);
  }
}
