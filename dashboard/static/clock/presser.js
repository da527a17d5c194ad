// Presses on their way to the table: one after another, each sent again until it got through, for
// as long as the table still takes it from when it was made.

const STILL_GOOD_MS = 4500;
const AGAIN_MS = 250;
const PATIENCE_MS = 2000;

export function unique() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Presser {
  // `onEnd(press, problem)` hears of each: problem is null when it counts.
  constructor(path, key, page, { onEnd, onWay }) {
    this.path = path;
    this.page = page;
    this.key = key;
    this.on = { onEnd, onWay };
    this.waiting = [];
    this.busy = false;
  }

  press(button, t_ns) {
    const press = { id: unique(), button, t_ns: t_ns === null ? null : Math.round(t_ns), made: performance.now() };
    this.waiting.push(press);
    this.work();
    return press;
  }

  async work() {
    if (this.busy) return;
    this.busy = true;
    while (this.waiting.length) {
      const press = this.waiting[0];
      const problem = await this.send(press);
      this.waiting.shift();
      this.on.onEnd(press, problem);
    }
    this.busy = false;
  }

  async send(press) {
    const { id, button, t_ns } = press;
    for (;;) {
      try {
        const answer = await fetch(`${this.path}/press`, {
          method: "POST",
          credentials: "omit", // the key is all that counts, whoever is logged in here
          headers: { "Content-Type": "application/json", "X-Clock-Key": this.key },
          body: JSON.stringify({ id, button, t_ns, page: this.page }),
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        const reply = await answer.json();
        if (answer.ok) return reply.refused;
        if (answer.status < 500) return reply.error;
      } catch {
        this.on.onWay(press);
      }
      if (performance.now() - press.made > STILL_GOOD_MS) return "The press did not get through. Press again.";
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
