// A play laid in tiles, or in words what was done instead.
import { html } from "../html.js";
import { drawTiles } from "../tiles.js";
import { deed, letters } from "../words.js";

const LONG_WORD = 10;

export function drawRack(rack, turn, view) {
  const word = letters(turn, view.rows);
  rack.classList.toggle("long", word.length > LONG_WORD);
  if (word.length) drawTiles(rack, word, view.tile_set.values);
  else rack.replaceChildren(html`<span class="plain-word">${deed(turn.kind)}</span>`);
}
