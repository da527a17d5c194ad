// Asking and telling the server, as the account that is logged in.
import { $ } from "./dom.js";

const meta = (name) => $(`meta[name="${name}"]`)?.content ?? "";

export const account = meta("account");

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? "The server refused it.");
    this.status = status;
    this.stale = answer.stale;
    this.despite = answer.despite; // it may be done all the same
  }
}

export const toLogIn = () => `/login?next=${encodeURIComponent(location.pathname + location.search)}`;

export async function answered(response) {
  if (response.status === 401) {
    // The session has ended: log in, and come back here. What somebody has typed stays until they close it.
    link("out");
    if (!$("dialog[open]:not(#menu)")) location.assign(toLogIn());
    throw new Refused(401, {
      error: "You have been logged out, and nothing can be entered here. Note what you wrote, then log in again.",
    });
  }
  const type = response.headers.get("Content-Type") ?? "";
  const body = type.startsWith("application/json") ? await response.json() : {};
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

export const PLAIN = { cache: "no-store", headers: { Accept: "application/json" } };

export const ask = async (path) => answered(await fetch(path, PLAIN));

// Whether the session still holds; where it does not, the page goes to log in.
export async function stillIn(path) {
  await answered(await fetch(path, { ...PLAIN, method: "HEAD" }));
}

export function post(path, body = {}, method = "POST") {
  const headers = { ...PLAIN.headers, "Content-Type": "application/json", "X-CSRF-Token": meta("csrf-token") };
  return fetch(path, { ...PLAIN, method, headers, body: JSON.stringify(body) });
}

export const tell = async (...sent) => answered(await post(...sent));

// The state of the connection, in the bar.
const LINK = {
  connecting: "Connecting",
  live: "Live",
  polling: "Live, every few seconds",
  lost: "Connection lost, trying again",
  out: "Logged out",
};

let linked = null;

export function link(state) {
  if (linked === state || (linked === "out" && state === "lost")) return;
  linked = state;
  const pill = $("#link");
  pill.dataset.state = state === "out" ? "lost" : state; // it looks the same
  pill.querySelector("span").textContent = LINK[state];
}
