// What the camera of a table sees now; a square is chosen in it as on the board.
import { $ } from "./dom.js";
import { LivePicture } from "./picture.js";
import { pixelOf, squareAt } from "./pointing.js";

// `choose` takes the name of a square that is pressed.
export function watch(table, choose) {
  const canvas = $("#picture");
  const live = new LivePicture(table, { canvas, none: $("#no-picture"), age: $("#picture-age"), over: $("#over") });
  canvas.addEventListener("click", (event) => {
    const corners = live.shown?.about.corners;
    const square = corners && squareAt(corners, ...pixelOf(canvas, event));
    if (square) choose(square);
  });
}
