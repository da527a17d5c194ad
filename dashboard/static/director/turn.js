// The evidence of one turn: pictures on a time line with the clock, what changed between any two,
// the squares, and what was known when.
import { learnSpellings } from "../spelling.js";
import { ask, link, Refused, tell } from "./api.js";
import { archive } from "./archive.js";
import { foresee } from "./brief.js";
import { Dialog } from "./dialog.js";
import { boardDifference, difference, highlight } from "./difference.js";
import { $, fault, html } from "./dom.js";
import { offerDeed } from "./offer_deed.js";
import { Pose } from "./pose.js";
import { tileDeed, turnDeed } from "./rulings.js";
import { save } from "./saving.js";
import { tabs } from "./tabs.js";
import { MARK, spread } from "./time_line.js";
import { capital, sentence } from "./wording.js";

const { table, game, turn } = document.documentElement.dataset;
const base = `/director/tables/${encodeURIComponent(table)}`;
const path = `/director/api/tables/${encodeURIComponent(table)}/games/${encodeURIComponent(game)}`;
const LONGEST_MS = 3000; // that a picture is shown for while they play
const MOST = 0.3; // of a picture that differs when the board was turned, or something is in the way

const watching = document.body.classList.contains("observer");
let shown = -1;
let since = -1;
let blinking = false;
let corners = null; // of the board in each picture, by its hash; asked for when two are compared
let record = null; // of the game: what a ruling starts from
let playing = 0;
const loaded = new Map();
const settled = JSON.parse($(".dispute").dataset.settled);
const pictures = JSON.parse($(".dispute").dataset.pictures); // those that are still there
const pose = new Pose($("#viewer"), $("#canvas"));
const dialog = new Dialog(
  $("#dialog"),
  () => ({ id: game, path, view: record.view }),
  () => addEventListener("popstate", () => location.reload(), { once: true }),
); // once its window is off the history

const address = (sha) => `${base}/evidence/${sha}.jpg`;

function load(picture) {
  if (!loaded.has(picture.sha256)) {
    loaded.set(
      picture.sha256,
      fetch(address(picture.sha256)).then(async (answer) => {
        if (!answer.ok) throw new Error(answer.statusText);
        return createImageBitmap(await answer.blob());
      }),
    );
  }
  return loaded.get(picture.sha256);
}

// --- the turn and its flags ---

function settledText({ settled: by }) {
  return by ? ` ${sentence(settled[by] ?? "settled since")}` : "";
}

function terms({ rule, until, says, open }) {
  return [rule && `(rule ${rule})`, until, says, open ? "" : "– no longer open"].filter(Boolean).join(" ");
}

function drawTurn() {
  const play = record.view.turns[Number(turn) - 1];
  // Flags of later turns that could read a tile of this one.
  const later = record.view.turns.flatMap((one) => one.flags.filter((flag) => flag.turn === play.number));
  const buttons = new Map(); // of the answers, by what is offered
  const flags = [...play.flags, ...later].map(
    (flag) =>
      html`<article class=${flag.settled ? "flag settled" : "flag"}>
        <p class="about">
          <span>${flag.label}</span>
          ${flag.rule && html`<span class="rule">Rule ${flag.rule}</span>`}
          <span>${flag.squares.join(", ")}</span>
        </p>
        <p class="text">${flag.message}${settledText(flag)}</p>
        <ul>
          ${(flag.settled ? [] : flag.remedies).map(
            (offer) => html`<li>${remedy(offer, flag, buttons)} ${terms(offer)}</li>`,
          )}
        </ul>
      </article>`,
  );
  if (!flags.length) flags.push(html`<p class="none">Nothing was flagged.</p>`);
  $("#turn").replaceChildren(...flags);
  const preview = async (events) => (await tell(`${path}/preview`, { events })).answers;
  foresee(
    [...buttons.keys()].filter(({ open }) => open),
    preview,
    record.view,
    (offer, _, brief) => buttons.get(offer).append(brief),
  );
}

// A remedy that is entered by pressing it, or its words where hands or the clock do it.
function remedy(offer, flag, buttons) {
  if (watching || !offer.event || record === null || record.signed !== null) return html`<span>${offer.text}</span>`;
  const button = html`<button
    type="button"
    class="button small"
    onclick=${() => dialog.open(offerDeed(offer, flag, Number(turn), record.options.letters))}
  >
    ${capital(offer.text)}
  </button>`;
  buttons.set(offer, button);
  return button;
}

