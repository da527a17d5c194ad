// Which square of the board somebody points at in a picture.
import { mapping } from "./picture.js";

const SIZE = 15;

// The name of the square at pixel (x, y) of a picture with these corners; null beside the board.
export function squareAt(corners, x, y) {
  const at = mapping(corners);
  for (let row = 0; row < SIZE; row += 1) {
    for (let col = 0; col < SIZE; col += 1) {
      const points = [at(col, row), at(col + 1, row), at(col + 1, row + 1), at(col, row + 1)];
      const turns = points.map(([ax, ay], place) => {
        const [bx, by] = points[(place + 1) % 4];
        return Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
      });
      if (!(turns.includes(1) && turns.includes(-1))) return `${row + 1}${String.fromCharCode(65 + col)}`;
    }
  }
  return null;
}

// The pixel of a canvas's picture under the pointer.
export function pixelOf(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [
    ((event.clientX - box.left) / box.width) * canvas.width,
    ((event.clientY - box.top) / box.height) * canvas.height,
  ];
}
