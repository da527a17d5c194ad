// What the director does from the hall: broadcast slots, rounds, letting tables in.
import { ask, tell } from "../director/api.js";
import { html, say } from "../director/dom.js";
import { copier } from "../director/linkkit.js";
import { wall } from "../director/wording.js";
import { steadily } from "../steady.js";

const base = "/director/hall";
const SLOWEST_MS = 500; // a difference that an answer's way may make
const by = (id) => document.querySelector(`#${id}`);

// `at` is in the panel where it stands in words that something was done.
async function done(promise, words, at = null) {
  const outcome = at?.closest(".panel").querySelector(".outcome");
  if (outcome) outcome.textContent = "";
  try {
    const answer = await promise;
    by("fault").hidden = true;
    if (outcome) outcome.textContent = `✓ ${words}.`;
    else say(words);
    await look();
    return answer;
  } catch (error) {
    by("fault").textContent = error.message;
    by("fault").hidden = false;
    by("fault").scrollIntoView({ block: "nearest" });
    return null;
  }
}

for (const select of document.querySelectorAll("select[data-slot]")) {
  select.addEventListener("change", () =>
    done(
      tell(`${base}/slots/${select.dataset.slot}`, { table: select.value }),
      `Slot “${select.dataset.slot}” shows ${select.selectedOptions[0].text}`,
      select,
    ),
  );
}

// Another director may choose too, and the first table may be another one.
function showSlots(slots) {
  for (const select of document.querySelectorAll("select[data-slot]")) {
    const slot = slots[select.dataset.slot];
    if (!slot || select === document.activeElement) continue;
    const words = `automatic (${slot.by_itself ? `now ${slot.by_itself}` : "nothing for now"})`;
    const automatic = select.querySelector("[data-automatic]");
    if (automatic.textContent !== words) automatic.textContent = words;
    select.value = slot.chosen ?? "";
  }
}

const tables = (count) => (count === 1 ? "1 table" : `${count} tables`);
const deed = ({ round, tables: count }) => `Send the names of round ${round} to ${tables(count)}`;
let seatings = [];
let hasChosenRound = false; // else the page goes on to the round that is due
let asked = null; // what the dialog asks about

const seating = () => seatings.find(({ round }) => round === Number(by("round").value));

function showSeating({ due, rounds }) {
  if (!by("seating")) return;
  const select = by("round");
  const before = select.value;
  if (rounds.map(({ round }) => round).join() !== [...select.options].map((option) => option.value).join()) {
    select.replaceChildren(...rounds.map(({ round }) => html`<option>${round}</option>`));
    select.value = before;
  }
  if (!hasChosenRound && select !== document.activeElement) select.value = due;
  seatings = rounds;
  showDeed();
}

function showDeed() {
  const chosen = seating();
  by("seat").disabled = !chosen?.tables;
  if (chosen)
    by("seat").textContent = chosen.tables
      ? deed(chosen)
      : chosen.open.length
        ? `Say first which division the tables of round ${chosen.round} are of`
        : `No table of round ${chosen.round} has joined`;
}

// A table whose number two divisions have: its games, and a button for each division.
function openSeat({ table, name, games }) {
  const button = ({ division }) =>
    html`<button class="button small" type="button" onclick=${() => setDivision(table, name, division)}>
      It is of division ${division}
    </button>`;
  const words = games.map(({ division, left, right }) => `division ${division}: ${left} – ${right}`).join(", and to ");
  return html`<li data-row="open ${table}">
    <b>${name}</b> gets no names until you say its division. The pairings give its number to ${words}.
    ${games.map((game) => [" ", button(game)])}
  </li>`;
}

function setDivision(table, name, division) {
  return done(
    tell(`${base}/tables/${encodeURIComponent(table)}/division`, { division }),
    division ? `${name} is of division ${division}` : `The division of ${name} is open`,
    by("divisions"),
  );
}

// Unchanged lists stay as they are: one may be open in front of somebody.
let shownDivisions = "";
function showDivisions({ fault, kept, doubts, divisions, of }, tables) {
  by("pairings-fault").hidden = !fault;
  if (fault)
    by("pairings-fault").textContent =
      `The pairings cannot be used as they are: ${fault}.${kept ? " Those that were known are kept." : ""}`;
  by("doubts").hidden = !doubts.length;
  by("doubts").replaceChildren(...doubts.map((text) => html`<li>${text}</li>`));
  const seats = seating()?.open ?? [];
  by("open-seats").hidden = !seats.length;
  by("open-seats").replaceChildren(...seats.map(openSeat));
  by("divisions").hidden = divisions.length < 2 || !tables.length;
  if (JSON.stringify([divisions, tables, of]) === shownDivisions) return;
  shownDivisions = JSON.stringify([divisions, tables, of]);
  const before = by("division-table").value;
  by("division-table").replaceChildren(
    ...tables.map(
      ({ id, name }) =>
        html`<option value=${id} selected=${id === before} data-name=${name} data-division=${of[id] ?? ""}>
          ${of[id] ? `${name} (${of[id]})` : name}
        </option>`,
    ),
  );
  by("division").replaceChildren(
    html`<option value="">open</option>`,
    ...divisions.map((text) => html`<option value=${text}>${text}</option>`),
  );
  showChosenDivision();
}

