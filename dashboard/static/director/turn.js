// The evidence of one turn: pictures on a time line with the clock, what changed between any two,
// the squares, and what was known when.
import { learnSpellings } from "../spelling.js";
import { offerDeed } from "./actions.js";
import { ask, link, Refused, tell } from "./api.js";
import { archive } from "./archive.js";
import { Dialog } from "./dialog.js";
import { boardDifference, difference, highlight, highlightBoard } from "./difference.js";
import { $, make } from "./dom.js";
import { foresee } from "./brief.js";
import { Pose } from "./pose.js";
import { tileDeed, turnDeed } from "./rulings.js";
import { save } from "./saving.js";
import { tabs } from "./tabs.js";
import { spread } from "./time_line.js";
import { capital, seconds, wall } from "./wording.js";

const { table, game, turn } = document.documentElement.dataset;
const base = `/director/tables/${encodeURIComponent(table)}`;
const path = `/director/api/tables/${encodeURIComponent(table)}/games/${encodeURIComponent(game)}`;
const LONGEST_MS = 3000; // that a picture is shown for while they play
const MOST = 0.3; // of a picture that differs when the board was turned, or something is in the way

const watching = document.body.classList.contains("observer");
let file = null;
let pictures = []; // those that are still there
let shown = -1;
let since = -1;
let blinking = false;
let corners = null; // of the board in each picture, by its hash; asked for when two are compared
let record = null; // of the game: what a ruling starts from
let playing = 0;
const loaded = new Map();
const settled = JSON.parse($(".dispute").dataset.settled);
const pose = new Pose($("#viewer"), $("#canvas"));
const dialog = new Dialog($("#dialog"), () => ({ id: game, path, view: record.view }), () => addEventListener("popstate", () => location.reload(), { once: true })); // once its window is off the history

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

function drawTurn() {
  const { turn: play } = file;
  const later = record.view.turns.flatMap((one) => one.flags.filter((flag) => flag.turn === play.number)); // that could read a tile of it
  const buttons = new Map(); // of the answers, by what is offered
  const flags = [...play.flags, ...later].map((flag) =>
    make(
      "article",
      { className: flag.settled ? "flag settled" : "flag" },
      make("p", { className: "about" }, make("span", { text: flag.label }), flag.rule ? make("span", { className: "rule", text: `Rule ${flag.rule}` }) : null, make("span", { text: flag.squares.join(", ") })),
      make("p", { className: "text", text: flag.settled ? `${flag.message} Settled${settled[flag.settled] ? `: ${settled[flag.settled]}` : " since"}.` : flag.message }),
      make("ul", {}, ...(flag.settled ? [] : flag.remedies).map((offer) => make("li", {}, remedy(offer, flag, buttons), ` ${[offer.rule ? `(rule ${offer.rule})` : "", offer.until, offer.says, offer.open ? "" : "– no longer open"].filter(Boolean).join(" ")}`))),
    ),
  );
  if (!flags.length) flags.push(make("p", { className: "none", text: "Nothing was flagged." }));
  $("#turn").replaceChildren(...flags);
  const preview = async (events) => (await tell(`${path}/preview`, { events })).answers;
  foresee([...buttons.keys()].filter(({ open }) => open), preview, record.view, (offer, _, brief) => buttons.get(offer).append(brief));
}

// A remedy that is entered by pressing it, or its words where hands or the clock do it.
function remedy(offer, flag, buttons) {
  if (watching || !offer.event || record === null || record.signed !== null) return make("span", { text: offer.text });
  const button = make("button", { type: "button", className: "button small", text: capital(offer.text), onclick: () => dialog.open(offerDeed(offer, flag, Number(turn), record.options.letters)) });
  buttons.set(offer, button);
  return button;
}

// --- the time line ---

// What a phone claimed of a press that was not accepted so.
function early(t_ns, claimed_ns) {
  return claimed_ns === null || t_ns - claimed_ns < 5e7 ? "" : ` (claimed ${seconds(claimed_ns - file.press_ns, 2)})`;
}

