// A new game's names and settings.
import { account, tell } from "../director/api.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);
const form = at("game");

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
    if (field.value !== "") announced[field.name] = field.type === "number" || "number" in field.dataset ? Number(field.value) : field.value;
    delete wishes[field.name];
  }
  return announced;
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = at("fault");
  const button = form.querySelector("button");
  const wishes = Object.fromEntries(new FormData(form));
  wishes.by = account;
  wishes.announced = takeAnnounced(wishes);
  if (despite) wishes.despite_tiles = true;
  despite = false;
  button.disabled = true;
  fault.hidden = true;
  at("done").textContent = "";
  try {
    const { now } = await tell(`${api}game`, wishes);
    const minutes = Math.round(now.minutes * 100) / 100;
    at("done").textContent = `Ready: ${now.left} on the left, ${now.right} on the right, ${minutes} minutes each${now.in_words && `; ${now.in_words}`}.`;
    at("going").hidden = true;
  } catch (error) {
    fault.textContent = error.message;
    despite = error.despite === true;
    fault.hidden = false;
    fault.scrollIntoView({ block: "nearest" });
  }
  button.textContent = despite ? "Make ready all the same" : "Make ready";
  button.disabled = false;
});
