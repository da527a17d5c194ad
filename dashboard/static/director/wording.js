// Words of the director's pages.
import { spelled } from "../spelling.js";

export function plain(code) {
  return code.replaceAll("_", " ");
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The server's words for a refusal as a sentence.
export function sentence(text) {
  return `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}

export const SIDES = ["left", "right"];
export const other = (side) => (side === "left" ? "right" : "left");

export function names(view) {
  return { left: view.players.left.name, right: view.players.right.name };
}

// "1:30" or "-0:45" as nanoseconds; null for what is no time.
export function timeOf(text) {
  const match = /^([+−-]?)(\d{1,3}):([0-5]\d)$/.exec(text.trim());
  if (!match) return null;
  const ns = (Number(match[2]) * 60 + Number(match[3])) * 1e9;
  return match[1] && match[1] !== "+" ? -ns : ns;
}

// Words that the server has for codes: {ends, causes}.
const words = { ends: {}, causes: {} };

export function learn(found) {
  Object.assign(words, found);
}

export const PHASES = {
  waiting: "Waiting",
  set_up: "Setting up",
  ready: "Ready",
  running: "Running",
  stopped: "Clock stopped",
  interrupted: "Interrupted",
  ended: "Ended",
  no_result: "Ended, no result",
  signed: "Signed",
};

// Where a game stands. What its log says comes first: what its table says of itself, `phase`, comes
// every few seconds, from a table of a hub later still. Without a clock only the table can tell.
export function phaseOf({ status, clocks, no_result: noResult }, phase) {
  if (status === "ended" && noResult) return "no_result";
  if (status === "ended") return phase === "signed" ? "signed" : "ended";
  if (status !== "running") return ["set_up", "ready"].includes(phase) ? phase : "waiting";
  if (clocks) return clocks.running === null ? "stopped" : "running";
  return phase === "interrupted" ? "interrupted" : "running";
}

// Why a game is over.
export function ended(reason) {
  const cause = /^forfeit_(.*)$/.exec(reason)?.[1];
  if (cause !== undefined) return words.causes[cause] ?? plain(cause);
  return words.ends[reason] ?? plain(reason);
}

// Points with a minus where they are below 0.
export function whole(points) {
  return points < 0 ? `−${-points}` : String(points);
}

// The tile on a square in words.
export function symbolText(symbol) {
  if (symbol === ".") return "nothing there";
  if (symbol === "#") return "face down";
  if (symbol === "~") return "unreadable";
  if (symbol === "?") return "a blank";
  return symbol !== symbol.toUpperCase() ? `blank as ${spelled(symbol.toUpperCase())}` : spelled(symbol);
}

// A time of the wall clock, of nanoseconds since 1970.
export function wall(ns) {
  return new Date(ns / 1e6).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}
