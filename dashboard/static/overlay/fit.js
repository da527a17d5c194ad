// A name as large as its place allows: made smaller, to a point, then folded, before it is cut off.

const SMALLEST = 0.6;
const FOLDED = 0.15; // so much smaller where two lines do not hold it

export function fit(element, text) {
  // Its place may have become smaller: what stands beside it comes later.
  const room = `${element.clientWidth} ${innerWidth}`;
  if (element.textContent === text && element.dataset.room === room && element.scrollWidth <= element.clientWidth) return;
  element.textContent = text;
  element.dataset.room = room;
  shrink(element);
  // Its font may still be on its way.
  document.fonts?.ready.then(() => element.textContent === text && shrink(element));
}

export function shrink(element, smallest = SMALLEST) {
  element.style.fontSize = "";
  element.classList.remove("folded");
  const largest = parseFloat(getComputedStyle(element).fontSize);
  let share = 1;
  const until = (least, fits) => {
    for (; share > least && !fits(); share -= 0.04) element.style.fontSize = `${largest * share}px`;
  };
  const fits = () => element.scrollWidth <= element.clientWidth;
  until(smallest, fits);
  if (fits()) return;
  element.classList.add("folded");
  until(smallest - FOLDED, () => element.scrollHeight <= element.clientHeight + 1);
}
