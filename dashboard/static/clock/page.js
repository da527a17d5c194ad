// The clock on a phone between the players. A half is its player's button: touching it ends the
// turn, at the moment of the touch. What the table then says is what counts.
import { format, leftOf } from "../clock.js";
import { store, stored } from "../stored.js";
import { Stream } from "../stream.js";
import { keepAwake } from "../wake.js";
import { TimeAsker } from "./asking.js";
import { Presser, unique } from "./presser.js";

const SIDES = ["left", "right"];
const OTHER = { left: "right", right: "left" };
const DOUBLE_MS = 300;
const ASK_MS = 500;
const MINUTE = 60e9;
const SWAPPED = "clock-swapped";
const NO_CLOCK = "This game is played without a clock.";

const $ = (selector) => document.querySelector(selector);
const root = $("#clocks");
const halves = Object.fromEntries(SIDES.map((side) => [side, $(`.half[data-side=${side}]`)]));
const stop = $(".neutral");
const word = $("#word");
const path = `/tables/${encodeURIComponent(document.documentElement.dataset.table)}/clock/api`;
const key = location.hash.slice(1);
const LENGTHY = 24; // letters of a name that is set smaller
const page = unique(); // names this page to the table, which measures its round trips
const asker = new TimeAsker(path, key, page, ASK_MS, {
  onAnswer: () => root.dataset.state !== "live" && link("live"),
  onLost: () => link("lost"),
  onRefused: (text) => {
    say(text, true);
    root.dataset.state = "closed";
    stream.end();
  },
});
const { time } = asker;

let view = null; // the table's last message
let guess = null; // the clocks as they stand once a press that is on its way has got through
let touched = { button: null, at: -Infinity };

function say(text, urgent = false) {
  if (word.textContent !== text) word.textContent = text;
  word.classList.toggle("urgent", urgent);
}

function link(state) {
  if (root.dataset.state === "closed") return;
  root.dataset.state = state;
  if (state === "lost") say("Connection lost. The clock goes on; presses wait.", true);
  else if (state === "live") say(view?.clocks === null ? NO_CLOCK : "");
}

// --- showing ---

const clocks = () => guess ?? view?.clocks ?? null;

const remaining = (side) => leftOf(clocks(), side, time.now());

function hint(side, running) {
  if (view.status === "ended") return view.settled ? "The game is over" : "The last play may be challenged";
  if (running === side) return "Touch when your turn is over";
  if (running === null && view.status === "waiting") return "Touch to start the other clock";
  if (running === null)
    return view.on_turn === side ? "Stopped. It is your turn" : "Stopped. Touch to start the other clock";
  return "";
}

function draw() {
  const now = clocks();
  if (!now) return;
  for (const side of SIDES) {
    const half = halves[side];
    const left = remaining(side);
    const running = now.running === side;
    const text = format(left, true);
    const shown = half.querySelector(".time");
    if (shown.textContent !== text) shown.textContent = text;
    half.classList.toggle("running", running);
    half.classList.toggle("low", left > 0 && left < MINUTE);
    half.classList.toggle("over", left < 0);
    half.classList.toggle("long", text.length === 6);
    half.classList.toggle("longer", text.length > 6);
    half.disabled = view.status === "ended" || now.running === OTHER[side];
  }
  stop.disabled = now.running === null;
}

function take(next) {
  view = next;
  for (const side of SIDES) halves[side].querySelector(".time").hidden = view.clocks === null;
  if (!view.clocks) return say(NO_CLOCK);
  const { since_ns } = view.clocks;
  // A view that already knows of the press; or the clocks stand, which only a press brings about.
  if (guess && (since_ns === null || since_ns >= guess.since_ns || !presser.waiting.length)) guess = null;
  for (const side of SIDES) {
    const { name, score } = view.players[side];
    const half = halves[side];
    half.querySelector(".name").textContent = name;
    half.querySelector(".name").classList.toggle("lengthy", name.length > LENGTHY);
    half.querySelector(".name").title = name;
    half.querySelector(".score").textContent = score < 0 ? `−${-score}` : score;
  }
  drawHints();
  draw();
}

function drawHints() {
  const { running } = clocks();
  for (const side of SIDES) halves[side].querySelector(".hint").textContent = hint(side, running);
}

// --- pressing ---

const presser = new Presser(path, key, page, {
  onWay: () => say("Sending the press again …", true),
  onEnd: (_press, problem) => {
    if (!presser.waiting.length) guess = null;
    if (problem) {
      say(`${problem[0].toUpperCase()}${problem.slice(1)}`, true);
      setTimeout(() => word.textContent.startsWith(problem[0].toUpperCase()) && say(""), 4000);
    } else if (root.dataset.state !== "lost") say("");
    if (view?.clocks) {
      drawHints();
      draw();
    }
  },
});

function press(button, moment) {
  if (!view?.clocks || view.status === "ended") return;
  if (touched.button === button && moment - touched.at < DOUBLE_MS) return;
  const { running } = clocks();
  if (button === "neutral" ? running === null : running === OTHER[button]) return;
  touched = { button, at: moment };
  const t_ns = time.at(moment);
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(25);
  if (t_ns !== null) {
    const left = Object.fromEntries(SIDES.map((side) => [side, remaining(side)]));
    guess = { running: button === "neutral" ? null : OTHER[button], since_ns: t_ns, remaining_ns: left };
  }
  presser.press(button, t_ns);
  drawHints();
  draw();
}

function pressable(element, button) {
  // At the touch itself: a click would come with the finger's lifting.
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || element.disabled) return;
    press(button, event.timeStamp);
  });
  // A click without a pointer is a key's or a screen reader's.
  element.addEventListener("click", (event) => event.detail === 0 && press(button, event.timeStamp));
  element.addEventListener("contextmenu", (event) => event.preventDefault());
}

for (const side of SIDES) pressable(halves[side], side);
pressable(stop, "neutral");

// --- the phone ---

function swapped(on) {
  root.classList.toggle("swapped", on);
  store(SWAPPED, on ? "yes" : "");
}

$(".swap").addEventListener("click", () => swapped(!root.classList.contains("swapped")));
root.classList.toggle("swapped", stored(SWAPPED) === "yes");
$(".whole").hidden = !document.documentElement.requestFullscreen;
$(".whole").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
});

// --- the table ---

let stream = null;
if (key) {
  stream = new Stream(
    path,
    {
      onView: take,
      onTime: (frame) => time.frame(frame, performance.now()),
      onState: (state) => state === "lost" && link("lost"),
    },
    { key },
  );
  asker.ask();
  addEventListener("online", () => asker.ask());
  addEventListener("offline", () => link("lost"));
  document.addEventListener("visibilitychange", () => !document.hidden && asker.ask());
  setInterval(() => view && draw(), 50);
  $("#dark").hidden = keepAwake();
  addEventListener("pointerdown", () => ($("#dark").hidden = true), { once: true });
} else {
  root.dataset.state = "closed";
  say("The clock opens with the link that the director gives out.", true);
}
addEventListener("hashchange", () => location.reload());
