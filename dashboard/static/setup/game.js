// A new game's names and settings.
import { account, ask, tell } from "../director/api.js";
import { fault } from "../director/dom.js";
import { store, stored } from "../stored.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);
const form = at("game");

const LOOKS_MS = 4000;

// What is typed is there after a look at the table, too, until a game has these names.
const names = ["left", "right"].map((side) => ({ field: form?.elements[side], key: `new-game ${api} ${side}` }));
for (const { field, key } of form ? names : []) {
  field.value ||= stored(key) ?? "";
  field.addEventListener("input", () => store(key, field.value || null));
}

let busy = false; // sending
let despite = false; // whether it is to be made ready although tiles lie on the board

// What an event may announce depends on the rulebook.
form?.elements.rulebook.addEventListener("change", (event) => {
  for (const one of form.querySelectorAll("[data-rulebook]")) {
    one.hidden = one.disabled = one.dataset.rulebook !== event.target.value;
  }
});

function takeAnnounced(wishes) {
  const announced = {};
  for (const field of form.querySelectorAll("[data-rulebook]:not([hidden]) [name]")) {
    if (field.value !== "") announced[field.name] = "number" in field.dataset ? Number(field.value) : field.value;
    delete wishes[field.name];
  }
  return announced;
}

// While a game is going on, none can be made: the button says so, and works as soon as it is over.
function shows(now) {
  const going = now.status === "running";
  at("who-plays").textContent = `${now.left} – ${now.right}`;
  at("going").hidden = !going;
  form.querySelector("button").disabled = going || busy;
}

async function look() {
  if (!document.hidden)
    await ask(`${api}game`)
      .then(shows)
      .catch(() => {});
  setTimeout(look, LOOKS_MS);
}
if (form) setTimeout(look, LOOKS_MS);

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const wishes = Object.fromEntries(new FormData(form));
  wishes.by = account;
  wishes.announced = takeAnnounced(wishes);
  if (despite) wishes.despite_tiles = true;
  despite = false;
  if (button.disabled) return; // the Enter key in a field
  // A letter is never a digit: 7O and 7e1 are refused.
  const wrong = form.querySelector("[data-rulebook]:not([hidden]) input[data-number]:invalid");
  if (wrong) {
    fault({ message: `${wrong.title}.` });
    wrong.reportValidity(); // beside it, whatever is in sight
    return;
  }
  busy = button.disabled = true;
  fault(null);
  at("done").hidden = true;
  try {
    const { now } = await tell(`${api}game`, wishes);
    const minutes = Math.round(now.minutes * 100) / 100;
    const rules = now.in_words && `; ${now.in_words}`;
    at("done").textContent =
      `Ready: ${now.left} on the left, ${now.right} on the right, ${minutes} minutes each${rules}.`;
    at("done").hidden = false;
    at("done").scrollIntoView({ block: "nearest" });
    for (const { key } of names) store(key, null);
    busy = false;
    shows(now);
  } catch (error) {
    fault(error);
    busy = button.disabled = false;
    despite = error.despite === true;
  }
  button.textContent = despite ? "Get the table ready all the same" : "Get the table ready";
  button.classList.toggle("primary", !despite);
});