function showChosenDivision() {
  by("division").value = by("division-table").selectedOptions[0]?.dataset.division ?? "";
}

by("division-table").addEventListener("change", showChosenDivision);
by("divisions").addEventListener("submit", (event) => {
  event.preventDefault();
  const { value, dataset } = by("division-table").selectedOptions[0];
  setDivision(value, dataset.name, by("division").value);
});

async function seat({ round, tables: count }) {
  const answer = await done(
    tell(`${base}/seat`, { round }),
    `The names of round ${round} were sent to ${tables(count)}; ` +
      "“Asked of tables” shows whichever has not taken them yet",
    by("seating"),
  );
  if (answer) hasChosenRound = false;
}

by("round")?.addEventListener("change", () => {
  hasChosenRound = true;
  showDeed();
});
by("seat")?.addEventListener("click", () => {
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

by("enrol").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await done(
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
  box.querySelector(".address").replaceChildren(
    box.querySelector("code"),
    copier(() => answer.command, "the command"),
  );
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

let shown = "";
function showTables(tables) {
  // An unchanged list stays as it is: it may be open in front of somebody.
  if (JSON.stringify(tables) === shown) return;
  shown = JSON.stringify(tables);
  by("access").hidden = !tables.length;
  const before = by("access-table").value;
  by("access-table").replaceChildren(
    ...tables.map(
      ({ id, name, out }) =>
        html`<option value=${id} selected=${id === before} data-name=${name} data-out=${out}>
          ${out ? `${name} (kept out)` : name}
        </option>`,
    ),
  );
  showAccess();
}

function admit(table, name, what, why) {
  return done(
    tell(`${base}/tables/${encodeURIComponent(table)}/${what}`, { why }),
    what === "revoke" ? `${name} is kept out` : `${name} is let in again`,
    by("access"),
  );
}

by("access-table").addEventListener("change", showAccess);
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
showAccess();

// A result that counts for nothing as yet, and what the director can make of it.
function claim({ result, rounds, why, against, waits }) {
  const game = { table: result.table, game: result.game_id };
  const button = (text, round) =>
    html`<button
      class="button small"
      type="button"
      onclick=${() => done(tell(`${base}/results`, { ...game, round }), text)}
    >
      ${text}
    </button>`;
  const scores = (one) => `${one.left} ${one.left_score} – ${one.right} ${one.right_score}`;
  const page = `/director/tables/${encodeURIComponent(result.table)}?game=${encodeURIComponent(result.game_id)}`;
  return html`<li data-row="claim ${result.table} ${result.game_id}">
    <b>${result.table}</b> ${scores(result)}${result.settled ? "" : ", not settled"}: ${why}
    ${against && ` (${scores(against)})`}. <a class="button small" href=${page}>
      ${rounds.length ? "Open the game" : "Name the players"}
    </a>
    ${rounds.map((round) => [" ", button(`${waits ? "Let it count" : "Take it"} for round ${round}`, round)])}
    ${" "}${button("For none", 0)} ${button("As the pairings have it", null)}
  </li>`;
}

function draw(state) {
  by("pictures").hidden = !state.pictures_missing;
  by("pictures").textContent = `Pictures that are still at their tables: ${state.pictures_missing}`;
  by("claims-panel").hidden = !state.claims.length;
  by("claims").replaceChildren(...state.claims.map(claim));
  by("incidents-panel").hidden = !state.trouble.length && !state.incidents.length;
  by("incidents").replaceChildren(
    ...state.trouble.map((line) => html`<li><strong>${line}</strong></li>`),
    ...state.incidents.map(
      (one) =>
        html`<li>
          <span class="soft">${wall(one.wall_ns)} </span>
          <b>${one.table}</b> ${one.what}: ${one.detail}${one.count > 1 ? ` (${one.count} times)` : ""}
        </li>`,
    ),
  );
  by("requests-panel").hidden = !state.requests.length;
  by("requests").replaceChildren(
    ...state.requests.map((one) => {
      const open = one.status === "waiting" || one.status === "unsure";
      const stands = [one.status, one.answer, open && `until ${wall(one.expires_ns)}`].filter(Boolean).join(", ");
      const withdraw = () => done(tell(`${base}/requests/${one.id}/withdraw`), "Called back");
      return html`<li data-row="request ${one.id}">
        <b>${one.table}</b> ${one.words} (${one.by.replace(/^director:? ?/, "")}): ${stands}${" "}
        ${open && html`<button class="button small" type="button" onclick=${withdraw}>Call back</button>`}
      </li>`;
    }),
  );
}

// Clocks are counted by the hub's time of day; this device's may be set otherwise.
function showTime(now) {
  const { dataset } = document.querySelector("[data-stream]");
  const ahead = now - Date.now();
  if (Math.abs(ahead - Number(dataset.ahead ?? 0)) > SLOWEST_MS) dataset.ahead = ahead;
}

async function look() {
  const state = await ask(`${base}/state`);
  showTime(state.now_ms);
  showTables(state.enrolled);
  showSlots(state.slots);
  showSeating(state.seating);
  steadily(() => {
    showDivisions(state.pairings, state.enrolled);
    draw(state);
  });
}

setInterval(() => document.hidden || look().catch(() => {}), 3000);
look().catch(() => {});
