// Staying up to date: an event stream that is opened again whenever it breaks, from the place
// where it broke; and, when the server has no place left on its streams, asking every few seconds.

const SILENCE_MS = 25000; // the server speaks at least every ten seconds
const POLL_MS = 5000;
const RETRIES_MS = [500, 1000, 2000, 4000, 8000];

export class Stream {
  // `query` goes with everything that is asked: a token, a key. `connect` opens the event stream.
  constructor(path, { onView, onTime, onState, onEmpty = () => {} }, query = {}, connect = null) {
    this.path = path;
    this.query = query;
    this.connect = connect;
    this.on = { onView, onTime, onState, onEmpty };
    this.id = null;
    this.over = false;
    this.tries = 0;
    this.source = null;
    this.watch = null;
    addEventListener("online", () => this.again(0));
    addEventListener("pagehide", () => this.drop());
    addEventListener("submit", (event) => event.defaultPrevented || this.leave());
    addEventListener("pageshow", (event) => event.persisted && this.again(0));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && (!this.source || this.source.readyState !== EventSource.OPEN)) this.again(0);
    });
    this.open();
  }

  open() {
    this.drop();
    // A stream that pages share cannot begin where one of them broke off.
    const source = this.connect
      ? this.connect(this.address("/events"), ["time", "view", "slot"])
      : new EventSource(this.address("/events", this.id === null ? {} : { after: this.id }));
    this.source = source;
    this.heard();
    source.addEventListener("open", () => {
      this.tries = 0;
      this.heard();
      this.on.onState("live");
    });
    source.addEventListener("time", (event) => {
      this.heard();
      this.on.onTime(JSON.parse(event.data));
    });
    source.addEventListener("view", (event) => {
      this.heard();
      this.take(event.lastEventId, JSON.parse(event.data));
    });
    // A slot's stream: no table is in it.
    source.addEventListener("slot", () => {
      this.heard();
      this.id = null;
      this.on.onEmpty();
    });
    source.addEventListener("error", () => {
      // One way back for every kind of break: the browser's own retry would not survive a 503.
      this.drop();
      this.poll();
    });
  }

  address(part, more = {}) {
    const query = new URLSearchParams({ ...this.query, ...more }).toString();
    return `${this.path}${part}${query ? `?${query}` : ""}`;
  }

  // Every view once, whichever way it came.
  take(id, view) {
    if (id === this.id || view === null) return;
    this.id = id;
    this.on.onView(view);
  }

  heard() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.again(0), SILENCE_MS);
  }

  drop() {
    clearTimeout(this.watch);
    this.source?.close();
    this.source = null;
  }

  // The page goes elsewhere by a form. If that logs out, the server breaks the stream before the
  // page has gone, and must not be asked what it would refuse.
  leave() {
    this.drop();
    this.heard();
  }

  // For good: the server has answered that this page may not.
  end() {
    this.over = true;
    clearTimeout(this.retry);
    this.drop();
  }

  again(wait) {
    if (this.over) return;
    this.drop();
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), wait);
  }

  async poll() {
    let wait = RETRIES_MS[Math.min(this.tries++, RETRIES_MS.length - 1)];
    try {
      const answer = await fetch(this.address(""), { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const state = await answer.json();
      this.on.onTime(state);
      if (state.view === null) this.on.onEmpty();
      this.take(state.id, state.view);
      this.on.onState("polling");
      // The first break is most often a moment's; after that the streams are taken.
      if (this.tries > 1) wait = POLL_MS;
    } catch {
      if (!this.over) this.on.onState("lost");
    }
    this.again(wait);
  }
}
