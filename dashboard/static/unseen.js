// The tiles that nobody has seen, where the event lets them be shown.

import { spelled } from "./spelling.js";

export function drawUnseen(list, unseen, order) {
  const known = Object.keys(order);
  const tiles = Object.entries(unseen)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => known.indexOf(a) - known.indexOf(b));
  list.replaceChildren(
    ...tiles.map(([tile, count]) => {
      const item = document.createElement("li");
      const letter = document.createElement("b");
      letter.textContent = spelled(tile);
      const many = document.createElement("span");
      many.textContent = count > 1 ? `×${count}` : "";
      many.setAttribute("aria-hidden", "true");
      const spoken = document.createElement("span");
      spoken.className = "sr";
      spoken.textContent = ` ${tile === "?" ? "blank, " : ""}${count} unseen`;
      item.append(letter, many, spoken);
      return item;
    }),
  );
  return tiles.reduce((sum, [, count]) => sum + count, 0);
}

// Whose the unseen tiles are, as far as that is known: in `many` tiles.
export function whose(view, many) {
  const tiles = `${many} ${many === 1 ? "tile" : "tiles"}`;
  if (view.bag_count > 0) return `Unseen, in the bag and on the racks: ${tiles}`;
  const out = view.status === "ended" && view.end_reason === "out" ? outIn(view) : null;
  if (many === 0) return "No tile is unseen";
  if (out) return `${view.players[out === "left" ? "right" : "left"].name} still has ${tiles}`;
  return `Unseen, on the racks: ${tiles}`;
}

// Who has played out: whoever got the other rack, or else made the last play.
function outIn(view) {
  const got = view.adjustments.find((line) => line.kind === "end_rack")?.side;
  return got ?? view.turns.findLast((turn) => turn.kind === "play")?.side ?? null;
}
