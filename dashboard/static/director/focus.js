// Where the focus was before a dialog, and back there after it: what the page has drawn anew since
// is found again by what it does.
import { $ } from "./dom.js";

const NAMES = ["deed", "correct", "back", "offer", "name"];

// What has the focus now, to be found again.
export function place(element) {
  const name = NAMES.find((one) => one in (element?.dataset ?? {}));
  const selector = name ? `[data-${name}="${CSS.escape(element.dataset[name])}"]` : null;
  return { element, selector, home: element?.closest?.("#bar, #board, #turns, #statements, .attention")?.id ?? null };
}

// The same again; else the part of the page that it was in, else its heading.
export function restore({ element, selector, home }) {
  const found = element?.isConnected && element !== document.body ? element : selector && $(selector);
  const rest = home === "bar" || home === "board" ? $("#bar") : $("#attention-title");
  const to = found && !found.disabled ? found : rest;
  to?.focus({ preventScroll: to !== found });
}
