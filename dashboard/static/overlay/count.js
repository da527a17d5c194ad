// A number that runs to its new value, as scoreboards do.

const MS = 700;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const runs = new WeakMap();

export function countTo(element, to, animate) {
  cancelAnimationFrame(runs.get(element));
  const from = Number(element.textContent.replace("−", "-"));
  if (!animate || still.matches || document.hidden || from === to || !Number.isFinite(from)) {
    element.textContent = to;
    return;
  }
  const start = performance.now();
  const step = (now) => {
    const done = Math.min(1, (now - start) / MS);
    element.textContent = Math.round(from + (to - from) * (1 - (1 - done) ** 3));
    if (done < 1) runs.set(element, requestAnimationFrame(step));
  };
  runs.set(element, requestAnimationFrame(step));
}
