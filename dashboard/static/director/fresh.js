// A page whose lists the server draws, fetched again after whatever is done here. A button, a select, a box to tick
// or a form with data-tell posts data-body, with what is chosen or typed in it, there: {name} in it is a field of the
// form. data-said says that it is done, {} in it what was chosen.
import { answered, PLAIN, tell } from "./api.js";
import { $, fault, fill, say } from "./dom.js";
import { place, reset } from "./place.js";

// Returns the page as the server has it now.
export async function freshen() {
  const answer = await fetch(location.pathname + location.search, PLAIN);
  await answered(answer);
  return place(await answer.text());
}

// Say in the panel of `at` that something is done, or on the page why not: then null is returned.
export async function doing(promise, words, at = null) {
  const outcome = at?.closest(".panel").querySelector(".outcome");
  if (outcome) outcome.textContent = "";
  try {
    const answer = await promise;
    fault(null);
    if (outcome) outcome.textContent = `✓ ${words}.`;
    else say(`${words}.`);
    await freshen().catch(() => {});
    return answer;
  } catch (error) {
    fault(error);
    return null;
  }
}

async function sent(element, typed) {
  const { tell: path, body = "{}", said, asks, method } = element.dataset;
  if (asks && !confirm(asks)) return;
  const given = Object.entries(typed).map(([name, value]) => [name, value === "" ? null : value]);
  const whole = { ...JSON.parse(body), ...Object.fromEntries(given) };
  const list = element.matches("form") ? element.querySelector("select") : element;
  const words = said.replace("{}", () => list.selectedOptions[0].text);
  const to = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(typed[name]));
  const answer = await doing(tell(to, whole, method), words, element);
  if (answer) element.dispatchEvent(new CustomEvent("told", { detail: { answer, sent: whole } }));
  else if (element.matches("select, input")) reset(element);
}

// The clipboard is only for secure pages; elsewhere the text is selected, to be copied by hand.
async function copy(button) {
  const code = button.closest("td, li, .address").querySelector("code") ?? $("#preview-address");
  try {
    await navigator.clipboard.writeText(button.dataset.copy || code.textContent);
    say("Copied.");
    button.textContent = "Copied";
    setTimeout(() => fill(button, "Copy"), 1500);
  } catch {
    getSelection().selectAllChildren(code);
    say("Selected, to be copied by hand.");
  }
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-tell], button[data-copy]");
  if (button?.dataset.tell) sent(button, {});
  else if (button) copy(button);
});
document.addEventListener(
  "change",
  ({ target }) =>
    target.matches(":is(select, input)[data-tell]") &&
    sent(target, { [target.name]: target.type === "checkbox" ? target.checked : target.value }),
  true,
);
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-tell]")) return;
  event.preventDefault();
  form.addEventListener("told", () => form.reset(), { once: true });
  sent(form, Object.fromEntries(new FormData(form)));
});
