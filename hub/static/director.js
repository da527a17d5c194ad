// What the director does from the hall: broadcast slots, rounds, letting tables in.
import { ask, tell } from "../director/api.js";
import { make, say } from "../director/dom.js";
import { copier } from "../director/linkkit.js";
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
  select.addEventListener("change", () => done(tell(`${base}/slots/${select.dataset.slot}`, { table: select.value }), `Slot “${select.dataset.slot}” shows ${select.selectedOptions[0].text}`, select));
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
    select.replaceChildren(...rounds.map(({ round }) => make("option", { text: round })));
    select.value = before;
  }
  if (!hasChosenRound && select !== document.activeElement) select.value = due;
  seatings = rounds;
  showDeed();
}

function showDeed() {
  const chosen = seating();
  by("seat").disabled = !chosen?.tables;
  if (chosen) by("seat").textContent = chosen.tables ? deed(chosen) : chosen.open.length ? `Say first which division the tables of round ${chosen.round} are of` : `No table of round ${chosen.round} has joined`;
}

// A table whose number two divisions have: its games, and a button for each division.
function openSeat({ table, name, games }) {
  const button = ({ division }) => make("button", { className: "button small", type: "button", text: `It is of division ${division}`, onclick: () => setDivision(table, name, division) });
  const words = games.map(({ division, left, right }) => `division ${division}: ${left} – ${right}`).join(", and to ");
  return make("li", { data: { row: `open ${table}` } }, make("b", { text: name }), ` gets no names until you say its division. The pairings give its number to ${words}. `, ...games.flatMap((game) => [button(game), " "]));
}

function setDivision(table, name, division) {
  return done(tell(`${base}/tables/${encodeURIComponent(table)}/division`, { division }), division ? `${name} is of division ${division}` : `The division of ${name} is open`, by("divisions"));
}

// Unchanged lists stay as they are: one may be open in front of somebody.
let shownDivisions = "";
function showDivisions({ fault, kept, doubts, divisions, of }, tables) {
  by("pairings-fault").hidden = !fault;
  if (fault) by("pairings-fault").textContent = `The pairings cannot be used as they are: ${fault}.${kept ? " Those that were known are kept." : ""}`;
  by("doubts").hidden = !doubts.length;
  by("doubts").replaceChildren(...doubts.map((text) => make("li", { text })));
  const seats = seating()?.open ?? [];
  by("open-seats").hidden = !seats.length;
  by("open-seats").replaceChildren(...seats.map(openSeat));
  by("divisions").hidden = divisions.length < 2 || !tables.length;
  if (JSON.stringify([divisions, tables, of]) === shownDivisions) return;
  shownDivisions = JSON.stringify([divisions, tables, of]);
  const before = by("division-table").value;
  by("division-table").replaceChildren(...tables.map(({ id, name }) => make("option", { value: id, text: of[id] ? `${name} (${of[id]})` : name, selected: id === before, data: { name, division: of[id] ?? "" } })));
  by("division").replaceChildren(make("option", { value: "", text: "open" }), ...divisions.map((text) => make("option", { value: text, text })));
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
  const answer = await done(tell(`${base}/seat`, { round }), `The names of round ${round} were sent to ${tables(count)}; “Asked of tables” shows whichever has not taken them yet`, by("seating"));
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
  by("send-names-playing").textContent = `A game is being played at ${tables(playing.length)} of ${asked.tables}: ${playing.join(", ")}.`;
  by("send-names-others").hidden = !others.length;
  const where = others.length === playing.length ? "there" : `at ${others.join(", ")}`;
  by("send-names-others").textContent = `Others than those of round ${round} play ${where}: their games would get the names of round ${round}.`;
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
  const answer = await done(tell(`${base}/codes`, { table: by("enrol-table").value, name: by("enrol-name").value }), "A code was made");
  if (!answer) return;
  const box = by("code");
  box.hidden = false;
  box.querySelector(".code").textContent = answer.code;
  const [, start, option, hub] = /^(.*) (--hub) (.*)$/.exec(answer.command);
  // A line breaks before an option, not within it.
  box.querySelector("code").replaceChildren(`${start} `, make("span", {}, make("span", { text: option }), ` ${hub}`));
  box.querySelector(".address").replaceChildren(box.querySelector("code"), copier(() => answer.command, "the command"));
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
    ...tables.map(({ id, name, out }) => make("option", { value: id, text: out ? `${name} (kept out)` : name, selected: id === before, data: { name, ...(out && { out: "" }) } })),
  );
  showAccess();
}

function admit(table, name, what, why) {
  return done(tell(`${base}/tables/${encodeURIComponent(table)}/${what}`, { why }), what === "revoke" ? `${name} is kept out` : `${name} is let in again`, by("access"));
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

function when(wall_ns) {
  return new Date(wall_ns / 1e6).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

// A result that counts for nothing as yet, and what the director can make of it.
function claim({ result, rounds, why, against, waits }) {
  const game = { table: result.table, game: result.game_id };
  const button = (text, round) => make("button", { className: "button small", type: "button", text, onclick: () => done(tell(`${base}/results`, { ...game, round }), text) });
  const line = make("li", { data: { row: `claim ${result.table} ${result.game_id}` } }, make("b", { text: result.table }), ` ${result.left} ${result.left_score} – ${result.right} ${result.right_score}${result.settled ? "" : ", not settled"}: ${why}${against ? ` (${against.left} ${against.left_score} – ${against.right} ${against.right_score})` : ""}. `);
  line.append(make("a", { className: "button small", href: `/director/tables/${encodeURIComponent(result.table)}?game=${encodeURIComponent(result.game_id)}`, text: rounds.length ? "Open the game" : "Name the players" }), " ");
  for (const round of rounds) line.append(button(`${waits ? "Let it count" : "Take it"} for round ${round}`, round), " ");
  line.append(button("For none", 0), " ", button("As the pairings have it", null));
  return line;
}

function draw(state) {
  by("pictures").hidden = !state.pictures_missing;
  by("pictures").textContent = `Pictures that are still at their tables: ${state.pictures_missing}`;
  by("claims-panel").hidden = !state.claims.length;
  by("claims").replaceChildren(...state.claims.map(claim));
  by("incidents-panel").hidden = !state.trouble.length && !state.incidents.length;
  by("incidents").replaceChildren(
    ...state.trouble.map((line) => make("li", {}, make("strong", { text: line }))),
    ...state.incidents.map((one) => make("li", {}, make("span", { className: "soft", text: `${when(one.wall_ns)} ` }), make("b", { text: one.table }), ` ${one.what}: ${one.detail}${one.count > 1 ? ` (${one.count} times)` : ""}`)),
  );
  by("requests-panel").hidden = !state.requests.length;
  by("requests").replaceChildren(
    ...state.requests.map((one) => {
      const open = one.status === "waiting" || one.status === "unsure";
      const line = make("li", { data: { row: `request ${one.id}` } }, make("b", { text: one.table }), ` ${one.words} (${one.by.replace(/^director:? ?/, "")}): ${one.status}${one.answer ? `, ${one.answer}` : ""}${open ? `, until ${when(one.expires_ns)}` : ""} `);
      if (open) line.append(make("button", { className: "button small", type: "button", text: "Call back", onclick: () => done(tell(`${base}/requests/${one.id}/withdraw`), "Called back") }));
      return line;
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
