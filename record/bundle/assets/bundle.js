"use strict";
// The page reads whole without this script. It plays a turn's pictures at the pace at which they
// were taken, and says when the pictures are not beside the page.
(() => {
  const LONGEST_MS = 3000;
  // A picture can fail while the page is still loading: this hears of it whenever that is.
  document.addEventListener("error", () => document.documentElement.classList.add("pictures-missing"), true);
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".film").forEach(playable));

  function playable(film) {
    const shots = [...film.querySelectorAll("input")];
    if (shots.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "play";
    button.textContent = "▶ Play";
    film.append(button);
    let timer = 0;
    const stop = () => {
      clearTimeout(timer);
      timer = 0;
      button.textContent = "▶ Play";
    };
    const step = () => {
      const at = shots.findIndex((shot) => shot.checked);
      if (at === shots.length - 1) return stop();
      const apart = (Number(shots[at + 1].dataset.ns) - Number(shots[at].dataset.ns)) / 1e6;
      timer = setTimeout(
        () => {
          shots[at + 1].checked = true;
          step();
        },
        Math.min(LONGEST_MS, Math.max(50, apart)),
      );
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (shots.at(-1).checked) shots[0].checked = true;
      button.textContent = "❚❚ Pause";
      step();
    });
  }
})();
