// What the doctor says, a line each.
import { tell } from "../director/api.js";
import { fault, html } from "../director/dom.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);

// A sentence begins with a capital; a path, a command and whatever is spelled its own way stay as they are.
function sentence(text) {
  return /^(sudo|chmod|tilewatch)\b|^[^\s,:;]*[^a-z’'\s,:;]/.test(text)
    ? text
    : text.charAt(0).toUpperCase() + text.slice(1);
}

function line(check) {
  const [grade, text] = !check.ok ? ["poor", "fix"] : check.known ? ["good", "ok"] : ["fair", "unknown"];
  return html`<li>
    <span class="grade" data-grade=${grade} title=${check.known ? null : "nothing here tells"}>${text}</span>
    <b>${sentence(check.name)}</b>
    <span class="says">${sentence(check.says)}</span>
    ${!check.ok && check.remedy && html`<span class="remedy">${sentence(check.remedy)}</span>`}
  </li>`;
}

at("check").addEventListener("click", async () => {
  at("check").disabled = true;
  fault(null);
  at("sum").textContent = "Examining…";
  try {
    const { checks } = await tell(`${api}doctor`);
    const amiss = checks.filter((check) => !check.ok);
    at("checks").replaceChildren(...[...amiss, ...checks.filter((check) => check.ok)].map(line));
    at("sum").textContent = amiss.length
      ? `${amiss.length} of ${checks.length} ${amiss.length === 1 ? "needs" : "need"} fixing`
      : `All ${checks.length} are well`;
  } catch (error) {
    at("sum").textContent = "";
    fault(error);
  }
  at("check").disabled = false;
});
