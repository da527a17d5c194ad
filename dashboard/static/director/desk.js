// All tables at a glance, those that need somebody first.
import { format, leftOf } from "../clock.js";
import { RowStream } from "../row_stream.js";
import { isAimedAt, steadily } from "../steady.js";
import { deed, printed, signed } from "../words.js";
import { link, stillIn } from "./api.js";
import { html, LEVELS, level } from "./dom.js";
import { PHASES, phaseOf } from "./wording.js";

const EVENTS = "/director/api/tables/events";
const TICK_MS = 250;
const SHOWN = 4;
const list = document.querySelector("#tables");
const ranks = Object.keys(LEVELS);
const rows = new Map(); // the server's last message about each table
const times = new Map(); // the time at each table, and when it was that
let now = []; // the tables as they are shown
const drawn = new Map(); // the card of each table, and what it says
let order = ""; // what the list looked like when it was drawn

function rank(table) {
  const first = table.concerns[0];
  return first ? ranks.indexOf(first.level) : ranks.length;
}

function remaining(table, side) {
  const time = times.get(table.id);
  return leftOf(table.clocks, side, time.now_ns + (performance.now() - time.at) * 1e6 * time.rate);
}

function tick(item, table) {
  if (!table.clocks) return;
  for (const clock of item.querySelectorAll(".clock")) {
    const left = remaining(table, clock.dataset.side);
    clock.textContent = format(left);
    clock.classList.toggle("low", left < 60e9);
  }
}

function sides(table) {
  const cells = [];
  for (const side of ["left", "right"]) {
    const running = table.clocks?.running === side ? " running" : "";
    cells.push(
      html`<span class=${table.on_turn === side ? "name on" : "name"}>${table.players[side].name}</span>`,
      html`<span class="score">${table.players[side].score}</span>`,
      html`<span class="clock${running}" data-side=${side} hidden=${table.clocks === null}></span>`,
    );
  }
  return html`<div class="sides">${cells}</div>`;
}

function lastly(table) {
  const { last } = table;
  if (!last) return table.status === "waiting" ? "No turn yet" : "";
  const what = last.word ? `${[...last.word].map(printed).join("")} at ${last.position}` : deed(last.kind);
  return `Turn ${last.number}: ${what}, ${signed(last.score)}`;
}

function needs(table) {
  const items = table.concerns.slice(0, SHOWN).map(
    (one) =>
      html`<li>
        ${level(one.level)}
        <span data-code=${one.code}>${one.about ? `Turn ${one.about}: ${one.text}` : one.text}</span>
      </li>`,
  );
  const more = table.concerns.length - SHOWN;
  if (more > 0) items.push(html`<li class="quiet">and ${more} more</li>`);
  if (phaseOf(table, table.phase) === "ended") items.push(html`<li class="whole">The result is not signed yet.</li>`);
  if (!items.length) items.push(html`<li class="quiet">Nothing needs you.</li>`);
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

function card(table) {
  const address = `/director/tables/${encodeURIComponent(table.id)}`;
  return html`<li data-id=${table.id} data-row=${table.id}>
    <article class="panel table-card" data-level=${table.concerns[0]?.level ?? ""}>
      <h2><a href=${address}>${table.name}</a><span class="phase">${PHASES[phaseOf(table, table.phase)]}</span></h2>
      ${table.players && sides(table)}
      <p class="lastly">${lastly(table)}</p>
      ${needs(table)}
      ${earlier(table, address)}
    </article>
  </li>`;
}

function draw(tables) {
  const sorted = tables
    .map((table, place) => ({ table, place }))
    .sort((a, b) => rank(a.table) - rank(b.table) || a.place - b.place)
    .map(({ table }) => table);
  const waiting = sorted.filter((table) => rank(table) < ranks.indexOf("note")).length;
  const needed = waiting
    ? `${waiting} of ${sorted.length} ${waiting === 1 ? "needs" : "need"} somebody`
    : "No table needs you now";
  const unsigned = sorted.reduce((sum, table) => sum + table.unsigned.length, 0);
  const over = sorted.filter((table) => phaseOf(table, table.phase) === "ended").length;
  const lacks = (count, one) => (count ? [`${count} ${count === 1 ? `${one} is` : `${one}s are`} not signed`] : []);
  const text = [needed, ...lacks(over, "result"), ...lacks(unsigned, "earlier game")].join(". ");
  const summary = document.querySelector("#summary");
  if (summary.textContent !== text) summary.textContent = text;
  // Whoever is about to click must not have the cards change places under the pointer.
  const key = sorted.map((table) => table.id).join("\n");
  const settled = isAimedAt(list) && order.split("\n").sort().join() === key.split("\n").sort().join();
  const shown = settled ? order.split("\n").map((id) => sorted.find((table) => table.id === id)) : sorted;
  if (!settled) order = key;
  // A card whose text is the same stays as it is, so that nothing is read out twice.
  const cards = shown.map((table) => {
    const text = JSON.stringify(table);
    const old = drawn.get(table.id);
    const item = old?.text === text ? old.item : card(table);
    drawn.set(table.id, { item, text });
    return item;
  });
  const same = cards.length === list.childElementCount && cards.every((item, place) => item === list.children[place]);
  if (!same) steadily(() => list.replaceChildren(...cards));
  now = shown;
  tickAll();
}

function tickAll() {
  for (const table of now) if (table.players) tick(drawn.get(table.id).item, table);
}

function state(name) {
  link(name);
  // A page cannot learn why a stream broke; that the session has ended shows by this.
  if (name === "lost") stillIn(EVENTS).catch(() => {});
}

function take(changed) {
  for (const row of changed) rows.set(row.id, row);
  draw([...rows.values()]);
}

function setTimes({ data }) {
  const at = performance.now();
  for (const [table, time] of Object.entries(JSON.parse(data))) times.set(table, { ...time, at });
}

// Once it is known where the mouse is.
list.addEventListener("mouseleave", () => setTimeout(draw, 0, [...rows.values()]));
new RowStream(EVENTS, take, state, { time: setTimes });
setInterval(tickAll, TICK_MS);
