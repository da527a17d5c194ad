// The camera on a phone above the board. It sends the newest picture whenever the one before has
// been answered, with the moment of its capture on the table's clock.
import { TimeAsker } from "../clock/asking.js";
import { unique } from "../clock/presser.js";
import { store, stored } from "../stored.js";
import { keepAwake } from "../wake.js";
import { lock } from "./lock.js";
import { drawUpright, turnedPoint, Upright } from "./upright.js";

const QUALITY = 0.88;
const AT_ONCE = 2; // one on its way while the next is encoded
const PATIENCE_MS = 4000;
const SETTLING_MS = 3000;
const TELL_MS = 3000;
const ASK_MS = 2000;
const KNOWN = 3; // answers about the time before the first picture
const CAPTURED_MS = 1000; // a capture longer ago is no capture's time

const $ = (selector) => document.querySelector(selector);
const root = document.documentElement;
const table = root.dataset.table;
const path = `/tables/${encodeURIComponent(table)}/camera/api`;
const KEPT = `camera-key-${table}`;
const upright = new Upright(`camera-upright-${table}`);
const page = unique();
const video = $("#video");
const sight = $("#sight");
const canvas = document.createElement("canvas");
const small = document.createElement("canvas");

const WORDS = {
  insecure: "Browsers give a camera to https pages only. Start the table with: tilewatch run --https",
  refused:
    "This page was not allowed to use the camera. " +
    "Allow it in the browser’s settings for this page, then touch “Start again”.",
  missing: "This device has no camera. Open this page on the phone that lies above the board.",
  busy: "Another app uses the camera. Close it, then touch “Start again”.",
  ended: "The phone has taken the camera away from this page. Touch “Start again”.",
  slow: "The network is too slow: it takes over half a second there and back.",
};
const BY_ERROR = {
  NotAllowedError: "refused",
  SecurityError: "refused",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
};

let key = null;
let state = "starting";
let asker = null;
let track = null;
let battery = null;
let locked = [];
let under = 0; // pictures on their way
let last = -Infinity; // when the newest was captured
let waitUntil = 0;
let turn = 0; // which opening of the camera is at work
const sent = []; // when pictures were taken on

// --- showing ---

function say(text) {
  if ($("#word").textContent !== text) $("#word").textContent = text;
}

function close(text) {
  root.dataset.state = "closed";
  asker?.stop();
  stop();
  say(text);
}

function become(next) {
  if (root.dataset.state === "closed") return;
  const changed = next !== state;
  state = next;
  root.dataset.state = next;
  $("#again").hidden = !["refused", "missing", "busy", "ended"].includes(next);
  if (next in WORDS) say(WORDS[next]);
  else if (next === "sending") say("");
  if (changed) tell();
}

function facts() {
  const now = performance.now();
  while (sent.length && now - sent[0] > 3000) sent.shift();
  const parts = [`${(sent.length / 3).toFixed(1)} pictures a second`];
  if (video.videoWidth) parts.push(`${video.videoWidth}×${video.videoHeight}`);
  if (asker && Number.isFinite(asker.time.off)) parts.push(`clock ±${Math.ceil(asker.time.off)} ms`);
  parts.push(locked.length ? `locked: ${locked.join(", ")}` : "nothing locked");
  if (battery) parts.push(`battery ${Math.round(battery.level * 100)} %${battery.charging ? ", charging" : ""}`);
  $("#facts").textContent = parts.join(" · ");
}

function outline(corners) {
  const seen = Boolean(corners);
  $("#seen").textContent = seen ? "The table sees the board." : "The table does not see a whole board yet.";
  $("#seen").dataset.seen = seen;
  sight.setAttribute("viewBox", `0 0 ${video.videoWidth || 1} ${video.videoHeight || 1}`);
  const turns = upright.turns(video.videoWidth, video.videoHeight) ?? 0;
  const points = (corners ?? []).map((corner) => {
    const [x, y] = turnedPoint(corner, turns);
    return `${x * video.videoWidth},${y * video.videoHeight}`;
  });
  sight.querySelector("polygon").setAttribute("points", points.join(" "));
}

// --- the table ---

