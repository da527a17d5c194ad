// The words on the time line of a turn: none beyond its ends, none on another.
const LABEL_GAP = 10; // px between an edge's line and the end of the words beside it

// Words that would lie on others stand in a second row, or are left out; the buttons and the list below have them all.
export function spread(line) {
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
