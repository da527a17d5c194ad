// All tables at a glance, those that need somebody first: of one machine, or of a hub.
import { bare } from "../bare.js";
import { format, leftOf } from "../clock.js";
import { RowStream } from "../row_stream.js";
import { isAimedAt, steadily } from "../steady.js";
import { deed, printed, signed } from "../words.js";
import { link, stillIn } from "./api.js";
import { $, html, LEVELS, level } from "./dom.js";
import { PHASES, phaseOf, SIDES } from "./wording.js";

const EVENTS = "/director/api/tables/events";
const TICK_MS = 250;
const SHOWN = 4;
// Of a hub's table that is not in touch.
const STATES = { never: "Not heard yet", silent: "Silent", lost: "Lost", stopped: "Switched off", out: "Kept out" };
const list = $("#tables");
const find = $("#find");
const only = $("#only");
const ranks = Object.keys(LEVELS);
const tables = new Map(); // by id: {row, card, text}; `text` is what the card says
const times = new Map(); // the time at each table, and when it was that

// The log tells, whatever the table says of itself.
const phase = (row) => phaseOf(row, row.signed ? "signed" : row.phase);
const isUnsigned = (row) => phase(row) === "ended";
// The level of what needs somebody most: a result that is not signed is a question, too.
const levelOf = (row) => row.concerns[0]?.level ?? (isUnsigned(row) ? "question" : "");
const rank = (row) => (levelOf(row) ? ranks.indexOf(levelOf(row)) : ranks.length);
const number = ({ id }) => Number(/(\d+)\D*$/.exec(id)?.[1] ?? 0);
const isHere = ({ state = "here" }) => state === "here";

function remaining({ id, clocks }, side) {
  const time = times.get(id);
  return leftOf(clocks, side, time.now_ns + (performance.now() - time.at) * 1e6 * time.rate);
}

function tick({ row, card }) {
  if (!row.clocks) return;
  for (const clock of card.querySelectorAll(".clock")) {
    const left = remaining(row, clock.dataset.side);
    clock.textContent = format(left);
    clock.classList.toggle("low", left < 60e9);
  }
}

function sides({ players, clocks, on_turn: turn }) {
  const cells = SIDES.map((side) => {
    const running = clocks?.running === side ? " running" : "";
    return [
      html`<span class=${turn === side ? "name on" : "name"}>${players[side].name}</span>`,
      html`<span class="score">${players[side].score}</span>`,
      html`<span class="clock${running}" data-side=${side} hidden=${clocks === null}></span>`,
    ];
  });
  return html`<div class="sides">${cells.flat()}</div>`;
}

function lastly({ last, status }) {
  if (!last) return status === "waiting" ? "No turn yet" : "";
  const what = last.word ? `${[...last.word].map(printed).join("")} at ${last.position}` : deed(last.kind);
  return `Turn ${last.number}: ${what}, ${signed(last.score)}`;
}

function needs({ concerns, requests = [], ...row }) {
  const items = concerns.slice(0, SHOWN).map(
    (one) =>
      html`<li>
        ${level(one.level)}
        <span data-code=${one.code}>${one.about ? `Turn ${one.about}: ${one.text}` : one.text}</span>
      </li>`,
  );
  const more = concerns.length - SHOWN;
  if (more > 0) items.push(html`<li class="quiet">and ${more} more</li>`);
  for (const words of requests) items.push(html`<li class="whole">Waits for the table: ${words}</li>`);
  if (isUnsigned(row)) items.push(html`<li class="whole">The result is not signed yet.</li>`);
  if (!items.length) items.push(html`<li class="quiet none">Nothing needs you.</li>`);
  return html`<ul class="needs">${items}</ul>`;
}

// The games before that nobody has signed, each with its page.
function earlier({ unsigned }, address) {
  if (!unsigned.length) return null;
  const links = unsigned.map(
    ({ game_id: id, begun, players }) =>
      html`<li><a href="${address}?game=${encodeURIComponent(id)}">${players}</a> ${begun}</li>`,
  );
  return html`<div class="earlier"><span>Not signed: </span><ul>${links}</ul></div>`;
}

