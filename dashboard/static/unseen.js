// The tiles that nobody has seen, where the event lets them be shown.

import { html } from "./html.js";
import { spelled } from "./spelling.js";

export function drawUnseen(list, unseen, order) {
  const known = Object.keys(order);
  const tiles = Object.entries(unseen)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => known.indexOf(a) - known.indexOf(b));
  list.replaceChildren(
    ...tiles.map(
      ([tile, count]) =>
        html`<li>
          <b>${spelled(tile)}</b>
          <span aria-hidden="true">${count > 1 && `×${count}`}</span>
          <span class="sr"> ${tile === "?" && "blank, "}${count} unseen</span>
        </li>`,
    ),
  );
  return tiles.reduce((sum, [, count]) => sum + count, 0);
}

// Where the unseen tiles are, as far as that is known: in `many` tiles.
export function whose(view, many) {
  const tiles = `${many} ${many === 1 ? "tile" : "tiles"}`;
  if (many === 0) return "No tile is unseen";
  const onBoard = view.rows.some((row) => /[#~]/.test(row)); // a tile whose face nobody has read
  const holder = onBoard ? null : holderOf(view, many);
  if (holder) return `${view.players[holder].name} still has ${tiles}`;
  const places = [
    ...(view.bag_count > 0 ? ["in the bag"] : []),
    "on the racks",
    ...(onBoard ? ["unread on the board"] : []),
  ];
  return `Unseen, ${places.join(", ").replace(/, ([^,]*)$/, " and $1")}: ${tiles}`;
}

// Who has all unseen tiles: certain only once they were counted as the rack left at the end.
function holderOf({ bag_count: bag, adjustments }, many) {
  const rack = adjustments.find((line) => line.kind === "end_rack");
  if (bag > 0 || [...(rack?.tiles ?? "")].length !== many) return null;
  return rack.side === "left" ? "right" : "left";
}
