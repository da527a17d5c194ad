// One tile as an element, and one symbol as words. Symbols are those of the views: "A" a letter,
// "a" a blank standing for A, "?" a blank not yet named, "#" face down, "~" not to be read. What is
// printed on a tile is drawn by the style sheet: as text it would stand beside the square's name,
// which says the same in words.

import { spelled } from "./spelling.js";

export function isBlank(symbol) {
  return symbol === "?" || (symbol !== symbol.toUpperCase() && symbol === symbol.toLowerCase());
}

export function valueOf(symbol, values) {
  return isBlank(symbol) ? 0 : (values[symbol] ?? null);
}

export function tile(symbol, values) {
  const box = document.createElement("span");
  box.className = "tile";
  const letter = document.createElement("span");
  letter.className = "letter";
  box.append(letter);
  if (symbol === "#" || symbol === "~") {
    box.classList.add(symbol === "#" ? "down" : "unsure");
    letter.dataset.print = symbol === "#" ? "" : "…";
    return box;
  }
  letter.dataset.print = spelled(symbol.toUpperCase());
  if (letter.dataset.print.length > 1) box.classList.add("several");
  if (isBlank(symbol)) {
    box.classList.add("blank");
  } else {
    const points = document.createElement("span");
    points.className = "value";
    points.dataset.print = valueOf(symbol, values) ?? "";
    if (points.dataset.print.length > 1) box.classList.add("wide");
    box.append(points);
  }
  return box;
}

export function inWords(symbol, values) {
  if (symbol === "~") return "cannot be read";
  if (symbol === "#") return "tile face down";
  if (symbol === "?") return "blank without a letter, 0 points";
  if (isBlank(symbol)) return `${spelled(symbol.toUpperCase())}, blank, 0 points`;
  const points = valueOf(symbol, values);
  if (points === null) return spelled(symbol);
  return `${spelled(symbol)}, ${points} ${points === 1 ? "point" : "points"}`;
}
