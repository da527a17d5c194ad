// Examples of what an overlay shows now and then, with which a source is placed and coloured.

import { inLine } from "./in_line.js";

// Of a table at which nobody has played yet.
export const NOBODY = {
  game_id: null,
  players: { left: { name: "A player", score: 0 }, right: { name: "An opponent", score: 0 } },
  rows: [],
  turns: [],
  adjustments: [],
  tile_set: { values: { A: 1, E: 1, L: 1, M: 3, P: 3, X: 8 } },
};

const turn = {
  number: 0,
  side: "left",
  kind: "play",
  word: "EXAMPLE",
  position: null,
  tiles: {},
  flags: [],
  score: 82,
  bingo: 50,
  total: 82,
};

export function sampleMoment(part, view) {
  const name = inLine(view.players.left.name);
  if (part === "bingo")
    return {
      turn,
      headline: `Bingo by ${name}`,
      detail: "An example: +50 for all the tiles",
      gain: "+82",
      waits: true,
    };
  return {
    turn,
    headline: "Challenged off",
    detail: `An example: ${name} takes it back and scores nothing`,
    gain: "0",
    good: false,
    waits: true,
  };
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

const someone = (place, name, wins, spread, more = {}) => ({
  place,
  name,
  country: null,
  wins,
  losses: 3 - wins,
  spread,
  ...more,
});

const STANDINGS = [
  someone(1, "A player", 3, 214, { country: "NZL" }),
  someone(2, "An opponent", 2, 96, { country: "NGA" }),
  someone(3, "Another player", 1, -38),
  someone(4, "A fourth player", 0, -272),
];

// The event as it is, with an example in place of what its pairings would tell.
export function sampleEvent(event) {
  const [left, right] = STANDINGS.map((one, at) => ({ ...one, rating: 1900 - 100 * at }));
  return {
    players: null,
    ...event,
    title: event?.title || "An example of a title",
    logo: event?.logo ?? null,
    round: 3,
    next: { round: 4, table: 1, players: { left, right } },
    standings: { "1, an example": STANDINGS },
  };
}