function drawLine() {
  const times = [0, ...file.pictures.map((one) => one.from_press_ns)];
  let from = Math.min(...times, -1e9);
  let to = Math.max(...times, 1e9);
  const edges = file.edges.map((edge) => ({ ...edge, at: edge.t_ns - file.press_ns }));
  for (const { at } of edges) if (at > from - 6e9 && at < to + 6e9) [from, to] = [Math.min(from, at), Math.max(to, at)];
  const place = (at) => `${((at - from) / (to - from)) * 100}%`;
  const items = [make("div", { className: "axis" })];
  for (const { at, button, t_ns, claimed_ns } of edges) {
    if (at < from || at > to) continue;
    const press = at === 0;
    const name = button === "neutral" ? "clock stopped" : record.view.players[button].name;
    const edge = make("div", { className: `edge${press ? " press" : ""}` }, make("span", { text: `${press ? `Press: ${name}` : `${name} ${seconds(at)}`}${early(t_ns, claimed_ns)}` }));
    edge.style.left = place(at);
    items.push(edge);
  }
  for (const picture of file.pictures) {
    const at = pictures.indexOf(picture);
    const mark = make(
      "button",
      { className: picture.there ? "mark" : "mark lost", type: "button", disabled: !picture.there, data: { at }, "aria-pressed": "false", "aria-label": `${picture.caption}, ${seconds(picture.from_press_ns, 2)}${picture.there ? "" : ", no longer kept"}`, onclick: () => show(at) },
      make("b", { text: seconds(picture.from_press_ns, 1) }),
    );
    mark.style.left = place(picture.from_press_ns);
    items.push(mark);
  }
  for (const { from_press_ns: at, closed } of file.raw) {
    if (at < from || at > to) continue;
    const tick = make("i", { className: closed ? "contact closed" : "contact" });
    tick.style.left = place(at);
    items.push(tick);
  }
  $("#line").replaceChildren(...items);
  $("#raw").hidden = file.raw.length === 0;
  $("#raw").textContent = `Contacts around the press, every edge: ${file.raw.map(({ from_press_ns: at, button, closed }) => `${button} ${closed ? "closed" : "open"} ${milliseconds(at)}`).join(", ")}.`;
  spread($("#line"));
}

function milliseconds(ns) {
  return `${ns < 0 ? "−" : "+"}${(Math.abs(ns) / 1e6).toFixed(3)} ms`;
}

function drawFilm() {
  $("#film-note").textContent = file.film_note;
  $("#film-note").hidden = !file.film_note;
  if (!file.pictures.length) {
    $("#no-picture").textContent = "No picture is kept of this turn.";
    $("#viewer").classList.add("empty");
    $("#film").replaceChildren(make("li", { className: "none", text: "No picture of this turn was kept." }));
    return;
  }
  $("#film").replaceChildren(
    ...file.pictures.map((picture) => {
      const at = pictures.indexOf(picture);
      if (at < 0) return make("li", { className: "none", text: `${picture.caption}, ${seconds(picture.from_press_ns, 2)}: ${picture.deleted ? "deleted, as the log says" : "not on the disk"}` });
      return make(
        "li",
        {},
        make(
          "button",
          { type: "button", data: { at }, "aria-pressed": "false", onclick: () => show(at) },
          make("img", { src: address(picture.sha256), alt: "", loading: "eager" }),
          make("span", { text: `${picture.caption}, ${seconds(picture.from_press_ns, 2)}` }),
        ),
      );
    }),
  );
  const options = pictures.map((picture, at) => make("option", { value: at, text: `${picture.caption}, ${seconds(picture.from_press_ns, 2)}` }));
  $("#other").append(...options);
}

// --- the viewer ---

// The board in a picture: as the log or the search for it has it, else as in the turn's own reading.
function cornersOf(picture) {
  return corners?.[picture.sha256] ?? picture.corners ?? pictures.find((one) => one.corners)?.corners ?? null;
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
  playing = setTimeout(async () => {
    await show(shown + 1);
    if (playing) playOn();
  }, Math.min(LONGEST_MS, Math.max(50, apart)));
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
    pose.apply();
    const text = other && !blinking ? compare(context, image, other) : "";
    $("#changed").textContent = text;
    $("#no-picture").hidden = true;
    $("#blink").disabled = other === null;
    const words = `Picture ${shown + 1} of ${pictures.length}: ${picture.caption}, ${seconds(picture.from_press_ns, 3)} from the press`;
    canvas.setAttribute("aria-label", text ? `${words}. ${text}` : words);
    $("#caption").replaceChildren(`${words} `, make("code", { text: picture.sha256 }));
  } catch {
    $("#caption").textContent = "This picture cannot be loaded, or is no longer what was kept.";
  }
}

