// One tile as an element, and one symbol as words. Symbols are those of the views: "A" a letter,
// "a" a blank standing for A, "?" a blank not yet named, "#" face down, "~" not to be read. What is
// printed on a tile is drawn by the style sheet: as text it would stand beside the square's name,
// which says the same in words.

import { html } from "./html.js";
import { spelled } from "./spelling.js";
import { gettext, ngettext } from "./texts.js";

export function isBlank(symbol) {
  return symbol === "?" || (symbol !== symbol.toUpperCase() && symbol === symbol.toLowerCase());
}

const pointsOf = (symbol, values) => (isBlank(symbol) ? 0 : (values[symbol] ?? null));

export function tile(symbol, values) {
  const unread = { "#": ["tile down", ""], "~": ["tile unsure", "…"] }[symbol];
  if (unread) return html`<span class=${unread[0]}><span class="letter" data-print=${unread[1]}></span></span>`;
  const print = spelled(symbol.toUpperCase());
  const value = `${pointsOf(symbol, values) ?? ""}`;
  const several = print.length > 1 ? "several" : "";
  const letter = html`<span class="letter" data-print=${print}></span>`;
  if (isBlank(symbol)) return html`<span class="tile ${several} blank">${letter}</span>`;
  return html`<span class="tile ${several} ${value.length > 1 ? "wide" : ""}">
    ${letter}
    <span class="value" data-print=${value}></span>
  </span>`;
}

// A play's tiles, in which those that lay there already are not lit.
export function drawTiles(rack, word, values) {
  rack.replaceChildren(
    ...word.map(({ symbol, through }) => {
      if (symbol === ".") return html`<span class="tile gap"></span>`;
      const piece = tile(symbol, values);
      piece.classList.toggle("lit", !through);
      return piece;
    }),
  );
}

export function inWords(symbol, values) {
  if (symbol === "~") return gettext("cannot be read");
  if (symbol === "#") return gettext("tile face down");
  if (symbol === "?") return gettext("blank without a letter, 0 points");
  if (isBlank(symbol)) return gettext("%(letter)s, blank, 0 points", { letter: spelled(symbol.toUpperCase()) });
  const points = pointsOf(symbol, values);
  if (points === null) return spelled(symbol);
  return ngettext("%(letter)s, %(num)s point", "%(letter)s, %(num)s points", points, { letter: spelled(symbol) });
}
