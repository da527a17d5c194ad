// How the phone that is the camera does, asked every other second.
import { ONLY_HERE, onlyHere } from "../only_here.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);

function figures(phone) {
  const parts = [];
  if (phone.size) parts.push(`${phone.size[0]}×${phone.size[1]}`);
  if (phone.error_ms !== null) parts.push(`capture times right to ${phone.error_ms} ms`);
  if (phone.battery !== null)
    parts.push(`battery ${Math.round(phone.battery * 100)} %${phone.charging ? ", charging" : ""}`);
  parts.push(phone.locked.length ? `locked: ${phone.locked.join(", ")}` : "nothing locked");
  if (phone.taken) parts.push(`${phone.taken} pictures, ${phone.late} too late, ${phone.spoilt} unreadable`);
  return parts.join(" · ");
}

async function look() {
  try {
    const answer = await fetch(api, { headers: { Accept: "application/json" } });
    const phone = await answer.json();
    const unpaired = phone.silent_ms === null;
    at("says").textContent = unpaired
      ? "No phone is paired yet. Show a code below, and scan it with the phone."
      : phone.says
        ? `No pictures: ${phone.says}.`
        : "It sends pictures.";
    at("figures").textContent = unpaired ? "" : figures(phone);
  } catch {
    at("says").textContent = "The table does not answer.";
  }
  setTimeout(look, 2000);
}

if (at("address") && onlyHere(at("address").textContent)) {
  at("only-here").textContent = ONLY_HERE;
  at("only-here").hidden = false;
}
look();