function post(what, body, headers) {
  return fetch(`${path}/${what}`, {
    method: "POST",
    credentials: "omit", // the key is all that counts, whoever is logged in here
    headers: { ...(key ? { "X-Camera-Key": key } : {}), ...headers },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

const postJson = (what, data) => post(what, JSON.stringify(data), { "Content-Type": "application/json" });

async function refused(answer) {
  if (![401, 403, 409].includes(answer.status)) return false;
  if (answer.status === 403) store(KEPT, null);
  close((await answer.json()).error);
  return true;
}

async function tell() {
  if (!key || root.dataset.state === "closed") return;
  const { level = null, charging = null } = battery ?? {};
  try {
    await refused(await postJson("state", { page, state, battery: level, charging, locked }));
  } catch {
    // The next word, or the silence, tells.
  }
}

async function pair() {
  const code = location.hash.slice(1);
  key = stored(KEPT);
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  const answer = await postJson("pair", { code });
  const reply = await answer.json();
  if (answer.ok) {
    key = reply.key;
    upright.forget();
    store(KEPT, key);
  } else if (!key) throw new Error(reply.error); // the page was loaded again with its used code
}

// --- pictures ---

function brightness() {
  small.width = small.height = 32;
  const context = small.getContext("2d", { willReadFrequently: true });
  context.drawImage(video, 0, 0, 32, 32);
  const { data } = context.getImageData(0, 0, 32, 32);
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) sum += data[at] + data[at + 1] + data[at + 2];
  return sum / (data.length / 4) + 1;
}

function encoded(turns) {
  drawUpright(canvas, video, video.videoWidth, video.videoHeight, turns);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
}

function stampOf({ captureTime, presentationTime }) {
  const age = performance.now() - captureTime;
  if (age >= 0 && age < CAPTURED_MS) return { moment: captureTime, stamp: "capture" };
  return { moment: Math.min(presentationTime, performance.now()), stamp: "shown" };
}

function isDue(moment) {
  if (moment - last < (1000 / root.dataset.fps) * 0.9 || under >= AT_ONCE) return false;
  return performance.now() >= waitUntil && asker.time.samples.length >= KNOWN;
}

async function send(meta) {
  const { moment, stamp } = stampOf(meta);
  if (!isDue(moment)) return;
  const turns = upright.turns(video.videoWidth, video.videoHeight);
  if (turns === null) return;
  last = moment;
  under += 1;
  try {
    const blob = await encoded(turns);
    const t_ns = Math.round(asker.time.at(moment));
    const headers = { "Content-Type": "image/jpeg", "X-Page": page, "X-Captured": String(t_ns), "X-Stamp": stamp };
    const answer = await post("picture", blob, headers);
    if (await refused(answer)) return;
    if (!answer.ok) throw new Error(answer.statusText);
    const { taken, slow, corners } = await answer.json();
    if (taken) sent.push(performance.now());
    if (slow) become("slow");
    else if (!document.hidden && track?.readyState === "live" && !track.muted) become("sending");
    if (!slow) outline(corners);
  } catch {
    waitUntil = performance.now() + 500;
    if (root.dataset.state !== "closed") say("Connection lost. Trying again …");
    asker.ask();
  } finally {
    under -= 1;
  }
}

function follow(mine) {
  video.requestVideoFrameCallback((_now, meta) => {
    if (mine !== turn) return;
    send(meta);
    follow(mine);
  });
}

const stopTrack = (one) => void one.stop();

function stop() {
  turn += 1;
  track?.stop();
  track = null;
}

async function start() {
  stop();
  const mine = turn;
  const { width, height, fps } = root.dataset;
  try {
    const media = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: {
        facingMode: { ideal: "environment" },
        width: { ideal: Number(width) },
        height: { ideal: Number(height) },
        frameRate: { ideal: Math.max(15, Number(fps)) },
      },
    });
    if (mine !== turn) return void media.getTracks().forEach(stopTrack);
    [track] = media.getVideoTracks();
    video.srcObject = media;
    await video.play();
  } catch (error) {
    if (mine === turn) become(BY_ERROR[error.name] ?? "busy");
    return;
  }
  if (mine !== turn) return;
  track.onended = () => mine === turn && become("ended");
  track.onmute = () => mine === turn && become("ended");
  track.onunmute = () => mine === turn && become("starting");
  follow(mine);
  setTimeout(async () => {
    if (mine !== turn || !track) return;
    locked = await lock(track, brightness, (ms) => new Promise((done) => setTimeout(done, ms)));
    tell();
  }, SETTLING_MS);
}

// --- the phone ---

function seenAgain() {
  if (root.dataset.state === "closed") return;
  if (document.hidden) return become("hidden");
  asker.time.forget(); // its clock may have stood still
  asker.ask();
  if (!track || track.readyState === "ended" || track.muted) start();
  else become("starting");
}

async function begin() {
  if (!isSecureContext || !navigator.mediaDevices?.getUserMedia) return close(WORDS.insecure);
  if (!video.requestVideoFrameCallback) return close("This browser is too old to be a camera: use a newer one.");
  try {
    await pair();
  } catch (error) {
    return close(error.message);
  }
  if (!key)
    return close(
      "This phone is not paired yet. On another screen the director opens the table, “Set up”, then “Camera”, and " +
        "presses “Show a code”: scan the code with this phone.",
    );
  asker = new TimeAsker(path, key, page, ASK_MS, {
    onAnswer: () => {},
    onLost: () => say("Connection lost. Trying again …"),
    onRefused: (text) => {
      store(KEPT, null);
      close(text);
    },
  });
  await tell();
  if (root.dataset.state === "closed") return;
  asker.ask();
  addEventListener("online", () => asker.ask());
  document.addEventListener("visibilitychange", seenAgain);
  addEventListener("pagehide", () => become("hidden"));
  $("#again").addEventListener("click", start);
  $("#dark").hidden = keepAwake();
  setInterval(tell, TELL_MS);
  setInterval(facts, 1000);
  navigator.getBattery?.().then((found) => {
    battery = found;
    for (const kind of ["levelchange", "chargingchange"]) found.addEventListener(kind, tell);
    tell();
  });
  start();
}

addEventListener("hashchange", () => location.reload());
begin();
