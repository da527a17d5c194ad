// What the director does from the hall and the server's lists alone cannot: to seat a round, to let tables in
// and keep them out.
import { tell } from "../director/api.js";
import { html } from "../director/dom.js";
import { doing, freshen } from "../director/fresh.js";
import { reset } from "../director/place.js";

const base = "/director/hall";
const LOOKS_MS = 3000;
const by = (id) => document.querySelector(`#${id}`);
const on = (id, kind, does) => document.addEventListener(kind, (event) => event.target.id === id && does(event), true);

// --- the rounds ---

const tables = (count) => (count === 1 ? "1 table" : `${count} tables`);
let asked = null; // what the dialog asks about

const seating = () => JSON.parse(by("seat").dataset.rounds).find(({ round }) => round === Number(by("round").value));

function deedText({ round, tables: count, open }) {
  if (count) return `Send the names of round ${round} to ${tables(count)}`;
  if (open.length) return `Say first which division the tables of round ${round} are of`;
  return `No table of round ${round} has joined`;
}

function showRound() {
  if (!by("seat")) return;
  const chosen = seating();
  by("seat").disabled = !chosen?.tables;
  if (chosen) by("seat").textContent = deedText(chosen);
  for (const seat of by("open-seats").children) seat.hidden = seat.dataset.round !== by("round").value;
  by("open-seats").hidden = !by("open-seats").querySelector("li:not([hidden])");
}

async function seat({ round, tables: count }) {
  const answer = await doing(
    tell(`${base}/seat`, { round }),
    `The names of round ${round} were sent to ${tables(count)}; ` +
      "“Asked of tables” shows whichever has not taken them yet",
    by("seating"),
  );
  if (!answer) return;
  reset(by("round")); // to the one that is due
  showRound();
}

on("round", "change", showRound);
on("seat", "click", () => {
  asked = seating();
  const { round, playing, others } = asked;
  if (!playing.length) {
    seat(asked);
    return;
  }
  by("send-names-title").textContent = `Send the names of round ${round}?`;
  by("send-names-playing").textContent =
    `A game is being played at ${tables(playing.length)} of ${asked.tables}: ${playing.join(", ")}.`;
  by("send-names-others").hidden = !others.length;
  const where = others.length === playing.length ? "there" : `at ${others.join(", ")}`;
  by("send-names-others").textContent =
    `Others than those of round ${round} play ${where}: their games would get the names of round ${round}.`;
  by("send-names-button").textContent = `Send to ${tables(asked.tables)}`;
  by("send-names-button").classList.toggle("danger", others.length > 0);
  by("send-names-button").classList.toggle("primary", !others.length);
  by("send-names").returnValue = "";
  by("send-names").showModal();
});
by("send-names").addEventListener("close", () => {
  if (by("send-names").returnValue === "send") seat(asked);
});

// --- the divisions ---

function showDivision() {
  by("division").value = by("division-table").selectedOptions[0]?.dataset.division ?? "";
}

on("division-table", "change", showDivision);
by("divisions").addEventListener("submit", (event) => {
  event.preventDefault();
  const { value: table, dataset } = by("division-table").selectedOptions[0];
  const division = by("division").value;
  doing(
    tell(`${base}/tables/${encodeURIComponent(table)}/division`, { division }),
    division ? `${dataset.name} is of division ${division}` : `The division of ${dataset.name} is open`,
    by("divisions"),
  );
});

// --- who is shown ---

by("shown").addEventListener("submit", (event) => {
  event.preventDefault();
  const [name, games, named] = ["name", "games", "named"].map((what) => by(`shown-${what}`).value.trim());
  const words = games || named ? "is in the list" : "is shown as the event has it";
  doing(tell(`${base}/players`, { name, games, named }), `${name} ${words}`, by("shown"));
});

// --- the tables ---

by("enrol").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await doing(
    tell(`${base}/codes`, { table: by("enrol-table").value, name: by("enrol-name").value }),
    "A code was made",
  );
  if (!answer) return;
  const box = by("code");
  box.hidden = false;
  box.querySelector(".code").textContent = answer.code;
  const [, start, option, hub] = /^(.*) (--hub) (.*)$/.exec(answer.command);
  // A line breaks before an option, not within it.
  box.querySelector("code").replaceChildren(`${start} `, html`<span><span>${option}</span> ${hub}</span>`);
  const picture = new DOMParser().parseFromString(answer.qr, "image/svg+xml").documentElement;
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "The same as a QR code");
  box.querySelector(".qr").replaceChildren(document.adoptNode(picture));
});

// A table is let in again at one press; to keep one out cuts it off amid its game, so that is asked twice.
const chosen = () => by("access-table").selectedOptions[0];
const isOut = () => chosen()?.hasAttribute("data-out");

function showAccess() {
  by("access-button").textContent = isOut() ? "Let in again" : "Keep out…";
  by("access-button").classList.toggle("danger", !isOut());
}

function admit(table, name, what, why) {
  return doing(
    tell(`${base}/tables/${encodeURIComponent(table)}/${what}`, { why }),
    what === "revoke" ? `${name} is kept out` : `${name} is let in again`,
    by("access"),
  );
}

on("access-table", "change", showAccess);
by("access").addEventListener("submit", (event) => {
  event.preventDefault();
  if (isOut()) {
    admit(chosen().value, chosen().dataset.name, "readmit");
    return;
  }
  by("keep-out").dataset.table = chosen().value;
  by("keep-out").dataset.name = chosen().dataset.name;
  by("keep-out-title").textContent = `Keep ${chosen().dataset.name} out?`;
  by("keep-out-why").value = "";
  by("keep-out").returnValue = "";
  by("keep-out").showModal();
});
by("keep-out").addEventListener("close", () => {
  const { table, name } = by("keep-out").dataset;
  if (by("keep-out").returnValue === "revoke") admit(table, name, "revoke", by("keep-out-why").value);
});

// --- what is new ---

addEventListener("fresh", ({ detail: put }) => {
  if (put.has("seat") || put.has("round") || put.has("open-seats")) showRound();
  if (put.has("division-table") || put.has("division")) showDivision();
  if (put.has("access-table")) showAccess();
});
showRound();
showDivision();
showAccess();
setInterval(() => document.hidden || freshen().catch(() => {}), LOOKS_MS);
freshen().catch(() => {});
