// A published file that is fetched again every few seconds, as if it were an EventSource: it has the events that the
// hub's stream would send. Each file has a number that grows, so that a cache's older one is not taken for news.
//
// How old the file is when it comes is known without anybody's wall clock: the server says when it was written and what
// time it is there (Last-Modified, Date), in whole seconds, and a cache for how long it has kept the answer (Age).
const SECOND = 1e9;
const EVERY_S = 3;
const UNSEEN_S = 15;
const SPREAD = 0.2;
const { archive, published } = document.documentElement.dataset;

const jitter = (seconds) => seconds * 1000 * (1 - SPREAD + 2 * SPREAD * Math.random());

// In seconds; it may be one more or one less.
export function age(headers) {
  const [written, now] = ["last-modified", "date"].map((name) => Date.parse(headers.get(name)));
  const kept = Number(headers.get("age") ?? 0);
  return Number.isFinite(now - written) ? Math.max(0, (now - written) / 1000) + kept : 0;
}

// A time at the table that the page counts on. Each file bounds it; it moves only if the bounds say so.
class Ahead {
  constructor() {
    this.low = -Infinity;
    this.high = Infinity;
  }

  // `then` is the file's time in ns, `old` its age in s; the time now.
  now(then, old, rate) {
    const here = performance.now() * 1e6 * rate;
    const [low, high] = [-1, 1].map((off) => then + Math.max(0, old + off) * SECOND * rate - here);
    this.low = Math.max(this.low, low);
    this.high = Math.min(this.high, high);
    if (this.low > this.high || rate !== this.rate) Object.assign(this, { low, high, rate });
    return here + (this.low + this.high) / 2;
  }
}

const known = new Map(); // by address: the newest file's number, and the time that the page counts on

export class FileSource extends EventTarget {
  // `take(file, source, old)` tells what is new in a file that is `old` seconds old.
  constructor(address, take) {
    super();
    if (!known.has(address)) known.set(address, { number: Number(published ?? 0), ahead: new Ahead() });
    Object.assign(this, { address, take, known: known.get(address), tag: null });
    this.readyState = EventSource.CONNECTING;
    document.addEventListener("visibilitychange", this.seen);
    this.poll();
  }

  seen = () => document.hidden || this.again(0);

  close() {
    this.readyState = EventSource.CLOSED;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }

  again(ms) {
    clearTimeout(this.timer);
    if (this.readyState !== EventSource.CLOSED) this.timer = setTimeout(() => this.poll(), ms);
  }

  tell(kind, data = null, lastEventId = "") {
    if (this.readyState === EventSource.CLOSED) return;
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }));
  }

  // What is kept here of it and has not changed does not come again (304).
  async get(address) {
    const answer = await fetch(address, { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.statusText);
    return { tag: answer.headers.get("etag"), old: age(answer.headers), file: await answer.json() };
  }

  async poll() {
    // Nobody sees the page, and nothing in an archive will change.
    if (this.readyState === EventSource.OPEN && (document.hidden || archive !== undefined)) {
      this.tell("beat");
      this.again(jitter(UNSEEN_S));
      return;
    }
    try {
      const { tag, old, file } = await this.get(this.address);
      if (this.readyState === EventSource.CONNECTING) {
        this.readyState = EventSource.OPEN;
        this.tell("open");
      }
      if (file.published >= this.known.number && (tag === null || tag !== this.tag)) {
        await this.take(file, this, old);
        this.known.number = file.published;
        this.tag = tag;
      }
      this.tell("beat");
      this.again(jitter(file.every_s ?? EVERY_S));
    } catch {
      this.tell("error");
    }
  }
}

// A table's newest view.
export function tableFile(file, source, old) {
  const { now_ns, rate } = file;
  source.tell("time", { now_ns: rate ? source.known.ahead.now(now_ns, old, rate) : now_ns, rate });
  if (file.view === null) source.tell("slot", {});
  else source.tell("view", file.view, file.id);
}

// The hall's lines that have changed since some number; all of them, if this page has none from so early.
export function hallFile(whole) {
  let reached = -1;
  return async (news, source, old) => {
    // The hub's time: the device's own may be wrong.
    const ahead = source.known.ahead.now(news.wall_ms * 1e6, old, 1) / 1e6 - Date.now();
    document.querySelector("[data-stream]").dataset.ahead = Math.round(ahead);
    let { rows } = news;
    if (reached < news.since) {
      const { file } = await source.get(whole);
      if (file.published < news.since) throw new Error("a cache's older file");
      const changed = new Set(rows.map(({ id }) => id));
      rows = [...file.rows.filter(({ id }) => !changed.has(id)), ...rows];
    }
    reached = news.published;
    source.tell("rows", rows, String(reached));
  };
}
