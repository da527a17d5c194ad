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

function asked({ dataset: { part } }) {
  const slot = form.elements.slot.selectedOptions[0];
  const query = new URLSearchParams();
  if (Number(form.elements.delay.value) > 0) query.set("delay", form.elements.delay.value);
  if (form.elements.token.checked && token) query.set("token", token);
  const words = query.toString();
  const path = JSON.parse(slot.dataset.overlays)[part];
  return words ? `${path}?${words}` : path;
}

// Other machines can open it too, where the server knows such an address. Whoever came by the machine's own
// name has the address of this page.
function address(part) {
  const { served } = form.dataset;
  return new URL(asked(part), onlyHere(location.origin) && served ? served : location.origin).href;
}

// Why the server would refuse the addresses; empty if it would not.
function refusal() {
  const { value } = form.elements.delay;
  if (!form.elements.delay.checkValidity()) return "Seconds of delay: a whole number from 0 to 600.";
  const offered = JSON.parse(form.elements.slot.selectedOptions[0].dataset.delays);
  if (!Number(value) || (form.elements.token.checked && token) || offered.includes(Number(value))) return "";
  const without = offered.length ? `choose a delay of ${offered.join(", ")} seconds, or none` : "there is no delay";
  return `Without a token ${without}. These addresses would show nothing.`;
}

function show() {
  const refused = refusal();
  $("#refused").textContent = refused;
  $("#refused").hidden = !refused;
  for (const button of $("#overlay-parts").querySelectorAll("[data-copy]")) button.disabled = Boolean(refused);
  stage.hidden = Boolean(refused);
  if (refused) return;
  for (const part of parts) {
    part.querySelector("[data-copy]").dataset.copy = address(part);
    part.querySelector(".pick").setAttribute("aria-pressed", String(part === chosen));
  }
  const { part, about, width, height, note, sample } = chosen.dataset;
  const url = address(chosen);
  $("#preview-name").textContent = about;
  $("#preview-size").textContent = `Size of the source: ${width} × ${height}`;
  $("#preview-address").textContent = url;
  frame.title = `Preview of ${part}`;
  frame.width = width;
  frame.height = height;
  $("#only-here").textContent = onlyHere(url) ? ONLY_HERE : "";
  $("#only-here").hidden = !onlyHere(url);
  const here = new URL(asked(chosen), location.origin);
  if (sample !== undefined) here.searchParams.set("sample", "yes"); // else there is hardly ever anything to see
  $("#preview-note").hidden = !note;
  $("#preview-note").textContent = note;
  if (frame.src !== here.href) frame.src = here.href;
  scale();
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

// The link of a clock as a QR code.
$("#clocks-part").addEventListener("click", ({ target }) => {
  const button = target.closest("[aria-expanded]");
  if (!button) return;
  const code = button.closest("li").querySelector(".qr");
  code.hidden = !code.hidden;
  button.setAttribute("aria-expanded", String(!code.hidden));
  if (!code.hidden) code.src = code.dataset.src;
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
