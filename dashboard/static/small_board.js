// A board in small: `small_board` of board_template.py draws the same, into the same few elements.
import { html } from "./html.js";

const SIZE = 15;

const outline = (squares) => squares.map(({ row, col }) => `M${col} ${row}h1v1h-1z`).join("");

function write(text, squares) {
  text.textContent = squares.map(({ print }) => print).join("");
  text.setAttribute("x", squares.map(({ col }) => col + 0.5).join(" "));
  text.setAttribute("y", squares.map(({ row }) => row + 0.75).join(" "));
}

const several = ({ row, col, print }) => html`<text class="several" x=${col + 0.5} y=${row + 0.75}>${print}</text>`;

// `newest`: the names of the squares to be lit; `spellings`: what people see of a symbol.
export function drawSmall(svg, rows, newest, spellings) {
  const lit = new Set(newest);
  const found = rows
    .flatMap((line, row) => [...line].map((symbol, col) => ({ symbol, row, col })))
    .filter(({ symbol }) => symbol !== ".")
    .map((one) => ({
      ...one,
      name: `${one.row + 1}${String.fromCharCode(65 + one.col)}`,
      blank: one.symbol !== one.symbol.toUpperCase(),
      print: /\p{L}/u.test(one.symbol) ? (spellings[one.symbol] ?? one.symbol).toUpperCase() : "",
    }));
  const [tiles, bright] = svg.querySelectorAll("path");
  tiles.setAttribute("d", outline(found));
  bright.setAttribute("d", outline(found.filter(({ name }) => lit.has(name))));
  const single = found.filter(({ print }) => [...print].length === 1);
  const [letters, blanks] = svg.querySelectorAll("text");
  write(
    letters,
    single.filter(({ blank }) => !blank),
  );
  write(
    blanks,
    single.filter(({ blank }) => blank),
  );
  svg.querySelector("g").replaceChildren(...found.filter(({ print }) => [...print].length > 1).map(several));
}

export const EMPTY = Array.from({ length: SIZE }, () => ".".repeat(SIZE));
