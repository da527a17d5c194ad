// A new game's names and settings.
import { account, tell } from "../director/api.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);
const form = at("game");

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = at("fault");
  const button = form.querySelector("button");
  const wishes = Object.fromEntries(new FormData(form));
  wishes.by = account;
  wishes.minutes = wishes.minutes === "" ? null : Number(wishes.minutes);
  button.disabled = true;
  fault.hidden = true;
  at("done").textContent = "";
  try {
    const { now } = await tell(`${api}game`, wishes);
    const minutes = Math.round(now.minutes * 100) / 100;
    at("done").textContent = `Ready: ${now.left} on the left, ${now.right} on the right, ${minutes} minutes each.`;
    at("going").hidden = true;
  } catch (error) {
    fault.textContent = error.message;
    fault.hidden = false;
    fault.scrollIntoView({ block: "nearest" });
  }
  button.disabled = false;
});
