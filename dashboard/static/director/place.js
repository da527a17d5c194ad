// The parts that the server draws: each has an id and data-fresh, and is put in place where it has changed.
import { steadily } from "../steady.js";
import { wall } from "./wording.js";

const drawn = new Map(); // by id: as the server drew it
const parts = (page) => [...page.querySelectorAll("[data-fresh]")];

export const day = (s) =>
  new Date(s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

// Times are those of this device's zone.
function showTimes(root) {
  for (const time of root.querySelectorAll("time[data-s]")) time.textContent = day(time.dataset.s);
  for (const time of root.querySelectorAll("time[data-ns]")) time.textContent = wall(time.dataset.ns);
}

// The server's choice.
const standard = ({ options }) =>
  Math.max(
    0,
    [...options].findIndex((one) => one.defaultSelected),
  );
export function reset(field) {
  if (field.options) field.selectedIndex = standard(field);
  else field.checked = field.defaultChecked;
}

function put(part) {
  const old = document.getElementById(part.id);
  const { id: focused } = old.contains(document.activeElement) ? document.activeElement : {};
  // What somebody has chosen and not sent stays chosen.
  const chosen = old.options && old.selectedIndex !== standard(old) ? old.value : null;
  drawn.set(part.id, part.outerHTML);
  old.replaceWith(document.adoptNode(part));
  if ([...(part.options ?? [])].some(({ value }) => value === chosen)) part.value = chosen;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  showTimes(part);
}

// A list that somebody has open stays as it is, and so does a field in which they type.
export function place(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const open = document.activeElement.closest("[data-fresh]:is(select, input:not([type=checkbox]))");
  const changed = parts(page).filter(
    ({ id, outerHTML }) => drawn.has(id) && drawn.get(id) !== outerHTML && id !== open?.id,
  );
  steadily(() => changed.forEach(put));
  dispatchEvent(new CustomEvent("fresh", { detail: new Set(changed.map(({ id }) => id)) }));
  return page;
}

for (const part of parts(document)) drawn.set(part.id, part.outerHTML);
showTimes(document);