// --- the time line ---

// Marks stand at their times; presses and contacts far from the pictures are left out.
function drawLine() {
  const marks = [...document.querySelectorAll("#line [data-ns]")].map((mark) => ({
    mark,
    at: Number(mark.dataset.ns),
  }));
  const times = (kind) => marks.filter(({ mark }) => mark.matches(kind)).map(({ at }) => at);
  let from = Math.min(-1e9, ...times(".mark"));
  let to = Math.max(1e9, ...times(".mark"));
  for (const at of times(".edge"))
    if (at > from - 6e9 && at < to + 6e9) [from, to] = [Math.min(from, at), Math.max(to, at)];
  // The pictures after the press have room to its right.
  const least = (times(".mark").filter((at) => at > 0).length * MARK) / $("#line").clientWidth;
  const after = Math.max(to / (to - from), Math.min(0.5, least));
  for (const { mark, at } of marks) {
    if (at < from || at > to) mark.remove();
    else mark.style.left = `${100 * (at > 0 ? 1 - after + (after * at) / to : (1 - after) * (1 - at / from))}%`;
  }
  spread($("#line"));
}

// --- the viewer ---

// The board in a picture: as the log or the search for it has it, else as in the turn's own reading.
function cornersOf(picture) {
  return corners?.[picture.sha256] ?? picture.corners ?? picture.near;
}

function stopPlaying() {
  clearTimeout(playing);
  playing = 0;
  $("#play").textContent = "▶ Play";
  $("#play").setAttribute("aria-pressed", "false");
}

function playOn() {
  if (shown >= pictures.length - 1) return stopPlaying();
  const apart = (pictures[shown + 1].t_ns - pictures[shown].t_ns) / 1e6;
  playing = setTimeout(
    async () => {
      await show(shown + 1);
      if (playing) playOn();
    },
    Math.min(LONGEST_MS, Math.max(50, apart)),
  );
}

async function togglePlay() {
  if (playing) return stopPlaying();
  playing = -1;
  $("#play").textContent = "❚❚ Pause";
  $("#play").setAttribute("aria-pressed", "true");
  await findBoards(); // the board may have been turned meanwhile: upright all the same
  if (playing && shown >= pictures.length - 1) await show(0);
  if (playing) playOn();
}

async function show(at) {
  if (!pictures.length) return;
  const known = shown >= 0; // not for the first one: whoever only looks at that one asks for no search
  shown = Math.max(0, Math.min(pictures.length - 1, at));
  pose.set(cornersOf(pictures[shown]));
  for (const button of document.querySelectorAll("[data-at]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.at) === shown));
    button.classList.toggle("since", since >= 0 && Number(button.dataset.at) === since);
  }
  if (known && !pictures[shown].corners) findBoards();
  $("#back").disabled = shown === 0;
  $("#on").disabled = shown === pictures.length - 1;
  spread($("#line"));
  await draw();
}

async function draw() {
  const picture = pictures[blinking && since >= 0 ? since : shown];
  const mine = shown;
  try {
    const image = await load(picture);
    const other = since >= 0 && since !== shown ? await load(pictures[since]) : null;
    if (mine !== shown) return;
    const canvas = $("#canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    canvas.classList.toggle("brightened", picture.dark);
    pose.apply();
    const text = other && !blinking ? compare(context, image, other) : "";
    $("#changed").textContent = text;
    $("#no-picture").hidden = true;
    $("#blink").disabled = other === null;
    const words = `Picture ${shown + 1} of ${pictures.length}: ${picture.words}`;
    canvas.setAttribute("aria-label", text ? `${words}. ${text}` : words);
    $("#caption").replaceChildren(`${words} `, html`<code>${picture.sha256}</code>`);
  } catch {
    $("#caption").textContent = "This picture cannot be loaded, or is no longer what was kept.";
  }
}

// Marks what changed between the two, and says so: on the board where it was found in both.
function compare(context, image, other) {
  const mine = corners?.[pictures[shown].sha256];
  const its = corners?.[pictures[since].sha256];
  if (mine && its) {
    const found = boardDifference(image, mine, other, its);
    highlight(context, found);
    if (found.share > MOST) return "Most of the board looks different: something is over it.";
    if (found.squares.length) return `On the board changed: ${found.squares.join(", ")}.`;
    return found.share
      ? "Something changed at the rim of squares; no whole square did."
      : "Nothing changed on the board.";
  }
  const looking = corners === null ? " The board is being looked for…" : "";
  const found = difference(image, other);
  if (found.share === 0) return `Nothing differs but noise.${looking}`;
  highlight(context, found);
  const share = `${(found.share * 100).toFixed(found.share < 0.1 ? 1 : 0)}% of the picture differs`;
  return found.share > MOST
    ? `${share}: the board was turned, the camera moved, or something is in the way.${looking}`
    : `${share}.${looking}`;
}

// Asked for once, and only when they are needed: the search takes the server a while.
function findBoards() {
  findBoards.found ??= (async () => {
    try {
      ({ corners } = await ask(`${path}/turns/${turn}/boards`));
    } catch {
      corners = {};
    }
    pose.set(cornersOf(pictures[shown]));
    await draw();
  })();
  return findBoards.found;
}

function keepClip(event) {
  event.preventDefault();
  const many = pictures.length === 1 ? "1 picture" : `${pictures.length} pictures`;
  const clip = $("#clip");
  save(clip, $("#clip-note"), {
    ask: () => fetch(clip.href),
    making: "Making a clip…",
    about: `The clip of ${many}`,
    failed: "The clip could not be made",
  });
}

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, input, textarea, dialog")) return;
  const act = { "+": () => pose.zoomBy(1.2), "-": () => pose.zoomBy(1 / 1.2), r: () => pose.turn() }[event.key];
  if (act && event.target.closest(".viewer")) return act();
  const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: pictures.length - 1 }[event.key];
  if (to === undefined || !pictures.length) return;
  // Home and End scroll the page unless the pictures have the focus.
  if (!event.key.startsWith("Arrow") && !event.target.closest(".viewer, .line, .film")) return;
  event.preventDefault();
  show(to);
}

