// The words on the time line of a turn: none beyond its ends, none on another.
export const MARK = 21; // px, the most of a picture
const LABEL_GAP = 10; // px between an edge's line and the end of the words beside it

// Pictures of one moment stand side by side, those before the press to its left, and get narrower where there are many.
function part(line) {
  const marks = [...line.querySelectorAll(".mark")];
  const early = marks.filter(({ dataset }) => dataset.ns <= 0);
  const late = marks.slice(early.length);
  const due = ({ style }) => (parseFloat(style.left) / 100) * line.clientWidth;
  const last = early.length ? due(early.at(-1)) : 0;
  let step = Math.min(MARK, last / (early.length - 1 || 1));
  const put = (mark, x) => {
    mark.style.setProperty("--mark", `${step}px`);
    mark.style.translate = `${x - due(mark)}px`;
    return x;
  };
  let free = Infinity;
  for (const mark of early.toReversed()) free = put(mark, Math.min(due(mark), free - step));
  free = early.length ? last + step / 2 : -MARK;
  step = Math.min(MARK, (line.clientWidth - free) / late.length);
  free -= step / 2;
  for (const mark of late) free = put(mark, Math.max(due(mark), free + step));
}

// Words that would lie on others stand in a second row, or are left out; the buttons and the list below have them all.
export function spread(line) {
  part(line);
  const { left, right } = line.getBoundingClientRect();
  for (const edge of line.querySelectorAll(".edge")) {
    const label = edge.firstChild;
    label.hidden = false;
    label.style.maxWidth = "";
    const at = edge.getBoundingClientRect().left;
    const [before, behind] = [at - left, right - at];
    const late = label.scrollWidth > behind - LABEL_GAP && before > behind;
    edge.classList.toggle("late", late);
    label.style.maxWidth = `${Math.max(0, (late ? before : behind) - LABEL_GAP)}px`;
  }
  for (const kind of [".edge span", ".mark b"]) {
    const labels = [...line.querySelectorAll(kind)];
    const important = (label) => (label.closest(".press, [aria-pressed=true]") ? 0 : 1);
    const kept = [];
    const free = (box) =>
      !kept.some(
        (other) =>
          box.left < other.right + 6 && other.left < box.right + 6 && box.top < other.bottom && other.top < box.bottom,
      );
    for (const label of labels.sort((a, b) => important(a) - important(b))) {
      label.hidden = false;
      label.classList.remove("lower");
      if (!free(label.getBoundingClientRect())) label.classList.add("lower"); // those of an edge have a second row
      const box = label.getBoundingClientRect();
      label.hidden = !free(box);
      if (!label.hidden) kept.push(box);
    }
  }
}
