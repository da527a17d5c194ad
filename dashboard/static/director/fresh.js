// A page whose lists the server draws. Each part with an id and data-fresh is fetched again and put in place
// where it has changed. A button, a select or a form with data-tell posts data-body, with what is chosen or
// typed in it, there; data-said says that it is done, {} in it what was chosen.
import { steadily } from "../steady.js";
import { answered, PLAIN, tell } from "./api.js";
import { $, fill, say } from "./dom.js";
import { wall } from "./wording.js";

const drawn = new Map(); // by id: a part as the server drew it
const parts = (page) => [...page.querySelectorAll("[data-fresh]")];

export const day = (s) =>
  new Date(s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

// Times are those of this device's zone.
function showTimes(root) {
  for (const time of root.querySelectorAll("time[data-s]")) time.textContent = day(time.dataset.s);
  for (const time of root.querySelectorAll("time[data-ns]")) time.textContent = wall(time.dataset.ns);
}

const standard = (select) => [...select.options].findIndex((option) => option.defaultSelected);

// As the server has it.
export const reset = (select) => (select.selectedIndex = Math.max(0, standard(select)));

// What somebody has chosen and not sent stays chosen.
function put(part) {
  const old = document.getElementById(part.id);
  const chosen = [old, ...old.querySelectorAll("select")]
    .filter((one) => one.matches("select[id]") && one.selectedIndex !== Math.max(0, standard(one)))
    .map(({ id, value }) => [id, value]);
  const { id: focused } = old.contains(document.activeElement) ? document.activeElement : {};
  drawn.set(part.id, part.outerHTML);
  old.replaceWith(document.adoptNode(part));
  for (const [id, value] of chosen) {
    const select = document.getElementById(id);
    if ([...(select?.options ?? [])].some((option) => option.value === value)) select.value = value;
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  showTimes(part);
}

// Returns the page as the server has it now. A list that somebody has open stays as it is.
export async function freshen() {
  const answer = await fetch(location.pathname, PLAIN);
  await answered(answer);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = document.activeElement.closest("select[data-fresh]");
  const changed = parts(page).filter(
    ({ id, outerHTML }) => drawn.has(id) && drawn.get(id) !== outerHTML && id !== open?.id,
  );
  steadily(() => changed.forEach(put));
  dispatchEvent(new CustomEvent("fresh", { detail: new Set(changed.map(({ id }) => id)) }));
  return page;
}

function fault(error) {
  $("#fault").textContent = error?.message ?? "";
  $("#fault").hidden = !error;
  if (error) $("#fault").scrollIntoView({ block: "nearest" });
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

// The reason that is kept with whatever is done, where a page asks for one.
export const why = () => $("#why")?.value ?? null;

async function sent(element, typed) {
  const { tell: path, body = "{}", said, asks, method } = element.dataset;
  if (asks && !confirm(asks)) return;
  const given = Object.entries(typed).map(([name, value]) => [name, value || null]);
  const whole = { ...JSON.parse(body), ...Object.fromEntries(given) };
  const words = said.replace("{}", () => element.selectedOptions[0].text);
  const answer = await doing(tell(path, whole, why(), method), words, element);
  if (answer) element.dispatchEvent(new CustomEvent("told", { detail: { answer, sent: whole } }));
  else if (element.matches("select")) reset(element);
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
  ({ target }) => target.matches("select[data-tell]") && sent(target, { [target.name]: target.value }),
  true,
);
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-tell]")) return;
  event.preventDefault();
  form.addEventListener("told", () => form.reset(), { once: true });
  sent(form, Object.fromEntries(new FormData(form)));
});
for (const part of parts(document)) drawn.set(part.id, part.outerHTML);
showTimes(document);
