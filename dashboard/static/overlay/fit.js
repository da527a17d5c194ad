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

// Whether its line is too long, be it by part of a pixel: `scrollWidth` is a whole number.
export function isCut(element) {
  if (element.scrollWidth > element.clientWidth) return true;
  const line = new Range();
  line.selectNodeContents(element);
  const { width } = element.getBoundingClientRect();
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  const scale = width / element.offsetWidth; // of a whole scene
  return line.getBoundingClientRect().width > width - (parseFloat(paddingLeft) + parseFloat(paddingRight)) * scale + 0.02;
}

export function shrink(element, smallest = SMALLEST) {
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  for (let share = 1; share > smallest && isCut(element); share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
  }
}
