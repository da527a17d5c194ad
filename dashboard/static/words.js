// A turn in words, for the list, the strip and the screen reader.
import { spelled } from "./spelling.js";
import { isBlank } from "./tiles.js";

const DEEDS = {
  exchange_or_pass: "Exchange or pass",
  exchange: "Exchange",
  pass: "Pass",
  challenge_upheld: "challenged off",
  challenge_failed: "Challenge failed",
  challenge_bonus: "Challenge bonus",
  penalty: "Penalty",
  correction: "Correction",
  spread: "Spread alone",
  overtime: "Overtime",
  agreed: "Agreed by both players",
  starting_score: "Starting score",
  end_rack: "Tiles left with the opponent",
  end_rack_penalty: "Tiles left over",
  overtime_limit: "Overtime limit",
  one_point: "By the overtime limit",
};

// Flags that a viewer wants to know of. The camera's own troubles are the director's business.
export const NOTES = new Set([
  "off_centre", "single_tile_opening", "not_one_line", "gap", "disconnected", "too_many_tiles",
  "changed_out_of_turn", "exchange_too_late", "void_word", "minor_infractions", "late_start",
  "overtime", "overtime_limit", "six_zeros",
]);

export function deed(kind) {
  return DEEDS[kind] ?? kind.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}

// What is printed of a tile; one that could not be read is an empty square.
export function printed(symbol) {
  return symbol === "#" || symbol === "~" ? "▢" : spelled(symbol.toUpperCase());
}

export function signed(points) {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
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

export function place(position) {
  const match = /^(?:(\d+)([A-O])|([A-O])(\d+))$/i.exec(position);
  if (!match) return null;
  const across = match[1] !== undefined;
  const row = Number(match[1] ?? match[4]) - 1;
  const col = (match[2] ?? match[3]).toUpperCase().charCodeAt(0) - 65;
  return { row, col, across };
}

export function spoken(turn, view) {
  const name = view.players[turn.side].name;
  const total = `${name} has ${turn.total}`;
  if (!turn.word) return `${name}: ${deed(turn.kind)}, ${turn.score} points. ${total}.`;
  const word = letters(turn, view.rows)
    .map(({ symbol }) => ({ "?": " blank ", "#": " unread tile ", "~": " unread tile " })[symbol] ?? spelled(symbol.toUpperCase()))
    .join("");
  const blanks = letters(turn, view.rows).filter(({ symbol, through }) => !through && isBlank(symbol)).length;
  const with_blank = blanks ? ` with ${blanks === 1 ? "a blank" : "two blanks"}` : "";
  const noted = turn.flags.filter((flag) => NOTES.has(flag.code));
  const flags = noted.map((flag) => ` ${flag.message}`).join("");
  const what = turn.kind === "play" ? "" : `${deed(turn.kind)}: `;
  return `${name}: ${what}${word}${with_blank} at ${turn.position}, ${turn.score} points. ${total}.${flags}`;
}

// Whether the scores that are shown are the result: racks and time are in them.
export function isFinal(view) {
  return view?.status === "ended" && view.final;
}

// Whether a side has won; nobody has before the result is final.
export function hasWon(view, side) {
  return isFinal(view) && view.outcome?.winner === side;
}