function cardOf(row) {
  const address = `/director/tables/${encodeURIComponent(row.id)}`;
  const how = isHere(row) ? PHASES[phase(row)] : (STATES[row.state] ?? row.state);
  return html`<li data-id=${row.id} data-row=${row.id}>
    <article class="panel table-card" data-level=${levelOf(row)}>
      <h2><a href=${address}>${row.name}</a><span class="phase" data-state=${row.state ?? ""}>${how}</span></h2>
      ${row.players && sides(row)}
      <p class="lastly">${lastly(row)}</p>
      ${needs(row)}
      ${earlier(row, address)}
    </article>
  </li>`;
}

function wanted(row) {
  const words = bare(find.value.trim());
  const names = [row.name, row.id, ...Object.values(row.players ?? {}).map((player) => player.name)];
  return (
    (!words || names.some((name) => bare(name).includes(words))) &&
    (!only.checked || levelOf(row) || row.requests?.length || row.unsigned.length)
  );
}

function summary(rows) {
  const waiting = rows.filter((row) => rank(row) < ranks.indexOf("note")).length;
  const needed = waiting
    ? `${waiting} of ${rows.length} ${waiting === 1 ? "needs" : "need"} somebody`
    : "No table needs you now";
  const unsigned = rows.reduce((sum, row) => sum + row.unsigned.length, 0);
  const over = rows.filter(isUnsigned).length;
  const lacks = (count, one) => (count ? [`${count} ${count === 1 ? `${one} is` : `${one}s are`} not signed`] : []);
  return [needed, ...lacks(over, "result"), ...lacks(unsigned, "earlier game")].join(". ");
}

function write(selector, text) {
  if ($(selector).textContent !== text) $(selector).textContent = text;
}

function arrange() {
  // Whoever is about to click must not have the cards change places under the pointer.
  const still = isAimedAt(list) ? [...list.children] : [];
  const place = ({ card }) => (still.includes(card) ? still.indexOf(card) : still.length);
  const order = [...tables.values()].sort(
    (a, b) =>
      place(a) - place(b) ||
      rank(a.row) - rank(b.row) ||
      number(a.row) - number(b.row) ||
      a.row.id.localeCompare(b.row.id),
  );
  order.forEach(({ row, card }, at) => {
    if (list.children[at] !== card) list.insertBefore(card, list.children[at] ?? null);
    card.hidden = !wanted(row);
  });
  const rows = order.map(({ row }) => row);
  const shown = rows.filter(wanted).length;
  find.form.hidden = rows.length < 2;
  write("#summary", rows.length ? summary(rows) : "");
  write("#count", shown < rows.length ? `${shown} of ${rows.length} tables` : "");
  $("#none").hidden = shown > 0 || rows.length === 0;
  write("#none", find.value.trim() ? `Nothing found for “${find.value.trim()}”.` : "No table needs you.");
}

function take(changed) {
  steadily(() => {
    for (const row of changed) {
      const known = tables.get(row.id);
      const text = JSON.stringify({ ...row, seq: 0 });
      // A card whose text is the same stays as it is, so that nothing is read out twice.
      const card = known?.text === text ? known.card : cardOf(row);
      if (known && card !== known.card) known.card.replaceWith(card);
      tables.set(row.id, { row, card, text });
      tick(tables.get(row.id));
    }
    arrange();
  });
}

function state(name) {
  link(name);
  // A page cannot learn why a stream broke; that the session has ended shows by this.
  if (name === "lost") stillIn(EVENTS).catch(() => {});
}

function setTimes({ data }) {
  const at = performance.now();
  for (const [table, time] of Object.entries(JSON.parse(data))) times.set(table, { ...time, at });
}

find.form.addEventListener("submit", (event) => event.preventDefault());
find.addEventListener("input", arrange);
only.addEventListener("change", arrange);
list.addEventListener("mouseleave", () => setTimeout(arrange)); // once it is known where the mouse is
new RowStream(EVENTS, take, state, { time: setTimes });
setInterval(() => {
  for (const one of tables.values()) if (!one.card.hidden) tick(one);
}, TICK_MS);
