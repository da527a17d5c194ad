// The tiles that nobody has seen, where the event lets them be shown.

import { html } from "./html.js";
import { spelled } from "./spelling.js";
import { gettext, ngettext } from "./texts.js";

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
          <span class="sr">
            ${tile === "?" && `${gettext("blank")}, `}${gettext("%(number)s unseen", { number: count })}
          </span>
        </li>`,
    ),
  );
  return tiles.reduce((sum, [, count]) => sum + count, 0);
}

// Where the unseen tiles are, as far as that is known: in `many` tiles.
export function whose(view, many) {
  const tiles = ngettext("%(num)s tile", "%(num)s tiles", many);
  if (many === 0) return gettext("No tile is unseen");
  const onBoard = view.rows.some((row) => /[#~]/.test(row)); // a tile whose face nobody has read
  const holder = onBoard ? null : holderOf(view, many);
  if (holder) return gettext("%(name)s still has %(tiles)s", { name: view.players[holder].name, tiles });
  const places = [
    ...(view.bag_count > 0 ? [gettext("in the bag")] : []),
    gettext("on the racks"),
    ...(onBoard ? [gettext("unread on the board")] : []),
  ];
  const where = places.join(", ").replace(/, ([^,]*)$/, ` ${gettext("and")} $1`);
  return gettext("Unseen, %(where)s: %(tiles)s", { where, tiles });
}

// Who has all unseen tiles: certain only once they were counted as the rack left at the end.
function holderOf({ bag_count: bag, adjustments }, many) {
  const rack = adjustments.find((line) => line.kind === "end_rack");
  if (bag > 0 || [...(rack?.tiles ?? "")].length !== many) return null;
  return rack.side === "left" ? "right" : "left";
}
