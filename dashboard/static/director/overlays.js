// The overlays' addresses, each with its token in one button, and a preview of the one chosen, made
// smaller until all of it can be seen.

import { ONLY_HERE, onlyHere } from "../only_here.js";
import { tell } from "./api.js";
import { html } from "./dom.js";
import { $, copier, day, doing, whole, why } from "./linkkit.js";
import { capital } from "./wording.js";

const form = $("#overlay-form");
const stage = $("#preview-stage");
const frame = $("#preview");
const parts = [...$("#parts").content.children].map(({ value, textContent, dataset }) => ({
  part: value,
  about: textContent,
  width: Number(dataset.width),
  height: Number(dataset.height),
}));

const SELDOM = {
  bingo: "the next bingo",
  challenge: "the next challenge or stop of the clock",
  result: "racks and time are counted",
};
const NEEDS = {
  unseen: "With a token. Without one the earlier turns stand in their place.",
  next: "Empty without a file of pairings.",
  standings: "Empty without a file of pairings.",
  title: "Empty without a file of pairings that names the event.",
};

let slots = [];
let served = null; // where other machines reach these pages
let chosen = parts[0];
let token = null; // of this page: its text is shown once, when it is made

function asked({ part }) {
  const path = slots.find(({ name }) => name === form.elements.slot.value)?.overlays[part];
  if (!path) return "";
  const query = new URLSearchParams();
  if (Number(form.elements.delay.value) > 0) query.set("delay", form.elements.delay.value);
  if (form.elements.token.checked && token) query.set("token", token);
  const words = query.toString();
  return words ? `${path}?${words}` : path;
}

function address(one) {
  const path = asked(one);
  return path && whole(path, served);
}

function item(one) {
  return html`<li data-part=${one.part}>
    <button type="button" class="pick" aria-pressed=${String(one === chosen)} onclick=${() => choose(one)}>
      <b>${capital(one.about.replace(/^(the|a|an) /, ""))}</b>
      <span class="soft">${one.part}</span>
    </button>
    ${copier(() => address(one), `the address of ${one.part}`)}
  </li>`;
}

function choose(one) {
  chosen = one;
  for (const li of $("#overlay-parts").children)
    li.querySelector(".pick").setAttribute("aria-pressed", String(li.dataset.part === one.part));
  show();
}

function show() {
  const url = address(chosen);
  if (!form.checkValidity() || !url) return;
  $("#preview-name").textContent = capital(chosen.about);
  $("#preview-size").textContent = `Size of the source: ${chosen.width} × ${chosen.height}`;
  $("#preview-address").textContent = url;
  frame.title = `Preview of ${chosen.part}`;
  frame.width = chosen.width;
  frame.height = chosen.height;
  $("#only-here").textContent = onlyHere(url) ? ONLY_HERE : "";
  $("#only-here").hidden = !onlyHere(url);
  const here = new URL(asked(chosen), location.origin);
  const seldom = SELDOM[chosen.part];
  if (seldom) here.searchParams.set("sample", "yes"); // else there is hardly ever anything to see
  const note = seldom ? `An example. The overlay is empty until ${seldom}.` : (NEEDS[chosen.part] ?? "");
  $("#preview-note").hidden = !note;
  $("#preview-note").textContent = note;
  if (frame.src !== here.href) frame.src = here.href;
  scale();
}

// As large as its place allows, and never cut off.
function scale() {
  const room = stage.parentElement.clientWidth;
  const most = Math.max(180, innerHeight * 0.66);
  const share = Math.min(1, room / chosen.width, most / chosen.height);
  stage.style.width = `${chosen.width * share}px`;
  stage.style.height = `${chosen.height * share}px`;
  frame.style.transform = `scale(${share})`;
}

// A token that was just made for the stream goes into the addresses.
export function useToken(text, name) {
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
  const made = await doing(
    () => tell("/api/v1/tokens", { name, scope: "overlay", table: null }, why()),
    "A token is made for the addresses.",
  );
  if (!made) {
    form.elements.token.checked = false;
    return show();
  }
  useToken(made.text, name);
  dispatchEvent(new Event("tokens"));
}

export function drawOverlays(links) {
  const before = form.elements.slot.value;
  ({ slots, served } = links);
  form.elements.slot.replaceChildren(
    ...slots.map(({ name }) => html`<option value=${name} selected=${name === before}>${name}</option>`),
  );
  $("#overlay-parts").replaceChildren(...parts.map(item));
  show();
}

form.addEventListener("submit", (event) => event.preventDefault());
form.elements.slot.addEventListener("change", show);
form.elements.delay.addEventListener("change", show);
form.elements.token.addEventListener("change", withToken);
new ResizeObserver(scale).observe(stage.parentElement);
addEventListener("resize", scale);
