// What the director does from the hall: broadcast slots, rounds, letting tables in.
import { ask, tell } from "../director/api.js";
import { make, say } from "../director/dom.js";
import { steadily } from "../steady.js";

const base = "/director/hall";
const by = (id) => document.querySelector(`#${id}`);

async function done(promise, words) {
  try {
    const answer = await promise;
    by("fault").hidden = true;
    say(words);
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
  select.addEventListener("change", () => done(tell(`${base}/slots/${select.dataset.slot}`, { table: select.value }), `${select.dataset.slot} shows ${select.selectedOptions[0].text}`));
}

by("seat")?.addEventListener("click", async () => {
  const round = Number(by("round").value);
  const answer = await done(tell(`${base}/seat`, { round }), `The tables know who sits there in round ${round}`);
  if (answer) say(`${Object.keys(answer.seated).length} tables`);
});

by("enrol").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await done(tell(`${base}/codes`, { table: by("enrol-table").value, name: by("enrol-name").value }), "A code was made");
  if (!answer) return;
  const box = by("code");
  box.hidden = false;
  box.querySelector(".code").textContent = answer.code;
  box.querySelector("code").textContent = answer.command;
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
  return done(tell(`${base}/tables/${encodeURIComponent(table)}/${what}`, { why }), what === "revoke" ? `${name} is kept out` : `${name} is let in again`);
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

// A result that counts for no round of its two players, and what the director can make of it.
function claim({ result, rounds, why, against }) {
  const game = { table: result.table, game: result.game_id };
  const button = (text, round) => make("button", { className: "button small", type: "button", text, onclick: () => done(tell(`${base}/results`, { ...game, round }), text) });
  const line = make("li", { data: { row: `claim ${result.table} ${result.game_id}` } }, make("b", { text: result.table }), ` ${result.left} ${result.left_score} – ${result.right} ${result.right_score}${result.settled ? "" : ", not settled"}: ${why}${against ? ` (${against.left} ${against.left_score} – ${against.right} ${against.right_score})` : ""}. `);
  for (const round of rounds) line.append(button(`Take it for round ${round}`, round), " ");
  line.append(button("For none", 0), " ", button("As the pairings have it", null));
  return line;
}

function draw(state) {
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

async function look() {
  const state = await ask(`${base}/state`);
  showTables(state.enrolled);
  steadily(() => draw(state));
}

setInterval(() => document.hidden || look().catch(() => {}), 3000);
look().catch(() => {});
