// A play laid in tiles, or in words what was done instead.
import { tile } from "../tiles.js";
import { deed, letters } from "../words.js";

const LONG_WORD = 10;

// A square that the play leaves empty, where it has a gap.
function gap() {
  const square = document.createElement("span");
  square.className = "tile gap";
  return square;
}

export function drawRack(rack, turn, view) {
  const word = letters(turn, view.rows);
  rack.classList.toggle("long", word.length > LONG_WORD);
  if (word.length) {
    rack.replaceChildren(
      ...word.map(({ symbol, through }) => {
        if (symbol === ".") return gap();
        const piece = tile(symbol, view.tile_set.values);
        piece.classList.toggle("lit", !through);
        return piece;
      }),
    );
    return;
  }
  const text = document.createElement("span");
  text.className = "plain-word";
  text.textContent = deed(turn.kind);
  rack.replaceChildren(text);
}
