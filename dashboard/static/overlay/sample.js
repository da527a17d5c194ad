// Examples of what an overlay shows now and then, with which a source is placed and coloured.

// Of a table at which nobody has played yet.
export const NOBODY = {
  game_id: null,
  players: { left: { name: "A player", score: 0 }, right: { name: "An opponent", score: 0 } },
  rows: [],
  turns: [],
  adjustments: [],
  tile_set: { values: { A: 1, E: 1, L: 1, M: 3, P: 3, X: 8 } },
};

const turn = { number: 0, side: "left", kind: "play", word: "EXAMPLE", position: null, tiles: {}, flags: [], score: 82, bingo: 50, total: 82 };

export function sampleMoment(part, view) {
  const { name } = view.players.left;
  if (part === "bingo") return { turn, headline: `Bingo by ${name}`, detail: "An example: +50 for all the tiles", gain: "+82", waits: true };
  return { turn, headline: "Challenged off", detail: `An example: ${name} takes it back and scores nothing`, gain: "0", good: false, waits: true };
}

export function sampleResult(view) {
  const { left, right } = view.players;
  return {
    ...view,
    status: "ended",
    final: true,
    provisional: false,
    end_reason: "an example",
    outcome: { kind: "played", winner: "left", margin: 24 },
    players: { left: { ...left, score: 412 }, right: { ...right, score: 388 } },
  };
}
