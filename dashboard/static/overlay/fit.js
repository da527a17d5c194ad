// A name as large as its place allows: made smaller, to a point, before it is cut off.

const SMALLEST = 0.6;

export function fit(element, text, make = shrink) {
  // Its place may have become smaller: what stands beside it comes later.
  const room = `${element.clientWidth} ${innerWidth}`;
  if (element.textContent === text && element.dataset.room === room && !isCut(element)) return;
  element.textContent = text;
  element.dataset.room = room;
  make(element);
  // Its font may still be on its way.
  document.fonts?.ready.then(() => element.textContent === text && make(element));
}

// Whether a line is longer than its place, be it by a part of a pixel, which `scrollWidth` rounds off.
export function isCut(element) {
  const { scrollWidth, clientWidth, offsetWidth } = element;
  if (scrollWidth > clientWidth || !offsetWidth) return scrollWidth > clientWidth;
  const line = document.createRange();
  line.selectNodeContents(element);
  const { width } = element.getBoundingClientRect();
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  const sides = offsetWidth - clientWidth + parseFloat(paddingLeft) + parseFloat(paddingRight);
  // A whole scene may be drawn larger or smaller.
  return line.getBoundingClientRect().width > width - (sides * width) / offsetWidth + 0.02;
}

export function shrink(element, smallest = SMALLEST) {
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  for (let share = 1; share > smallest && isCut(element); share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
  }
}
