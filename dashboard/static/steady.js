// Lists that grow at the top are drawn anew without moving what somebody is about to press. Each of
// their rows has a name in data-row.
const RESTS_MS = 10000; // a mouse that has lain still for longer is about to press nothing
const PRESSED = "a, button";

let mouse = null; // where it last moved, and when
addEventListener(
  "pointermove",
  ({ pointerType, clientX: x, clientY: y }) => {
    if (pointerType === "mouse") mouse = { x, y, at: performance.now() };
  },
  { passive: true },
);

const top = (element) => element.getBoundingClientRect().top;

// The row under the mouse, or that has the keyboard's focus.
function aimed() {
  const focus = document.activeElement;
  // Not by :hover, which knows of what was drawn since only with the next frame.
  const under =
    mouse && performance.now() - mouse.at < RESTS_MS
      ? document.elementFromPoint(mouse.x, mouse.y)?.closest("[data-row]")
      : null;
  return under ?? (focus?.matches(":focus-visible") ? focus.closest("[data-row]") : null);
}

// True while somebody is about to press a row of a list.
export const isAimedAt = (list) => list.contains(aimed());

// On a page that is scrolled past the top of a list: its first row in sight.
function passed() {
  return scrollY > 0
    ? [...document.querySelectorAll("[data-row]")].find((row) => top(row) >= 0 && top(row.parentElement) < 0)
    : null;
}

// Scroll a box to there. Where it is too short, it has room added below.
let widened = null;
function scroll(box, to) {
  box.style.paddingBottom = `${box.clientHeight}px`; // then its height is that of its content
  const lacks = to + 2 * box.clientHeight - box.scrollHeight;
  box.style.paddingBottom = lacks > 0 ? `${lacks}px` : "";
  box.scrollTop = to;
  widened = lacks > 0 ? box : null;
}

// Draw. True where somebody is about to press a row, and it stays where it was.
export function steadily(draw) {
  const focus = document.activeElement;
  const focused = focus?.closest("[data-row]");
  const place = focused ? [...focused.querySelectorAll(PRESSED)].indexOf(focus) : -1;
  const aim = aimed();
  const held = aim ?? passed();
  const before = held && top(held);
  draw();
  const again = (row) => row && document.querySelector(`[data-row="${CSS.escape(row.dataset.row)}"]`);
  if (document.activeElement === document.body)
    again(focused)?.querySelectorAll(PRESSED)[place]?.focus({ preventScroll: true });
  const row = again(held);
  if (!row || before > innerHeight) {
    if (widened) scroll(widened, widened.scrollTop);
    return false;
  }
  // The list's own box scrolls, or the page.
  const stays = () => Math.abs(top(row) - before) < 1;
  for (const box of [row.closest(".scroll"), document.scrollingElement]) {
    if (box === null || stays()) continue;
    scroll(box, box.scrollTop + top(row) - before);
    if (!stays()) box.style.paddingBottom = "";
  }
  return aim !== null;
}
