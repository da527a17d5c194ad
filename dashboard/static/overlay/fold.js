// A name that is folded into two lines where it would have to be too small for one, before it is cut off.
import { fit, isCut, isNew, shrink, whenFontsAreHere } from "./fit.js";

const LEAST = 0.45; // of the size that it is given

export function fold(element, smallest, least = LEAST) {
  element.classList.remove("folded");
  shrink(element, smallest);
  if (!isCut(element)) return;
  const size = parseFloat(getComputedStyle(element).fontSize);
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  element.classList.add("folded");
  for (let share = size / largest; share > least; share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
    // Its letters may reach over its lines a little; a third line is far more.
    if (element.scrollHeight <= element.clientHeight + (largest * share) / 3) return;
  }
}

// Names that are read together, of one size.
export function foldTogether(elements, smallest) {
  for (const element of elements) fold(element, smallest);
  const size = Math.min(...elements.map((element) => parseFloat(getComputedStyle(element).fontSize)));
  for (const element of elements) element.style.fontSize = `${size}px`;
}

// Both players' names, one beside or below the other: pairs of an element and its text.
export function fitNames(names) {
  const changed = names.filter(([element, text]) => isNew(element, text));
  if (!changed.length) return;
  const elements = names.map(([element]) => element);
  foldTogether(elements);
  whenFontsAreHere(() => names.every(([element, text]) => element.textContent === text) && foldTogether(elements));
}

export const fitFolded = (element, text) => fit(element, text, fold);
