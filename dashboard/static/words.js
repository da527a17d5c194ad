// A turn in words.
import { spelled } from "./spelling.js";

const DEEDS = {
  exchange_or_pass: "Exchange or pass",
  not_known: "Not known",
  exchange: "Exchange",
  pass: "Pass",
  challenge_upheld: "Challenged off",
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
  limit_raise: "By the overtime limit",
};

export function deed(kind) {
  return DEEDS[kind] ?? kind.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}

// The same after a name: "Ann at 8H, no score".
export const deedOf = (kind) => deed(kind).replace(/^./, (first) => first.toLowerCase());

// A position in words: "9O" looks like 90.
export function placeWords(position) {
  const [, before, letter, after] = /^(\d*)([A-O])(\d*)$/.exec(position) ?? [];
  if (!letter) return position;
  return before ? `across from row ${before}, column ${letter}` : `down from column ${letter}, row ${after}`;
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
  const many = (symbols, one, more) => {
    const count = tiles.filter((symbol) => symbols.includes(symbol)).length;
    return count ? [count === 1 ? `1 ${one}` : `${count} ${more}`] : [];
  };
  const what = [
    ...many("?", "blank has no letter yet", "blanks have no letter yet"),
    ...many("#~", "tile could not be read", "tiles could not be read"),
  ].join(", and ");
  const letters = /^1 [^,]*$/.test(what) ? "a substitute letter" : "substitute letters";
  return what && `${what}: the saved game (GCG) has ${letters} there, and says so.`;
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
