// What a director can say that puts the record right beyond rulings on single turns: which turns
// there were, and what no camera sees.
import { rowsAfter } from "../rows.js";
import { spelled, symbolOf } from "../spelling.js";
import { boardField } from "./board_field.js";
import { checks } from "./checks.js";
import { declaredDeeds } from "./declared_deeds.js";
import { listed, sideField, typed } from "./fields.js";
import { turnOptions } from "./rulings.js";
import { seconds } from "./when.js";
import { plain } from "./wording.js";

const MS = 1e6;

const TURN_ENDS = {
  clock_stopped: "the clock was stopped",
  clock_stopped_playing_out: "the player played out and stopped the clock",
  drawing: "by drawing tiles",
  hand_in_bag: "with a hand in the bag",
  score_written: "by writing the score",
};

function names(text) {
  return text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean);
}

const AGO = "How long before the next press: as 0:30";

// "8H=A 8I=b 8J=[CH]" as tiles by square; null for what is none.
export function tilesOf(text) {
  const tiles = {};
  for (const one of text.split(/[\s,;]+/).filter(Boolean)) {
    const match = /^(\d{1,2}[A-Oa-o]|[A-Oa-o]\d{1,2})=(?:\[(\S+)\]|(\S))$/u.exec(one);
    if (!match) return null;
    tiles[match[1].toUpperCase()] = symbolOf(match[2] ?? match[3]);
  }
  return tiles;
}

const turnsOf = (view) => turnOptions(view.turns, view);

const turnField = (view, label, options = turnsOf(view)) => listed("turn", label, options, { wide: true });

const ending = ({ turn_ends: ends }) =>
  listed("ended", "How it ended", [
    ["not_known", "nobody pressed; no more is known"],
    ...ends.map((one) => [one, TURN_ENDS[one] ?? plain(one)]),
  ]);

function changeTurns(view, options) {
  const before = typed("ago", "How long before the next press", {
    value: "0:30",
    hint: "as 0:30",
    most: 6,
  });
  const tileOptions = ({ turn }) =>
    Object.entries(view.turns[Number(turn) - 1]?.tiles ?? {}).map(([square, tile]) => [
      square,
      `${square} ${spelled(tile.toUpperCase())}`,
    ]);
  // When a turn ended that long before the press of turn `number`, but not before the turn before it.
  const ended = (number, text) => {
    const ago = seconds(text);
    if (ago === null) return null;
    const [last, next] = [view.turns[number - 2], view.turns[number - 1]];
    return Math.min(Math.max(last ? last.press_ms + 1 : 0, next.press_ms - ago * 1000), next.press_ms) * MS;
  };
  return [
    {
      text: "Press forgotten…",
      title: "Two turns were taken for one: a press was forgotten",
      about: "Say which tiles were laid first, and by whom. Everything after it is scored again; no clock is changed.",
      fields: [
        turnField(view, "What was seen as"),
        typed("squares", "Squares of the first play", { made: checks, of: tileOptions }),
        sideField(view, "Player"),
        before,
        ending(options),
      ],
      lacking: `${AGO}. Squares of the first play: at least one.`,
      event: ({ turn, squares, side, ago, ended: how }) => {
        const t = ended(Number(turn), ago);
        return t === null || !names(squares).length
          ? null
          : { type: "TurnParted", turn: Number(turn), squares: names(squares), side, ended_ns: t, ended: how };
      },
      hidden: !view.turns.some((turn) => Object.keys(turn.tiles).length),
    },
    {
      text: "Turn missing…",
      title: "A turn that nobody pressed for, and that was not seen",
      about: "It goes before the turn that is chosen. Lay no tile for a pass or an exchange.",
      fields: [
        turnField(view, "It came before"),
        sideField(view, "Player"),
        typed("tiles", "Tiles laid", {
          made: boardField,
          letters: options.letters,
          values: view.tile_set.values,
          rows: (values) => rowsAfter(view.turns.slice(0, Number(values.turn) - 1)),
        }),
        before,
        ending(options),
      ],
      lacking: `${AGO}.`,
      event: ({ turn, side, tiles, ago, ended: how }) => {
        const t = ended(Number(turn), ago);
        const placed = tilesOf(tiles);
        return t === null || placed === null
          ? null
          : { type: "TurnInserted", turn: Number(turn), side, tiles: placed, ended_ns: t, ended: how };
      },
      hidden: !view.turns.length,
    },
    {
      text: "One press too many…",
      title: "Two turns were one: a press too many",
      fields: [turnField(view, "The first of the two", turnsOf(view).slice(1)), sideField(view, "Player")],
      event: ({ turn, side }) => ({ type: "TurnsJoined", turn: Number(turn), side }),
      hidden: view.turns.length < 2,
    },
  ];
}

function clockInError(view, rules) {
  const last = view.turns.at(-1);
  return {
    text: "Clock started in error…",
    title: "A player started the opponent’s clock in error",
    about: last ? `Turn ${last.number} had not ended, and is ${view.players[last.side].name}’s again.` : "",
    event: () => ({ type: "ClockStartedInError", turn: last.number, side: last.side }),
    hidden: !last || !rules.clock_started_in_error,
  };
}

export function recordDeeds({ view, options, signed }) {
  if (signed !== null) return [];
  const deeds = [
    ...changeTurns(view, options),
    clockInError(view, options.event_rules),
    ...declaredDeeds({ view, options }),
  ];
  return deeds.filter((deed) => !deed.hidden);
}
