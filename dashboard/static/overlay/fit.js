// A name as large as its place allows: made smaller, to a point, before it is cut off.

const SMALLEST = 0.6;

export function fit(element, text, make = shrink) {
  // Its place may have become smaller: what stands beside it comes later.
  const room = `${element.clientWidth} ${innerWidth}`;
  if (element.textContent === text && element.dataset.room === room && element.scrollWidth <= element.clientWidth) return;
  element.textContent = text;
  element.dataset.room = room;
  make(element);
  // Its font may still be on its way.
  document.fonts?.ready.then(() => element.textContent === text && make(element));
}

export function shrink(element, smallest = SMALLEST) {
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  for (let share = 1; share > smallest && element.scrollWidth > element.clientWidth; share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
  }
}
