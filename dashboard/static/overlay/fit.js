// A name as large as its place allows: made smaller, to a point, before it is cut off.

const SMALLEST = 0.6;

export function fit(element, text, make = shrink) {
  if (!isNew(element, text)) return;
  make(element);
  whenFontsAreHere(() => element.textContent === text && make(element));
}

// Sets its text; whether its size has to be found anew.
export function isNew(element, text) {
  // Its place may have become smaller: what stands beside it comes later.
  const room = `${element.clientWidth} ${innerWidth}`;
  if (element.textContent === text && element.dataset.room === room && !isCut(element)) return false;
  element.textContent = text;
  element.dataset.room = room;
  return true;
}

// A font may still be on its way.
export function whenFontsAreHere(make) {
  document.fonts?.ready.then(make);
}

// Whether its line is too long, be it by part of a pixel: `scrollWidth` is a whole number.
export function isCut(element) {
  if (element.scrollWidth > element.clientWidth) return true;
  const line = new Range();
  line.selectNodeContents(element);
  const { width } = element.getBoundingClientRect();
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  const scale = width / element.offsetWidth; // of a whole scene
  return (
    line.getBoundingClientRect().width > width - (parseFloat(paddingLeft) + parseFloat(paddingRight)) * scale + 0.02
  );
}

export function shrink(element, smallest = SMALLEST) {
  element.style.fontSize = "";
  const largest = parseFloat(getComputedStyle(element).fontSize);
  for (let share = 1; share > smallest && isCut(element); share -= 0.04) {
    element.style.fontSize = `${largest * share}px`;
  }
}
