// What spectators are told: a turn for the screen reader, the flags worth knowing, and who has won.
import { spelled } from "./spelling.js";
import { gettext, ngettext } from "./texts.js";
import { isBlank } from "./tiles.js";
import { deed, letters } from "./words.js";

const UNREAD = ` ${gettext("unread tile")} `;

export function spoken(turn, view) {
  const name = view.players[turn.side].name;
  const points = gettext("%(score)s points. %(name)s has %(total)s.", { ...turn, name });
  const checking = turn.checking ? ` ${gettext("It is being checked.")}` : "";
  if (!turn.word) return `${name}: ${deed(turn.kind)}, ${points}${checking}`;
  const word = letters(turn, view.rows)
    .map(
      ({ symbol }) =>
        ({ "?": ` ${gettext("blank")} `, "#": UNREAD, "~": UNREAD, ".": ` ${gettext("gap")} ` })[symbol] ??
        spelled(symbol.toUpperCase()),
    )
    .join("");
  const blanks = letters(turn, view.rows).filter(({ symbol, through }) => !through && isBlank(symbol)).length;
  const with_blank = blanks ? ` ${ngettext("with a blank", "with two blanks", blanks)}` : "";
  const noted = turn.flags.filter((flag) => flag.announced);
  const flags = noted.map((flag) => ` ${flag.message}`).join("");
  const what = turn.kind === "play" ? "" : `${deed(turn.kind)}: `;
  const at = gettext("at %(position)s", turn);
  return `${name}: ${what}${word}${with_blank} ${at}, ${points}${flags}${checking}`;
}

// Whether the scores that are shown are the result: racks and time are in them.
export function isFinal(view) {
  return view?.status === "ended" && view.final;
}

// Whether a question is open that may still change who has won.
export function undecided(view) {
  return isFinal(view) && view.provisional && view.outcome?.kind === "played";
}

// Whether a side has won; nobody has before the result is final, or while a question is open about it.
export function hasWon(view, side) {
  return isFinal(view) && view.outcome?.winner === side && !undecided(view);
}
