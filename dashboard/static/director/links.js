// The page of links: the overlays' addresses, each with its token in one button, and a preview of the one
// that is chosen, made smaller until all of it can be seen. The lists below are the server's.
import { ONLY_HERE, onlyHere } from "../only_here.js";
import { tell } from "./api.js";
import { $ } from "./dom.js";
import { doing } from "./fresh.js";
import { day } from "./place.js";

const form = $("#overlay-form");
const stage = $("#preview-stage");
const frame = $("#preview");
const parts = [...$("#overlay-parts").children];

let chosen = parts[0];
let token = null; // of this page: its text is shown once, when it is made

const slot = () => form.elements.slot.selectedOptions[0].dataset;

function asked(path) {
  const query = new URLSearchParams();
  if (Number(form.elements.delay.value) > 0) query.set("delay", form.elements.delay.value);
  if (form.elements.token.checked && token) query.set("token", token);
  const words = query.toString();
  return words ? `${path}?${words}` : path;
}

// Other machines can open it too, where the server knows such an address. Whoever came by the machine's own
// name has the address of this page.
function address(path) {
  const { served } = form.dataset;
  return new URL(asked(path), onlyHere(location.origin) && served ? served : location.origin).href;
}

const hasToken = () => form.elements.token.checked && token !== null;

// Why the server would refuse the addresses; empty if it would not.
function refusal() {
  const { value } = form.elements.delay;
  if (!form.elements.delay.checkValidity()) return "Seconds of delay: a whole number from 0 to 600.";
  const offered = JSON.parse(slot().delays);
  if (!Number(value) || hasToken() || offered.includes(Number(value))) return "";
  const without = offered.length ? `choose a delay of ${offered.join(", ")} seconds, or none` : "there is no delay";
  return `Without a token ${without}. These addresses would show nothing.`;
}

function show() {
  const refused = refusal();
  $("#refused").textContent = refused;
  $("#refused").hidden = !refused;
  for (const button of $("#overlay-parts").querySelectorAll("[data-copy]")) button.disabled = Boolean(refused);
  stage.hidden = Boolean(refused);
  showCommentary(refused);
  if (refused) return;
  const overlays = JSON.parse(slot().overlays);
  for (const part of parts) {
    const copy = part.querySelector("[data-copy]");
    copy.dataset.copy = address(overlays[part.dataset.part]);
    copy.disabled = part.dataset.secret !== undefined && !hasToken();
    part.querySelector(".pick").setAttribute("aria-pressed", String(part === chosen));
  }
  const { part, about, width, height, sample } = chosen.dataset;
  const closed = chosen.dataset.secret !== undefined && !hasToken();
  const note = closed ? "With a token only: choose “With a token” above." : chosen.dataset.note;
  const url = address(overlays[part]);
  $("#preview-name").textContent = about;
  $("#preview-size").textContent = `Size of the source: ${width} × ${height}`;
  $("#preview-address").textContent = url;
  frame.title = `Preview of ${part}`;
  frame.width = width;
  frame.height = height;
  $("#only-here").textContent = onlyHere(url) ? ONLY_HERE : "";
  $("#only-here").hidden = !onlyHere(url);
  stage.hidden = closed;
  const here = new URL(asked(overlays[part]), location.origin);
  if (sample !== undefined) here.searchParams.set("sample", "yes"); // else there is hardly ever anything to see
  $("#preview-note").hidden = !note;
  $("#preview-note").textContent = note;
  const src = closed ? "about:blank" : here.href;
  if (frame.src !== src) frame.src = src;
  scale();
}

function showCommentary(refused) {
  const url = address(slot().commentary);
  $("#commentary-address").textContent = hasToken() ? url : "Choose “With a token” above.";
  $("#commentary-copy").dataset.copy = url;
  $("#commentary-copy").disabled = Boolean(refused) || !hasToken();
}

// As large as its place allows, and never cut off.
function scale() {
  const { width, height } = chosen.dataset;
  const room = stage.parentElement.clientWidth;
  const most = Math.max(180, innerHeight * 0.66);
  const share = Math.min(1, room / width, most / height);
  stage.style.width = `${width * share}px`;
  stage.style.height = `${height * share}px`;
  frame.style.transform = `scale(${share})`;
}

// A token that was just made for the stream goes into the addresses.
function useToken(text, name) {
  token = text;
  form.elements.token.checked = true;
  $("#token-note").textContent =
    `The addresses have the token “${name}”. It is shown this once: ` +
    "copy what you need before you leave this page. Do not let players have it.";
  $("#token-note").hidden = false;
  show();
}

async function withToken() {
  if (!form.elements.token.checked || token) return show();
  const name = `overlays, ${day(Date.now() / 1000)}`;
  const sending = tell("/api/v1/tokens", { name, scope: "overlay", table: null });
  const made = await doing(sending, "A token is made for the addresses");
  if (made) return useToken(made.text, name);
  form.elements.token.checked = false;
  show();
}

// A secret that is shown this once.
function reveal(box, text) {
  box.querySelector("code").textContent = text;
  box.hidden = false;
}

$("#new-token").addEventListener("told", ({ detail: { answer, sent } }) => {
  reveal($("#made"), answer.text);
  if (sent.scope === "overlay") useToken(answer.text, sent.name);
});
$("#new-hook").addEventListener("told", ({ detail: { answer } }) => reveal($("#hook-made"), answer.secret));

$("#overlay-parts").addEventListener("click", ({ target }) => {
  if (!target.closest(".pick")) return;
  chosen = target.closest("li");
  show();
});

// An overlay in trouble shows nothing, and has why.
frame.addEventListener("load", () => {
  const trouble = frame.contentDocument?.body?.dataset.trouble;
  if (!trouble) return;
  $("#preview-note").textContent = trouble;
  $("#preview-note").hidden = false;
});

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", ({ target }) => (target.name === "token" ? withToken() : show()));
addEventListener("fresh", show);
new ResizeObserver(scale).observe(stage.parentElement);
addEventListener("resize", scale);
$("#link").hidden = true; // nothing here is live
show();
