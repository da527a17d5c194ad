// Asks for the table's time again and again, so that a page knows it and the table knows the page's
// round trips: the number in each answer goes back at once.
import { TableTime } from "./timebase.js";

const PATIENCE_MS = 3000;
const FIRST = 5;
const FIRST_MS = 300;

export class TimeAsker {
  // `onAnswer()`, `onLost()`, and `onRefused(text)` when the key opens nothing (any more).
  constructor(path, key, page, every_ms, { onAnswer, onLost, onRefused }) {
    Object.assign(this, { path, key, page, every_ms });
    this.on = { onAnswer, onLost, onRefused };
    this.time = new TableTime();
    this.timer = null;
  }

  fetch(more) {
    const { key, page } = this;
    return fetch(`${this.path}/time?${new URLSearchParams({ key, page, ...more })}`, {
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  }

  stop() {
    clearTimeout(this.timer);
  }

  async ask() {
    this.stop();
    let asked = performance.now();
    try {
      let answer = await this.fetch();
      if (answer.status === 401 || answer.status === 403) {
        this.on.onRefused((await answer.json()).error);
        return;
      }
      if (!answer.ok) throw new Error(answer.statusText);
      const reply = await answer.json();
      this.time.answer(reply, asked, performance.now());
      asked = performance.now();
      answer = await this.fetch({ echo: reply.number });
      if (answer.ok) this.time.answer(await answer.json(), asked, performance.now());
      this.on.onAnswer();
    } catch {
      this.on.onLost();
    }
    this.stop();
    this.timer = setTimeout(() => this.ask(), this.time.samples.length < FIRST ? FIRST_MS : this.every_ms);
  }
}
