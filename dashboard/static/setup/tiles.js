// The tiles of the set, counted.
import { account, tell } from "../director/api.js";
import { fault, html } from "../director/dom.js";
import { learnSpellings, spelled } from "../spelling.js";

const api = document.documentElement.dataset.api;
const at = (id) => document.getElementById(id);
const COLUMNS = "ABCDEFGHIJKLMNO";
let asked = 0;

function show(found) {
  at("result").textContent = found.complete
    ? `All ${found.count} tiles are there`
    : `${found.count} tiles: the set is not right`;
  at("result").dataset.good = found.complete;
  const says = found.learnt ? [...found.says, "the reader has learnt what these tiles look like"] : found.says;
  at("says").replaceChildren(...says.map((line) => html`<li>${line.trim()}</li>`));
  const doubt = new Set([...found.unsure, ...found.face_down]);
  learnSpellings(found);
  const cells = [];
  for (let row = 1; row <= 15; row += 1) {
    for (const column of COLUMNS) {
      const name = `${row}${column}`;
      const tile = found.tiles[name];
      const marks = tile && ["tile", doubt.has(name) && "doubt", tile in found.extra && "wrong"].filter(Boolean);
      cells.push(html`<span class=${marks?.join(" ")}>${tile && tile !== "?" && spelled(tile)}</span>`);
    }
  }
  at("tiles").replaceChildren(...cells);
  at("tiles").setAttribute(
    "aria-label",
    `${found.count} tiles as they lie on the board; what matters is written beside it`,
  );
  at("read").hidden = false;
  // As many squares as tiles, and some read as others: the reader may be wrong.
  const sum = (of) => Object.values(of).reduce((a, b) => a + b, 0);
  at("counted").hidden = found.complete || sum(found.missing) !== sum(found.extra);
}

async function count(byHand) {
  at("check").disabled = true;
  at("counted").hidden = true;
  at("result").textContent = "Looking…";
  delete at("result").dataset.good;
  at("says").replaceChildren();
  fault(null);
  try {
    show(await tell(`${api}tiles`, { by_hand: byHand, by: account, why: at("why")?.value ?? "" }));
  } catch (error) {
    at("result").textContent = "";
    at("read").hidden = true;
    fault(error);
  }
  asked += 1;
  at("shot-panel").hidden = false;
  at("shot").src = `${api}judged.jpg?n=${asked}`;
  at("check").disabled = false;
}

at("check").addEventListener("click", () => count(false));
at("by-hand").addEventListener("click", () => count(true));
