// What the doctor says, a line each.
import { tell } from "../director/api.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);

function made(name, text, className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

// A sentence begins with a capital; a path, a command and whatever is spelled its own way stay as they are.
function sentence(text) {
  return /^(sudo|chmod|tilewatch)\b|^[^\s,:;]*[^a-z’'\s,:;]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

function line(check) {
  const item = document.createElement("li");
  const grade = made("span", !check.ok ? "fix" : check.known ? "ok" : "unknown", "grade");
  grade.dataset.grade = !check.ok ? "poor" : check.known ? "good" : "fair";
  if (!check.known) grade.title = "nothing here tells";
  item.append(grade, made("b", sentence(check.name)), made("span", sentence(check.says), "says"));
  if (!check.ok && check.remedy) item.append(made("span", sentence(check.remedy), "remedy"));
  return item;
}

at("check").addEventListener("click", async () => {
  const fault = at("fault");
  at("check").disabled = true;
  fault.hidden = true;
  at("sum").textContent = "Examining…";
  try {
    const { checks } = await tell(`${api}doctor`);
    const amiss = checks.filter((check) => !check.ok);
    at("checks").replaceChildren(...[...amiss, ...checks.filter((check) => check.ok)].map(line));
    at("sum").textContent = amiss.length ? `${amiss.length} of ${checks.length} ${amiss.length === 1 ? "needs" : "need"} fixing` : `All ${checks.length} are well`;
  } catch (error) {
    at("sum").textContent = "";
    fault.textContent = error.message;
    fault.hidden = false;
  }
  at("check").disabled = false;
});
