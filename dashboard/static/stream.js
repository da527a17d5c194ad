// Staying up to date: an event stream that is opened again whenever it breaks, from the place where it
// broke. A game's view is asked for every few seconds when the server has no place left on its streams; where the
// site was published as files, that is all there is.

import { published } from "./site.js";

export const files = published ? await import("./file_source.js") : null;

const SILENCE_MS = 25000; // the server speaks at least every ten seconds
const POLL_MS = 5000;
const RETRIES_MS = [500, 1000, 2000, 4000, 8000];
const REFUSED = [400, 401, 403, 404];
const SPARING = 5; // so much later are files asked for again: thousands may do so

// An event stream that is opened again whenever it breaks. A subclass has `connect()`, which opens it.
export class Reopened {
  // `kinds`: what takes an event of each kind; `onState("live" or "lost")`.
  constructor(kinds, onState) {
    this.kinds = kinds;
    this.onState = onState;
    this.id = null; // of the newest event
    this.over = false;
    this.tries = 0;
    this.source = null;
    this.watch = null;
    addEventListener("online", () => this.again(0));
    addEventListener("offline", () => this.over || this.onState("lost"));
    addEventListener("pagehide", () => this.drop());
    addEventListener("submit", (event) => event.defaultPrevented || this.leave());
    addEventListener("pageshow", (event) => event.persisted && this.again(0));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && (!this.source || this.source.readyState !== EventSource.OPEN)) this.again(0);
    });
  }

  open() {
    this.drop();
    const source = this.connect();
    this.source = source;
    this.heard();
    source.addEventListener("open", () => {
      this.tries = 0;
      this.heard();
      this.onState("live");
    });
    for (const [kind, take] of Object.entries(this.kinds)) {
      source.addEventListener(kind, (event) => {
        this.heard();
        take(event);
      });
    }
    source.addEventListener("error", () => {
      // One way back for every kind of break: the browser's own retry would not survive a 503.
      this.drop();
      this.broken();
    });
  }

  broken() {
    this.onState("lost");
    this.again(this.wait());
  }

  // How long to wait after one more break.
  wait() {
    const ms = RETRIES_MS[Math.min(this.tries++, RETRIES_MS.length - 1)];
    return published ? ms * SPARING * (0.5 + Math.random()) : ms;
  }

  heard() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.onState("lost"); // until the next one is open
      this.again(0);
    }, SILENCE_MS);
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
}

export class Stream extends Reopened {
  // `query` goes with everything that is asked: a token, a key. `connect` opens the event stream.
  // `onRefused`: it may not be seen, or is not there.
  constructor(
    path,
    { onView, onTime, onState, onEmpty = () => {}, onRefused, onShow = () => {} },
    query = {},
    connect = null,
  ) {
    const kinds = {
      time: ({ data }) => onTime(JSON.parse(data)),
      view: ({ lastEventId, data }) => this.take(lastEventId, JSON.parse(data)),
      // A slot's stream: no table is in it.
      slot: () => {
        this.id = null;
        onEmpty();
      },
      show: ({ data }) => onShow(JSON.parse(data)),
    };
    super(kinds, onState);
    Object.assign(this, { path, query, shared: connect, on: { onView, onTime, onEmpty, onRefused } });
    this.open();
  }

  // A stream that pages share cannot begin where one of them broke off.
  connect() {
    if (files) return new files.FileSource(`${this.path}.json`, files.tableFile);
    return this.shared
      ? this.shared(this.address("/events"), Object.keys(this.kinds))
      : new EventSource(this.address("/events", this.id === null ? {} : { after: this.id }));
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

  async broken() {
    if (published) {
      super.broken();
      return;
    }
    let wait = this.wait();
    try {
      const answer = await fetch(this.address(""), { cache: "no-store" });
      if (this.on.onRefused && REFUSED.includes(answer.status)) {
        this.id = null;
        this.on.onRefused();
      }
      if (!answer.ok) throw new Error(answer.statusText);
      const state = await answer.json();
      this.on.onTime(state);
      if (state.view === null) this.on.onEmpty();
      this.take(state.id, state.view);
      this.onState("polling");
      // The first break is most often a moment's; after that the streams are taken.
      if (this.tries > 1) wait = POLL_MS;
    } catch {
      if (!this.over) this.onState("lost");
    }
    this.again(wait);
  }
}
