// What a small screen shows of a turn: one part at a time, chosen by a row of buttons. The style sheet
// hides the rest, and shows everything on a larger screen and on paper.
export function tabs(row) {
  const buttons = [...row.querySelectorAll("[data-shows]")];
  const show = (name) => {
    document.body.dataset.shows = name;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.shows === name));
    dispatchEvent(new Event("resize")); // what has a size only now is laid out anew
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.shows));
  show(buttons[0].dataset.shows);
}
