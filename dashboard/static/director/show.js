// The control page of the show: a graphic is chosen, seen in the preview, and taken; a table comes into the slot.
// The page asks every two seconds what is so; orders are sent at once.

import { ONLY_HERE, onlyHere } from "../only_here.js";
import { answered, ask, link, post, tell } from "./api.js";
import { $, html, say } from "./dom.js";

const EVERY_MS = 2000;
const SEEN_MS = 500;
const show = $("#show");
const { slot, overlay, served } = show.dataset;
const graphics = [...document.querySelectorAll("[data-graphic]")];
let known = { graphic: "", tables: [], table: null };
let chosen = null;

function fault(error) {
  $("#fault").textContent = error?.message ?? "";
  $("#fault").hidden = !error;
}

async function order(path, body, words) {
  try {
    await tell(path, body);
    fault(null);
    say(words);
  } catch (error) {
    fault(error);
  }
  await look();
}

// --- graphics ---

const titled = (name) => $(`[data-graphic="${name}"] b`)?.textContent ?? (name || "none");

function choose(button) {
  chosen = button;
  for (const one of graphics) one.setAttribute("aria-pressed", String(one === button));
  $("#next-name").textContent = titled(button?.dataset.graphic);
  const frame = $("#next-frame");
  const src = button ? `${overlay}?monitor=yes&graphic=${button.dataset.graphic}` : "about:blank";
  if (frame.getAttribute("src") !== src) frame.src = src;
}

const take = (graphic) =>
  order("/director/api/show/take", { slot, graphic }, graphic ? `${titled(graphic)} is on air.` : "Nothing is on air.");

function step(by) {
  const at = graphics.indexOf(chosen);
  const next = graphics[(at + by + graphics.length) % graphics.length];
  choose(next);
  next.focus({ preventScroll: true });
}

// What a monitor does not tell: a graphic may have nothing to show now, and no account opens racks and plays.
function seen(name, frame) {
  if (!name || name === "automatic") return "";
  if ($(`[data-graphic="${name}"]`)?.dataset.secret !== undefined) return "· not shown here; on air with a token";
  const inner = frame.contentDocument?.querySelector(`iframe[title="${name}"]`)?.contentDocument;
  const stage = inner?.readyState === "complete" && inner.querySelector("#stage");
  return stage && !stage.querySelector(":scope:not([data-state=empty]) > section:not([hidden])")
    ? "· nothing to show now"
    : "";
}

function drawSeen() {
  const next = seen(chosen?.dataset.graphic, $("#next-frame"));
  const live = seen(known.graphic, $("#live-frame"));
  if ($("#next-seen").textContent !== next) $("#next-seen").textContent = next;
  if ($("#live-seen").textContent !== live) $("#live-seen").textContent = live;
}

// --- tables ---

const assign = (table) =>
  order(
    "/director/api/slots",
    { name: slot, table, player: null },
    table ? `${slot} shows table ${table}.` : `${slot} is automatic.`,
  );

// The first table that a rule proposes and that is not shown already; without one, the next at which a game runs.
function nextTable() {
  const { tables, table } = known;
  const proposed = tables.find((one) => one.weight && one.id !== table);
  const at = tables.findIndex(({ id }) => id === table);
  const others = [...tables.slice(at + 1), ...tables.slice(0, Math.max(at, 0))];
  const next = proposed ?? others.find(({ status }) => status === "running");
  if (next) assign(next.id);
  else say("No other table has a game that runs.");
}

const STATUS = { ended: "over", waiting: "no game yet" };

function line(one) {
  const here = one.id === known.table;
  const players = one.players.map(
    ({ name, score }, at) => html`<span>${at ? "– " : ""}<bdi>${name}</bdi> ${score} </span>`,
  );
  const bag = one.bag === undefined ? "" : `bag\u00a0${one.bag}`;
  const now = STATUS[one.status] ?? bag;
  const label = `Show ${one.name}`;
  return html`<li data-id=${one.id} data-on=${here}>
    <b>${one.name}</b>
    <span class="players">${players} ${players.length && now ? "· " : ""}${now}</span>
    <span class="why">${one.reasons.map(({ text }) => html`<span>${text}</span>`)}</span>
    <button type="button" class="button small" data-table=${one.id} aria-pressed=${String(here)} aria-label=${label}>
      ${here ? "Shown" : "Show"}
    </button>
  </li>`;
}

