// An event stream that all pages of this browser share, as an EventSource; one of its own where the
// browser has no workers to share.

class SharedSource extends EventTarget {
  constructor(address, kinds) {
    super();
    this.readyState = EventSource.CONNECTING;
    this.port = new SharedWorker(new URL("./shared_streams.js", import.meta.url)).port;
    this.port.addEventListener("message", ({ data }) => this.take(data));
    this.port.start();
    this.port.postMessage({ address: new URL(address, location.href).href, kinds });
  }

  take({ kind, data, lastEventId }) {
    if (this.readyState === EventSource.CLOSED) return;
    if (kind === "open") this.readyState = EventSource.OPEN;
    if (kind === "error") this.readyState = EventSource.CLOSED;
    this.dispatchEvent(new MessageEvent(kind, { data, lastEventId }));
  }

  close() {
    this.readyState = EventSource.CLOSED;
    this.port.postMessage({});
    this.port.close();
  }
}

// `kinds` are the events that are listened for.
export function sharedSource(address, kinds) {
  return "SharedWorker" in window ? new SharedSource(address, kinds) : new EventSource(address);
}
