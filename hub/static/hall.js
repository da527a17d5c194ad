// The hall: a line for each table, redrawn when it changes. What the server sends is only what has
// changed; clocks are counted here, from the moment and the speed that the server gives.
import { bare } from "../bare.js";
import { format, leftOf } from "../clock.js";
import { RowStream } from "../row_stream.js";
import { published } from "../site.js";
import { isAimedAt, steadily } from "../steady.js";
import { store, stored } from "../stored.js";
import { gettext, ngettext } from "../texts.js";
import { fillCard, momentItem, newCard, newestMoments } from "./card.js";

const root = document.querySelector("[data-stream]");
const list = document.querySelector("#rows");
const find = document.querySelector("#find");
const pill = document.querySelector("#link");
const WORDS = {
  connecting: gettext("Connecting"),
  live: gettext("Live"),
  lost: gettext("Connection lost, trying again"),
};
const ROUND_MS = 20000;
const rows = new Map(); // by table: {row, item, held}; `held` is the drama by which it has its place

function draw(row) {
  const known = rows.get(row.id);
  const item = known?.item ?? list.querySelector(`[data-table="${CSS.escape(row.id)}"]`) ?? newCard();
  fillCard(item, row);
  item.dataset.drawn = "";
  item.dataset.row = row.id;
  rows.set(row.id, { row, item, held: known?.held ?? row.drama });
  tick(row, item);
}

const wallMs = () => Date.now() + Number(root.dataset.ahead ?? 0);

function tick(row, item) {
  if (!row.clocks) return;
  const now = wallMs() * 1e6 + row.offset_ns;
  for (const cell of item.querySelectorAll(".clock")) {
    const { side } = cell.dataset;
    const left = leftOf(row.clocks, side, now, row.rate);
    cell.textContent = format(left);
    cell.classList.toggle("running", row.clocks.running === side);
    cell.classList.toggle("low", left < 60e9);
  }
}

// A screen in the hall has no search.
function wanted(row) {
  if (!find) return true;
  const words = bare(find.value.trim());
  const names = [row.name, row.id, ...Object.values(row.players ?? {}).map((player) => player.name)];
  return !words || names.some((name) => bare(name).includes(words));
}

function number(id) {
  return Number(/(\d+)\D*$/.exec(id)?.[1] ?? 0);
}

// The order of the public's page: the most dramatic game first, or as the reader chose, by table. A table changes its
// place for a clear reason only, once in a while, and never while somebody reads further down or has just touched the
// page.
const SLACK = 8; // of drama
const STAYS_MS = 15000;
const ORDER = "hall-order";
let byTable = !find || stored(ORDER) === "number";
let settled = 0;
let touched = -STAYS_MS;

function choose(order) {
  byTable = order === "number";
  store(ORDER, order);
  for (const one of rows.values()) one.held = one.row.drama;
  drawOrder();
  arrange();
}

function drawOrder() {
  for (const button of document.querySelectorAll("[data-order]"))
    button.setAttribute("aria-pressed", String(byTable === (button.dataset.order === "number")));
}

function settle(now) {
  if (byTable || now - settled < STAYS_MS || now - touched < STAYS_MS || list.getBoundingClientRect().top < 0) return;
  settled = now;
  let moved = false;
  for (const one of rows.values()) {
    if (Math.abs(one.row.drama - one.held) < SLACK) continue;
    one.held = one.row.drama;
    moved = true;
  }
  if (moved) arrange();
}

// They stay in their order while somebody is about to press one.
function arrange() {
  const still = isAimedAt(list) ? [...list.children] : [];
  const order = [...rows.values()].sort((a, b) => {
    const place = ({ item }) => (still.includes(item) ? still.indexOf(item) : still.length);
    const rank = ({ held }) => (byTable ? 0 : -held);
    return (
      place(a) - place(b) ||
      rank(a) - rank(b) ||
      number(a.row.id) - number(b.row.id) ||
      a.row.id.localeCompare(b.row.id)
    );
  });
  let shown = 0;
  order.forEach(({ row, item }, at) => {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
    item.hidden = !wanted(row);
    shown += item.hidden ? 0 : 1;
  });
  // The server's, of a table that is gone.
  for (const item of list.querySelectorAll(":scope > li:not([data-drawn])")) item.remove();
  if (!find) return;
  const words = ngettext("%(shown)s of %(num)s table", "%(shown)s of %(num)s tables", rows.size, { shown });
  const count = document.querySelector("#count");
  if (count.textContent !== words) count.textContent = words;
  const none = document.querySelector("#none");
  none.hidden = shown > 0 || rows.size === 0;
  if (!none.hidden) none.textContent = gettext("Nothing found for “%(wanted)s”.", { wanted: find.value.trim() });
}

// The heading names the round, which goes on while the page stays open: asked when a game has begun.
const heading = document.querySelector("#round[data-now]");
let asking = 0;

function isNewGame(row, before) {
  return (
    before &&
    row.status === "running" &&
    (before.status !== "running" || before.players?.left.name !== row.players?.left.name)
  );
}

function askRound() {
  if (!heading || asking) return;
  // Tables begin one after the other, and many pages look on.
  asking = setTimeout(
    async () => {
      asking = 0;
      try {
        const { round } = await (await fetch(heading.dataset.now)).json();
        if (!round) return;
        heading.textContent = gettext("Round %(number)s", { number: round });
        heading.classList.remove("sr");
      } catch {
        // the next game that begins asks again
      }
    },
    ROUND_MS * (0.5 + Math.random()),
  );
}

function state(name) {
  pill.dataset.state = name;
  pill.querySelector("span").textContent = WORDS[name];
}

function take(changed) {
  if (changed.some((row) => isNewGame(row, rows.get(row.id)?.row))) askRound();
  steadily(() => {
    for (const row of changed) draw(row);
    arrange();
    drawMoments();
  });
  root.dispatchEvent(new CustomEvent("hall"));
}

// What has just happened. A screen reader is told the newest of it, once in a while.
const moments = document.querySelector("#moments");
const SAID_MS = 30000;
let spoken = { at: 0, id: null };

function drawMoments() {
  if (!moments || moments.matches(":focus-within, :hover")) return;
  const found = newestMoments(
    [...rows.values()].map(({ row }) => row),
    wallMs(),
  );
  moments.replaceChildren(...found.map(momentItem));
  const [newest] = found;
  if (!newest || newest.id === spoken.id || performance.now() - spoken.at < SAID_MS) return;
  if (spoken.id) document.querySelector("#say").textContent = `${newest.row.name}: ${newest.text}`;
  spoken = { at: performance.now(), id: newest.id };
}

// The hub's time, by the head of an answer: a device's own may be wrong.
async function learnTime() {
  try {
    const date = Date.parse((await fetch(import.meta.url, { method: "HEAD", cache: "no-store" })).headers.get("date"));
    const ahead = date + 500 - Date.now();
    if (Math.abs(ahead) > 2000) root.dataset.ahead = ahead;
  } catch {
    // then the device's own counts
  }
}

list.addEventListener("mouseleave", () => setTimeout(arrange)); // once it is known where the mouse is
find?.addEventListener("input", arrange);
addEventListener("click", ({ target }) => target.dataset?.order && choose(target.dataset.order));
addEventListener("touchstart", ({ timeStamp }) => (touched = timeStamp), { passive: true });
drawOrder();
if (!published) learnTime(); // files bring the time with them
setInterval(() => {
  for (const { row, item } of rows.values()) if (!item.hidden) tick(row, item);
  settle(performance.now());
}, 1000);
new RowStream(root.dataset.stream, take, state, { beat: () => {} });
