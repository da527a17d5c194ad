// A play laid in tiles, or in words what was done instead.
import { tile } from "../tiles.js";
import { deed, letters } from "../words.js";

const LONG_WORD = 10;

export function drawRack(rack, turn, view) {
  const word = letters(turn, view.rows);
  rack.classList.toggle("long", word.length > LONG_WORD);
  if (word.length) {
    rack.replaceChildren(
      ...word.map(({ symbol, through }) => {
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
