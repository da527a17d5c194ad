// A worker that holds each event stream once for all pages of this browser. To one host a browser
// opens six connections, and each overlay of a scene would take one for good.
const streams = new Map(); // by address: {source, ports, known: the newest event of each kind}

function open(address, kinds) {
  const stream = { source: new EventSource(address), ports: new Set(), known: new Map() };
  const tell = (event) => {
    for (const port of stream.ports) port.postMessage(event);
  };
  stream.source.addEventListener("open", () => tell({ kind: "open" }));
  for (const kind of kinds) {
    stream.source.addEventListener(kind, ({ data, lastEventId }) => {
      if (kind === "slot") stream.known.delete("view"); // the slot is empty
      if (kind === "view") stream.known.delete("slot");
      stream.known.set(kind, {
        kind,
        data: kind === "message" ? merged(stream.known.get(kind), data) : data,
        lastEventId,
        at: performance.now(),
      });
      tell({ kind, data, lastEventId });
    });
  }
  stream.source.addEventListener("error", () => {
    stream.source.close();
    streams.delete(address);
    tell({ kind: "error" });
  });
  streams.set(address, stream);
  return stream;
}

// Values come as they change: whoever comes later needs all of them.
function merged(before, data) {
  return JSON.stringify({ ...JSON.parse(before?.data ?? "{}"), ...JSON.parse(data) });
}

// What was sent about the time has aged since.
function now({ kind, data, lastEventId, at }) {
  if (kind !== "time") return { kind, data, lastEventId };
  const time = JSON.parse(data);
  time.now_ns += (performance.now() - at) * 1e6 * time.rate;
  return { kind, data: JSON.stringify(time), lastEventId };
}

addEventListener("connect", ({ ports: [port] }) => {
  let left = () => {};
  port.addEventListener("message", ({ data: { address, kinds } }) => {
    left();
    if (!address) return;
    const stream = streams.get(address) ?? open(address, kinds);
    stream.ports.add(port);
    left = () => {
      stream.ports.delete(port);
      if (stream.ports.size) return;
      stream.source.close();
      if (streams.get(address) === stream) streams.delete(address);
    };
    if (stream.source.readyState !== EventSource.OPEN) return;
    port.postMessage({ kind: "open" });
    for (const event of stream.known.values()) port.postMessage(now(event));
  });
  port.addEventListener("close", () => left()); // its page is gone
  port.start();
});
