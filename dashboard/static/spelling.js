// What people see of a symbol: a tile may say several letters, as CH, and a Turkish i has its dot.
// A page shows one game at a time, and its set of tiles says how its symbols are spelled.
let spellings = {};

// Characters that a rack takes at most, as people write it: each tile may stand in brackets.
export const RACK = 40;

export function learnSpellings(set) {
  ({ spellings } = set);
}

export function spelled(symbol) {
  return spellings[symbol] ?? symbol;
}

export function spelledWord(symbols) {
  return [...symbols].map(spelled).join("");
}

// The symbol that is spelled so: the inverse of `spelled`.
export function symbolOf(text) {
  return Object.keys(spellings).find((symbol) => spellings[symbol] === text) ?? text;
}

// How many tiles somebody wrote: one of several letters stands in square brackets.
export function countOf(rack) {
  return [...rack.replace(/\[[^[\]]*\]/gu, "?")].length;
}
