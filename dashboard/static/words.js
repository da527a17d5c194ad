// A turn in words.
import { spelled } from "./spelling.js";
import { gettext, ngettext } from "./texts.js";

const DEEDS = {
  play: gettext("Play"),
  no_score: gettext("No score"),
  undone: gettext("Undone"),
  taken_back: gettext("Taken back"),
  illegal_play: gettext("Illegal play"),
  illegal_play_unknown: gettext("Illegal play"),
  challenge_withdrawn: gettext("Challenge withdrawn"),
  exchange_or_pass: gettext("Exchange or pass"),
  not_known: gettext("Not known"),
  exchange: gettext("Exchange"),
  pass: gettext("Pass"),
  challenge_upheld: gettext("Challenged off"),
  challenge_failed: gettext("Challenge failed"),
  challenge_bonus: gettext("Challenge bonus"),
  penalty: gettext("Penalty"),
  correction: gettext("Correction"),
  spread: gettext("Spread alone"),
  overtime: gettext("Overtime"),
  agreed: gettext("Agreed by both players"),
  starting_score: gettext("Starting score"),
  end_rack: gettext("Tiles left with the opponent"),
  end_rack_penalty: gettext("Tiles left over"),
  overtime_limit: gettext("Overtime limit"),
  limit_raise: gettext("By the overtime limit"),
};

export function deed(kind) {
  return DEEDS[kind] ?? kind.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}

// The same after a name: "Ann at 8H, no score".
// A noun keeps its capital in German.
export const deedOf = (kind) =>
  document.documentElement.lang === "de" ? deed(kind) : deed(kind).replace(/^./, (first) => first.toLowerCase());

// A position in words: "9O" looks like 90.
export function placeWords(position) {
  const [, before, letter, after] = /^(\d*)([A-O])(\d*)$/.exec(position) ?? [];
  if (!letter) return position;
  return before
    ? gettext("across from row %(row)s, column %(column)s", { row: before, column: letter })
    : gettext("down from column %(column)s, row %(row)s", { row: after, column: letter });
}

// What is printed of a tile; one that could not be read is an empty square.
export function printed(symbol) {
  return symbol === "#" || symbol === "~" ? "▢" : spelled(symbol.toUpperCase());
}

export function signed(points) {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}

// What a game's record has letters for that nobody has given; empty where it has none.
export function standIns({ turns }) {
  const tiles = turns.flatMap((turn) => Object.values(turn.tiles));
  const count = (symbols) => tiles.filter((symbol) => symbols.includes(symbol)).length;
  const blanks = count("?");
  const unread = count("#~");
  const what = [
    ...(blanks ? [ngettext("%(num)s blank has no letter yet", "%(num)s blanks have no letter yet", blanks)] : []),
    ...(unread ? [ngettext("%(num)s tile could not be read", "%(num)s tiles could not be read", unread)] : []),
  ].join(gettext(", and "));
  if (!what) return "";
  return ngettext(
    "%(what)s: the saved game (GCG) has a substitute letter there, and says so.",
    "%(what)s: the saved game (GCG) has substitute letters there, and says so.",
    blanks + unread,
    { what },
  );
}

// The word's letters with where each came from: [{symbol, through}].
export function letters(turn, rows) {
  if (!turn.word) return [];
  const start = turn.position ? place(turn.position) : null;
  return [...turn.word].map((symbol, index) => {
    if (symbol !== "." || !start) return { symbol, through: symbol === "." };
    const row = start.row + (start.across ? 0 : index);
    const col = start.col + (start.across ? index : 0);
    return { symbol: [...(rows[row] ?? "")][col] ?? ".", through: true };
  });
}

// How a play scores, as `score_sum` of game_numbers.py says it.
export function scoreSum({ words: [main, ...others], bingo }) {
  if (!main?.sum) return "";
  const points = others.map((word) => `${word.text} ${word.points}`);
  return [`${main.sum} = ${main.points}`, ...points, ...(bingo ? [`+${bingo}`] : [])].join(" · ");
}

// The word along a play's line, whole: what every list calls the play.
export function mainWord(turn, rows) {
  return letters(turn, rows)
    .map(({ symbol }) => printed(symbol))
    .join("");
}

export function place(position) {
  const match = /^(?:(\d+)([A-O])|([A-O])(\d+))$/i.exec(position);
  if (!match) return null;
  const across = match[1] !== undefined;
  const row = Number(match[1] ?? match[4]) - 1;
  const col = (match[2] ?? match[3]).toUpperCase().charCodeAt(0) - 65;
  return { row, col, across };
}
