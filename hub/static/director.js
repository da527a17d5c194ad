// What the director does from the hall and the server's lists alone cannot: to seat a round, to let tables in.
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

// --- the tables ---

by("enrol").addEventListener("told", ({ detail: { answer } }) => {
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

// It cuts the table off at once, so the press says which.
function nameKeptOut() {
  const chosen = by("access-table")?.selectedOptions[0];
  if (chosen) by("keep-out").textContent = chosen.value ? `Keep ${chosen.text} out` : "Keep out";
}

on("access-table", "change", nameKeptOut);

// --- what is new ---

addEventListener("fresh", ({ detail: put }) => {
  nameKeptOut();
  if (put.has("seat") || put.has("round") || put.has("open-seats")) showRound();
});
showRound();
setInterval(() => document.hidden || freshen().catch(() => {}), LOOKS_MS);
freshen().catch(() => {});
