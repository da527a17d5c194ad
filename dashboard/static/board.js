// The board: tiles put on the squares that the server drew, and keys to walk over them.
import { inWords, tile } from "./tiles.js";

const SIZE = 15;

export class BoardView {
  constructor(root) {
    this.squares = [...root.querySelectorAll(".square")];
    // What the server drew is taken off when another board is to be shown.
    this.shown = this.squares.map((square) => (square.querySelector(".tile") ? "server" : ""));
    this.stop(this.squares[(SIZE * SIZE - 1) / 2]); // what the server draws cannot be reached by keys
    root.addEventListener("keydown", (event) => this.walk(event));
    root.addEventListener("focusin", (event) => this.stop(event.target));
  }

  // `fresh` lets tiles that were not there before drop in.
  draw(rows, last, values, fresh) {
    const lit = new Set(last);
    this.squares.forEach((square, index) => {
      const symbol = [...rows[Math.floor(index / SIZE)]][index % SIZE];
      const { name, words } = square.dataset;
      const key = symbol === "." ? "" : `${symbol}${lit.has(name) ? "!" : ""}`;
      if (key === this.shown[index]) return;
      const before = this.shown[index];
      this.shown[index] = key;
      square.querySelector(".tile")?.remove();
      square.classList.toggle("taken", key !== "");
      if (key === "") {
        square.setAttribute("aria-label", `${name}, empty${words ? `, ${words}` : ""}`);
        return;
      }
      const piece = tile(symbol, values);
      piece.classList.toggle("lit", lit.has(name));
      piece.classList.toggle("new", fresh && before[0] !== symbol);
      piece.setAttribute("aria-hidden", "true");
      square.append(piece);
      const label = `${name}, ${inWords(symbol, values)}`;
      square.setAttribute("aria-label", lit.has(name) ? `${label}, laid last turn` : label);
    });
  }

  stop(target) {
    if (!target.classList.contains("square")) return;
    for (const square of this.squares) square.tabIndex = square === target ? 0 : -1;
  }

  walk(event) {
    const at = this.squares.indexOf(document.activeElement);
    if (at < 0 || event.altKey || event.metaKey) return;
    const row = Math.floor(at / SIZE);
    const col = at % SIZE;
    const to = {
      ArrowUp: [row - 1, col],
      ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? SIZE - 1 : row, SIZE - 1],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const [r, c] = to.map((value) => Math.max(0, Math.min(SIZE - 1, value)));
    this.squares[r * SIZE + c].focus();
  }
}
