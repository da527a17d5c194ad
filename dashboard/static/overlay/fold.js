// A name that is folded into two lines where it would have to be too small for one, before it is cut off.
import { fit, isCut, shrink } from "./fit.js";

const LEAST = 0.45; // of the size that it is given

export function fold(element, smallest) {
  element.classList.remove("folded");
  shrink(element, smallest);
  if (!isCut(element)) return;
  const size = parseFloat(getComputedStyle(element).fontSize);
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  element.classList.add("folded");
  for (let share = size / largest; share > LEAST; share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
    // Its letters may reach over its lines a little; a third line is far more.
    if (element.scrollHeight <= element.clientHeight + (largest * share) / 3) return;
  }
}

export const fitFolded = (element, text) => fit(element, text, fold);
