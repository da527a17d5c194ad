// What a director can say that puts the record right beyond rulings on single turns: which turns
// there were, and what no camera sees.
import { rowsAfter } from "../rows.js";
import { RACK, spelled, symbolOf } from "../spelling.js";
import { checks } from "./checks.js";
import { declaredDeeds } from "./declared_deeds.js";
import { listed, sideField, typed } from "./fields.js";
import { stands, turnOptions, turnText } from "./rulings.js";
import { seconds, whenFields } from "./when.js";
import { plain, SIDES } from "./wording.js";

const MS = 1e6;

const TURN_ENDS = {
  clock_stopped: "the clock was stopped",
  clock_stopped_playing_out: "the player played out and stopped the clock",
  drawing: "by drawing tiles",
  hand_in_bag: "with a hand in the bag",
  score_written: "by writing the score",
};

function whole(text) {
  return /^\d{1,4}$/.test(text.trim()) ? Number(text) : null;
}

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
          kind: "board",
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

const ACCEPTANCES = [
  ["score_written", "the opponent wrote its score"],
  ["tiles_drawn", "new tiles were drawn"],
  ["play_accepted", "by word"],
  ["hold_released", "the hold was released"],
];

function facts(view, rules) {
  const last = view.turns.at(-1);
  const when = whenFields(view, turnText);
  const accepted = ACCEPTANCES.filter(([how]) => rules[how]);
  const where = [
    ["bag", "in the bag", "tiles_found_in_bag"],
    ["table", "outside the bag", "tiles_found_on_table"],
  ].filter(([, , rule]) => rules[rule]);
  const restored = { hint: "letters, ? for a blank; empty: not known", most: RACK, required: false };
  const begun = { hint: "only where it begins again", most: 3, required: false };
  const rack = (side) =>
    typed(side, `${view.players[side].name} now has`, { hint: "tiles; empty: as counted", most: 1, required: false });
  return [
    {
      text: "Play accepted…",
      title: "The last play was accepted",
      fields: [listed("how", "How", accepted), ...when],
      event: ({ how }) => ({ type: "PlayAccepted", turn: last.number, how }),
      hidden: !last || !stands(last) || !accepted.length,
    },
    {
      text: "Tiles found…",
      title: "Tiles were found that nobody had",
      fields: [
        { name: "where", label: "Where", kind: "select", options: where },
        { name: "count", label: "How many", value: "1", most: 2 },
        {
          name: "side",
          label: "Who should have drawn them",
          kind: "select",
          options: [
            ["unset", "choose…"],
            ["left", view.players.left.name],
            ["right", view.players.right.name],
            ["", "nobody gets them"],
          ],
        },
        { name: "tiles", label: "Which", hint: "letters, ? for a blank; empty: not seen", most: RACK, required: false },
        rack("left"),
        rack("right"),
        ...when,
      ],
      lacking:
        "How many: a whole number. Who should have drawn them: choose. Of the racks: a whole number each, or neither.",
      event: ({ where: place, count, side, tiles, left, right }) => {
        const number = whole(count);
        const racks = left.trim() || right.trim() ? { left: whole(left), right: whole(right) } : {};
        if (side === "unset" || !number || Object.values(racks).includes(null)) return null;
        return { type: "TilesFound", where: place, count: number, side: side || null, tiles: tiles.trim(), racks };
      },
      hidden: !where.length,
    },
    {
      text: "Clock started in error…",
      title: "A player started the opponent’s clock in error",
      about: last ? `Turn ${last.number} had not ended, and is ${view.players[last.side].name}’s again.` : "",
      event: () => ({ type: "ClockStartedInError", turn: last.number, side: last.side }),
      hidden: !last || !rules.clock_started_in_error,
    },
    {
      text: "Earlier position…",
      title: "The game goes back to an earlier position",
      about: "Every turn after the one that is chosen counts as if it had never been.",
      fields: [
        turnField(view, "The last turn that stands", [...turnsOf(view), ["0", "none: the game begins again"]]),
        ...SIDES.map((side) => typed(side, `Rack of ${view.players[side].name}`, restored)),
        ...SIDES.map((side) => typed(`score_${side}`, `Starting score of ${view.players[side].name}`, begun)),
      ],
      lacking: "Starting score: a whole number, or empty.",
      event: (values) => {
        const racks = {};
        const scores = {};
        for (const side of SIDES) {
          if (values[side].trim()) racks[side] = values[side].trim();
          const score = values[`score_${side}`].trim();
          if (score && whole(score) === null) return null;
          if (score) scores[side] = whole(score);
        }
        return { type: "PositionRestored", turn: Number(values.turn), racks, scores };
      },
      hidden: !last || !rules.position_restored,
    },
  ];
}

export function recordDeeds({ view, options, signed }) {
  if (signed !== null) return [];
  const more = declaredDeeds({ view, options });
  return [...changeTurns(view, options), ...facts(view, options.event_rules), ...more].filter((deed) => !deed.hidden);
}
