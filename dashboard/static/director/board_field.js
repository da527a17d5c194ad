// A board in a dialog: a square to press, or tiles to lay with a letter pad.
import { BoardView } from "../board.js";
import { html } from "./dom.js";
import { withLists } from "./edits.js";
import { letterPad } from "./pad.js";
import { symbolText } from "./wording.js";

const SIZE = 15;

function at(name) {
  return { row: parseInt(name, 10) - 1, col: name.charCodeAt(name.length - 1) - 65 };
}

function nameOf(row, col) {
  return `${row + 1}${String.fromCharCode(65 + col)}`;
}

// The square after this one in the line of the tiles placed so far; across while there is but one.
function next(name, placed, rows) {
  const names = Object.keys(placed);
  const down = names.length > 1 && names.every((one) => at(one).col === at(name).col);
  for (let { row, col } = at(name); row < SIZE && col < SIZE; row += Number(down), col += Number(!down)) {
    const square = nameOf(row, col);
    if (!(square in placed) && [...rows[row]][col] === ".") return square;
  }
  return name;
}

// The page's board once more, as it is drawn.
function copy(label) {
  const board = document.querySelector("#board").cloneNode(true);
  board.removeAttribute("id");
  board.setAttribute("aria-label", `${label}: arrow keys move from square to square`);
  for (const square of board.querySelectorAll(".square")) {
    square.classList.remove("asked");
    square.tabIndex = -1;
  }
  return board;
}

// field: {name, label, letters: of the set, values: of its tiles, rows(values): the board before the
// play}. The value is "8H=A 8I=b"; without `letters` it is the square that was pressed.
export function boardField(field) {
  const input = html`<input type="hidden" name=${field.name} />`;
  const board = copy(field.label);
  const view = new BoardView(board);
  const placed = {};
  let rows = null;
  let aim = null;
  const first = field.letters ? "Press a square, then its letter." : "Press a square.";
  const chosen = html`<output class="chosen">${first}</output>`;

  function take(name) {
    aim = name;
    for (const square of view.squares) square.classList.toggle("aim", square.dataset.name === name);
    if (field.letters) return;
    chosen.textContent = name;
    enter(name);
  }
  function enter(value) {
    if (input.value === value) return;
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function draw() {
    const now = rows.map((row, r) => [...row].map((symbol, c) => placed[nameOf(r, c)] ?? symbol).join(""));
    view.draw(now, Object.keys(placed), field.values, false);
    enter(
      Object.entries(placed)
        .map(([name, symbol]) => `${name}=${symbol}`)
        .join(" "),
    );
  }
  function put(symbol) {
    if (aim === null || [...rows[at(aim).row]][at(aim).col] !== ".") {
      chosen.textContent = aim === null ? "Press a square first." : `A tile lay on ${aim} before.`;
      return;
    }
    chosen.textContent = `${aim}: ${symbolText(symbol)}`;
    if (symbol === ".") delete placed[aim];
    else placed[aim] = symbol;
    draw();
    if (symbol === ".") return;
    const on = next(aim, placed, rows);
    take(on);
    if (board.contains(document.activeElement)) view.squares.find((square) => square.dataset.name === on).focus();
  }

  board.addEventListener("focusin", (event) => event.target.matches(".square") && take(event.target.dataset.name));
  const pad =
    field.letters &&
    letterPad({ name: "", label: `${field.label}: the letter`, letters: field.letters, say: symbolText, chosen: put });
  const box = html`<fieldset class="pick board-field">
    <legend>${field.label}</legend>
    ${input}
    <div class="across"><div class="frame">${board}</div></div>
    <div class="beside">${pad}${chosen}</div>
  </fieldset>`;
  if (field.letters) {
    box.ready = (form) => {
      const renew = () => {
        rows = field.rows(Object.fromEntries(new FormData(form)));
        for (const name of Object.keys(placed)) delete placed[name];
        draw();
      };
      renew();
      withLists(form, renew);
    };
  }
  return box;
}