async function start() {
  drawLine();
  const first = ["at", "read"].map((role) => pictures.findIndex((one) => one.roles.includes(role)));
  show(first.find((at) => at >= 0) ?? 0);
  try {
    record = await ask(path);
  } catch (error) {
    link("lost");
    fault(error instanceof Refused ? error : { message: "The table cannot be reached." });
    return;
  }
  link("live");
  learnSpellings(record.view.tile_set);
  $("#rule").hidden = watching || record.signed !== null;
  $("#archive").replaceChildren(archive(record, path) ?? "");
  drawTurn();
  for (const picture of pictures) load(picture).catch(() => {});
}

tabs($("#tabs"));
document.addEventListener("keydown", keys);
addEventListener("resize", () => spread($("#line")));
$("#back").addEventListener("click", () => show(shown - 1));
$("#on").addEventListener("click", () => show(shown + 1));
for (const button of document.querySelectorAll("[data-at]"))
  button.addEventListener("click", () => show(Number(button.dataset.at)));
for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());
$("#play").addEventListener("click", togglePlay);
$("#clip").addEventListener("click", keepClip);
$("#turn-picture").addEventListener("click", () => pose.turn());
$("#nearer").addEventListener("click", () => pose.zoomBy(1.2));
$("#farther").addEventListener("click", () => pose.zoomBy(1 / 1.2));
$("#upright").addEventListener("click", () => pose.reset());
// A tile of the play, as it was seen in this turn.
function correctTile(square) {
  const guesses = (record.guesses[`${turn}:${square}`] ?? []).map(({ symbol }) => symbol).slice(0, 6);
  const sha = record.crops[turn]?.[square];
  dialog.open(tileDeed(record, square, { turn: Number(turn), guesses, crop: sha ? address(sha) : null }));
}

$("#rule").addEventListener("click", () => dialog.open(turnDeed(record, Number(turn), correctTile)));
$("#other").addEventListener("change", (event) => {
  since = event.target.value === "" ? -1 : Number(event.target.value);
  show(shown);
  if (since >= 0) findBoards();
});
for (const [type, on] of [
  ["pointerdown", true],
  ["pointerup", false],
  ["pointerleave", false],
  ["keydown", true],
  ["keyup", false],
  ["blur", false],
]) {
  $("#blink").addEventListener(type, (event) => {
    if (type.startsWith("key") && event.key !== " " && event.key !== "Enter") return;
    blinking = on && since >= 0;
    draw();
  });
}
start();