function drawTables() {
  const focused = document.activeElement?.dataset?.table;
  const key = JSON.stringify([known.tables, known.table]);
  if ($("#tables").dataset.key === key) return;
  $("#tables").dataset.key = key;
  $("#tables").replaceChildren(...known.tables.map(line));
  if (focused) $(`[data-table="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  const names = known.tables.flatMap(({ players }) => players.map(({ name }) => name));
  $("#players").replaceChildren(...names.map((name) => html`<option value=${name}></option>`));
}

// --- OBS ---

function drawScenes({ names, on_air: onAir, fault: why }) {
  const place = $("#scenes");
  if (!place) return;
  const key = JSON.stringify([names, onAir]);
  if (place.dataset.key !== key) {
    place.dataset.key = key;
    const scenes = names.map(
      (name) =>
        html`<button type="button" class="button small" data-scene=${name} aria-pressed=${String(name === onAir)}>
          ${name}
        </button>`,
    );
    place.replaceChildren(...scenes);
  }
  $("#obs-fault").textContent = why;
  $("#obs-fault").hidden = !why;
}

async function saveCollection(form) {
  const note = $("#collection-note");
  try {
    const answer = await post("/director/api/show/collection", { slot, delay: Number(form.elements.delay.value) });
    if (!answer.ok) await answered(answer);
    const saved = html`<a href=${URL.createObjectURL(await answer.blob())} download=${`tilewatch-${slot}.json`}></a>`;
    saved.click();
    look();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
    note.textContent =
      "Saved. In OBS: Scene Collection › Import. Do not let players have the file: its token shows unseen tiles.";
  } catch (error) {
    fault(error);
  }
}

// --- what is so ---

function drawTroubles(troubles) {
  const key = JSON.stringify(troubles);
  if ($("#on-air").dataset.key === key) return;
  $("#on-air").dataset.key = key;
  $("#on-air").replaceChildren(
    ...troubles.map(
      ({ address, why }) => html`<li class="fault"><b>Nothing on air</b> at <code>${address}</code>: ${why}</li>`,
    ),
  );
}

function draw() {
  const { graphic, tables, table, player, swapped, spoken, obs, troubles, collections } = known;
  for (const one of graphics) one.toggleAttribute("data-on", one.dataset.graphic === graphic);
  $("#live-name").textContent = titled(graphic);
  $(".live").toggleAttribute("data-on", Boolean(graphic));
  $("#automatic").setAttribute("aria-pressed", String(graphic === "automatic"));
  const shown = tables.find(({ id }) => id === table)?.name ?? "no table";
  $("#on-now").textContent = player ? `${shown}, following ${player}` : shown;
  $("#nobody").hidden = !player || table !== null;
  $("#nobody").textContent = `Nothing on air: nobody called ${player} sits at a table.`;
  if (document.activeElement !== $("#player")) $("#player").value = player ?? "";
  $("#swapped").checked = swapped;
  $("#spoken").checked = spoken;
  drawTables();
  drawScenes(obs);
  drawTroubles(troubles);
  $("#earlier").hidden = collections < 2;
  $("#withdraw-earlier").textContent =
    collections === 2 ? "Withdraw the token before" : `Withdraw the ${collections - 1} tokens before`;
}

let looking;
async function look() {
  clearTimeout(looking);
  try {
    known = await ask(`/director/api/show?slot=${encodeURIComponent(slot)}`);
    link("live");
    draw();
  } catch (error) {
    if (error.status !== 401) link("lost");
  }
  looking = setTimeout(look, EVERY_MS);
}

// --- hands ---

const KEYS = {
  Enter: () => chosen && take(chosen.dataset.graphic),
  c: () => take(""),
  a: () => take("automatic"),
  n: nextTable,
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, summary"))
    return;
  const button = event.target.closest("button, a");
  if (event.key === "Enter" && button && button !== chosen) return; // it is pressed
  const act = KEYS[event.key] ?? (graphics[Number(event.key) - 1] && (() => choose(graphics[Number(event.key) - 1])));
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { graphic, table, scene } = button.dataset;
  if (graphic) choose(button);
  else if (table) assign(table);
  else if (scene) order("/director/api/show/scene", { scene }, `${scene} is on air.`);
});
$("#take").addEventListener("click", KEYS.Enter);
$("#clear").addEventListener("click", KEYS.c);
$("#automatic").addEventListener("click", KEYS.a);
$("#next-table").addEventListener("click", nextTable);
$("#withdraw-earlier").addEventListener("click", () =>
  order("/director/api/show/collection/withdraw", { slot }, "Withdrawn: the newest collection still has its token."),
);

show.addEventListener("change", ({ target: { dataset, checked } }) => {
  if (dataset.switch) order("/director/api/show/switch", { slot, [dataset.switch]: checked }, "Changed.");
  if (dataset.rule) order("/director/api/show/rules", { rule: dataset.rule, on: checked }, "Changed.");
});
$("#slot").addEventListener("change", ({ target }) => location.assign(`?slot=${encodeURIComponent(target.value)}`));
$("#follow-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const player = event.target.elements.player.value.trim();
  // Whoever is followed no longer leaves the slot at their table.
  if (!player) return assign(known.table);
  order("/director/api/slots", { name: slot, table: null, player }, `${slot} follows ${player}.`);
});
$("#collection-form").addEventListener("submit", (event) => {
  event.preventDefault();
  saveCollection(event.target);
});

// The monitors are as large as their places allow.
const scaled = new ResizeObserver((places) => {
  for (const { target } of places)
    target.querySelector("iframe").style.transform = `scale(${target.clientWidth / 1920})`;
});
for (const place of document.querySelectorAll(".monitor")) scaled.observe(place);

$("#live-frame").src = `${overlay}?monitor=yes`;
choose(graphics[0]);
$("#only-here").textContent = ONLY_HERE;
$("#only-here").hidden = !onlyHere(served);
setInterval(drawSeen, SEEN_MS);
look();
