// The board as it was after some turns of a game.
const SIZE = 15;

// 15 strings of 15 symbols; "." is an empty square.
export function rowsAfter(turns) {
  const cells = Array.from({ length: SIZE }, () => new Array(SIZE).fill("."));
  for (const turn of turns) {
    if (turn.kind === "challenge_upheld") continue; // its tiles came off again
    for (const [name, symbol] of Object.entries({ ...turn.tiles, ...turn.open_tiles })) {
      const [, row, col] = /^(\d+)([A-O])$/.exec(name);
      cells[Number(row) - 1][col.charCodeAt(0) - 65] = symbol;
    }
  }
  return cells.map((row) => row.join(""));
}