// Marks what changed between the two, and says so: on the board where it was found in both.
function compare(context, image, other) {
  const { width, height } = image;
  const mine = corners?.[pictures[shown].sha256];
  const its = corners?.[pictures[since].sha256];
  if (mine && its) {
    const found = boardDifference(image, mine, other, its);
    highlightBoard(context, found, mine, width, height);
    if (found.share > MOST) return "Most of the board looks different: something is over it.";
    if (found.squares.length) return `On the board changed: ${found.squares.join(", ")}.`;
    return found.share ? "Something changed at the rim of squares; no whole square did." : "Nothing changed on the board.";
  }
  const looking = corners === null ? " The board is being looked for…" : "";
  if (other.width !== width || other.height !== height) return "The two pictures are of different sizes and cannot be compared.";
  const found = difference(image, other);
  if (found.share === 0) return `Nothing differs but noise.${looking}`;
  highlight(context, found, width, height);
  const share = `${(found.share * 100).toFixed(found.share < 0.1 ? 1 : 0)}% of the picture differs`;
  return found.share > MOST ? `${share}: the board was turned, the camera moved, or something is in the way.${looking}` : `${share}.${looking}`;
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
  save(clip, $("#clip-note"), { ask: () => fetch(clip.href), making: "Making a clip…", about: `The clip of ${many}`, failed: "The clip could not be made" });
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

// --- squares and events ---

function drawSquares() {
  const rows = file.squares.map((square) => {
    const notes = square.findings.map((one) => `${one.label}: ${one.detail}`);
    const sure = square.confidence;
    const meter = sure === null ? make("span", { className: "none", text: "–" }) : make("span", { className: "sure" }, make("meter", { min: 0, max: 1, low: 0.6, high: 0.9, optimum: 1, value: sure, "aria-label": `${square.name}: ${Math.round(sure * 100)}% sure` }), `${(sure * 100).toFixed(1)}%${square.marked ? ", marked" : ""}`);
    return make(
      "tr",
      {},
      make("th", { scope: "row", text: square.name }),
      make("td", {}, square.crop ? make("img", { src: address(square.crop), alt: `${square.name} as the camera saw it`, width: 64, height: 64 }) : make("span", { className: "none", text: "none kept" })),
      make("td", { text: square.words.before }),
      make("td", { text: square.words.read }),
      make("td", {}, meter),
      make("td", { className: square.now === square.read || (square.read === "?" && square.now === square.now.toLowerCase() && square.now !== ".") ? "" : "other", text: square.words.now }),
      make("td", { text: notes.join("; ") }),
    );
  });
  $("#squares").replaceChildren(...(rows.length ? rows : [make("tr", {}, make("td", { colspan: 7, className: "none", text: "No square changed." }))]));
}

function drawKnown() {
  $("#known").replaceChildren(
    ...file.known.map((one) =>
      make(
        "tr",
        { className: one.by ? "" : "fact" },
        make("td", { className: "num", text: seconds(one.from_press_ns, 2) }),
        make("td", { className: "what" }, one.text, one.why ? make("span", { className: "why", text: one.why }) : null),
        make("td", { text: one.who }),
        make("td", { text: one.number, title: one.type }),
        make("td", { text: wall(one.wall_ns) }),
      ),
    ),
  );
}

function drawSeal() {
  const { seal } = file;
  const date = new Date(seal.wall_ns / 1e6).toLocaleString([], { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
  $("#seal").textContent = `Game ${seal.game_id}, as it stood after event ${seal.number} (${date}), digest ${seal.digest}, key of the table ${seal.fingerprint}.`;
  $("#hashes").replaceChildren(...file.pictures.map((picture) => make("li", { text: `Picture ${seconds(picture.from_press_ns, 2)} (${picture.caption}): SHA-256 ${picture.sha256}` })));
}

async function start() {
  try {
    [file, record] = await Promise.all([ask(`${path}/turns/${turn}`), ask(path)]);
  } catch (error) {
    link("lost");
    $("#fault").textContent = error instanceof Refused ? error.message : "The table cannot be reached.";
    $("#fault").hidden = false;
    return;
  }
  link("live");
  learnSpellings(record.view.tile_set);
  pictures = file.pictures.filter((picture) => picture.there);
  for (const id of ["#play", "#turn-picture", "#nearer", "#farther", "#upright"]) $(id).disabled = pictures.length === 0;
  $("#clip").hidden = pictures.length === 0;
  $("#rule").hidden = watching || record.signed !== null;
  $("#archive").replaceChildren(archive(record, path) ?? "");
  drawTurn();
  drawLine();
  drawFilm();
  drawSquares();
  drawKnown();
  drawSeal();
  const at = pictures.findIndex((picture) => picture.roles.includes("at"));
  const read = pictures.findIndex((picture) => picture.roles.includes("read"));
  await show(at >= 0 ? at : read >= 0 ? read : 0);
  for (const picture of pictures) load(picture).catch(() => {});
}

tabs($("#tabs"));
document.addEventListener("keydown", keys);
addEventListener("resize", () => spread($("#line")));
addEventListener("beforeprint", () => ($("#technical").open = true)); // on paper everything stands
$("#back").addEventListener("click", () => show(shown - 1));
$("#on").addEventListener("click", () => show(shown + 1));
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
for (const [type, on] of [["pointerdown", true], ["pointerup", false], ["pointerleave", false], ["keydown", true], ["keyup", false], ["blur", false]]) {
  $("#blink").addEventListener(type, (event) => {
    if (type.startsWith("key") && event.key !== " " && event.key !== "Enter") return;
    blinking = on && since >= 0;
    draw();
  });
}
start();
