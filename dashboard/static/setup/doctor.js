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

function line(check) {
  const item = document.createElement("li");
  const grade = made("span", !check.ok ? "fix" : check.known ? "ok" : "?", "grade");
  grade.dataset.grade = !check.ok ? "poor" : check.known ? "good" : "fair";
  if (!check.known) grade.title = "nothing here tells";
  item.append(grade, made("b", check.name), made("span", check.says, /^[/~]/.test(check.says) ? "says path" : "says"));
  if (!check.ok && check.remedy) item.append(made("span", check.remedy, "remedy"));
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
