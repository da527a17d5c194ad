// What a director rules most. Each opens on what is most likely meant.
import { RACK, spelled } from "../spelling.js";
import { isBlank } from "../tiles.js";
import { deedOf, mainWord, printed } from "../words.js";
import { cropped } from "./asker.js";
import { checks } from "./checks.js";
import { button, fill, html } from "./dom.js";
import { listed, optionsOf, picked, typed } from "./fields.js";
import { capital, names, other, plain, SIDES, symbolText } from "./wording.js";

export function turnText(view, turn) {
  const what = turn.word ? `${turn.position} ${mainWord(turn, view.rows)}` : deedOf(turn.kind);
  return `Turn ${turn.number}: ${what}, ${view.players[turn.side].name}`; // a list cuts off its end
}

// Turns as the options of a list, the newest first.
export const turnOptions = (turns, view) => turns.map((turn) => [String(turn.number), turnText(view, turn)]).reverse();

// How a challenge of a play may end: the points may go by the words that were challenged.
// `more`: what is known of the challenge besides its outcome.
function verdicts(turn, options, view, more = {}) {
  const { number, words, side, rulings } = turn;
  const lost = options.challenge_costs_turn ? `, and ${view.players[other(side)].name} loses a turn` : "";
  const many = options.challenge_by_word ? Math.max(1, words.length) : 1;
  const named = more.challenged_words?.length;
  const verdict = (key, text, count = 0, beside = {}, how = {}) => {
    const [ruling] = key.split("-");
    const challenged = more.ground === "placement" ? 0 : count;
    return {
      key,
      text,
      ...beside,
      event: { type: "TurnRuled", turn: number, ruling, words: challenged, ...more, ...how },
    };
  };
  const good = (count) => {
    const of = many > 1 ? `, ${count} ${count > 1 ? "words" : "word"} challenged` : "";
    const key = count > 1 ? `challenge_failed-${count}` : "challenge_failed";
    const next = lost && number === view.turns.length;
    const expects = next ? "that turn is the next press of the clock, with nothing played" : "";
    return verdict(key, `Good: it stands${of}${lost}`, count, { expects, told: `${of}${lost}` });
  };
  return [
    verdict("challenge_upheld", "Not good: it comes off"),
    ...(named ? [good(named)] : Array.from({ length: many }, (_, at) => good(at + 1))),
    ...(rulings.includes("challenge_withdrawn") ? [verdict("challenge_withdrawn", "The challenge is withdrawn")] : []),
    verdict("challenge_failed-refused", "Too late: not looked up", 0, {}, { verdict: "refused" }),
  ];
}

const DECIDED = [
  ["", "by one lookup"],
  ["conceded", "conceded before the verdict"],
  ["second_opinion", "by a second opinion"],
  ["third_opinion", "by a third opinion"],
  ["resubmitted", "resubmitted: another word had been looked up"],
];

const GROUNDS = [
  ["", "its words"],
  ["placement", "where it lies"],
];

// Of a challenge, besides its outcome: what nobody enters is not in the event.
function besides({ ground, verdict, which, slip }) {
  const [ticked, typed] = [which, slip.toUpperCase()].map((text) => text.split(/[\s,;]+/).filter(Boolean));
  const words = [...ticked, ...typed.filter((word) => !ticked.some((one) => one.toUpperCase() === word))];
  return {
    ...(ground ? { ground } : {}),
    ...(verdict ? { verdict } : {}),
    ...(words.length && !ground ? { challenged_words: words } : {}),
  };
}

const OFF = new Set(["challenge_upheld", "taken_back", "illegal_play", "undone"]);

export const stands = ({ kind, tiles }) => Object.keys(tiles).length > 0 && !OFF.has(kind);

function challengeable(view) {
  return turnOptions(
    view.turns.filter(({ kind, rulings }) => rulings.includes("challenge_upheld") && !OFF.has(kind)),
    view,
  );
}

const has = (options, value) => options.some(([one]) => one === value);

export function challengeDeed(record) {
  const plays = challengeable(record.view);
  let [now, form, newer] = [record];
  const show = (number) => {
    const { turn } = form.elements;
    turn.value = number;
    turn.dispatchEvent(new Event("change", { bubbles: true }));
    turn.focus();
    fill(newer);
  };
  const announce = ([number, text]) =>
    fill(
      newer,
      html`<p class="flow">
        <span>Played meanwhile: ${text}.</span>
        ${button("Rule on that one", () => show(number), { class: "button small" })}
        ${button("Stay with this one", () => fill(newer), { class: "button small" })}
      </p>`,
    );
  return {
    title: "A challenge",
    renews: true,
    fields: [
      listed("turn", "Which play", plays),
      {
        name: "which",
        label: "Words challenged",
        more: true,
        made: checks,
        of: ({ turn }) => (now.view.turns[Number(turn) - 1]?.words ?? []).map(({ text }) => [text, text]),
      },
      typed("slip", "Another word on the slip", { required: false, more: true }),
      listed("ground", "Challenged for", GROUNDS, { more: true, value: "" }),
      listed("verdict", "Decided", DECIDED, { more: true, value: "" }),
    ],
    play: ({ turn }) => turn,
    ready: (...made) => ([form, newer] = made),
    // What was chosen stays: nobody rules on another play unawares.
    follows: (latest) => {
      const [before, fresh] = [now, latest].map(({ view }) => challengeable(view));
      if (!form.isConnected) return false;
      now = latest;
      if (JSON.stringify(before) === JSON.stringify(fresh)) return false;
      const { turn } = form.elements;
      const chosen = turn.value;
      const gone = !has(fresh, chosen);
      if (fresh.length && !has(before, fresh[0][0])) announce(fresh[0]);
      if (gone) fresh.unshift([chosen, `${turnText(now.view, now.view.turns[chosen - 1])}: ruled on by now`]);
      turn.replaceChildren(...optionsOf(fresh, chosen));
      return gone;
    },
    choices: ({ turn: number, ...values }) =>
      has(challengeable(now.view), number)
        ? verdicts(now.view.turns[Number(number) - 1], now.options, now.view, besides(values))
        : null,
    lacking: "This play has just been ruled on, and is no longer on the board. To challenge another, choose it above.",
    hidden: !plays.length,
  };
}

// The blanks on the board, those without a letter first: [{square, symbol}].
function blanksOf(view) {
  const found = Object.entries(view.squares)
    .filter(([, { symbol }]) => isBlank(symbol))
    .map(([square, { symbol, turn }]) => ({ square, symbol, turn }));
  return found.sort((a, b) => (b.symbol === "?") - (a.symbol === "?") || (b.turn ?? 0) - (a.turn ?? 0));
}

// `crop`: the address of a square's picture in a turn, or null.
export function blankDeed({ view, options, crop = () => null }, square = null) {
  const blanks = blanksOf(view);
  const seen = blanks.flatMap(({ square: name, turn }) => (crop(turn, name) ? [pictured(crop(turn, name), name)] : []));
  const say = ({ square: name, symbol }) =>
    `${name}, ${symbol === "?" ? "no letter yet" : spelled(symbol.toUpperCase())}`;
  const one = blanks.length === 1 ? blanks[0] : null;
  return {
    title: one ? `The blank on ${one.square}: which letter?` : "A blank: which letter?",
    about: "What counts is the letter that the player wrote down. Press it, or type it.",
    picture: seen.length ? html`<div class="flow">${seen}</div>` : null,
    layout: "pad",
    groups: { first: "By the word list", rest: "Every letter" },
    fields: [
      !one &&
        picked(
          "square",
          "Which blank",
          blanks.map((it) => [it.square, say(it)]),
          {
            value: square ?? blanks[0]?.square,
          },
        ),
    ],
    choices: ({ square: name }) => {
      const on = name ?? one.square;
      const first = view.suggestions?.[on] ?? [];
      const option = (letter, group) => ({
        key: letter,
        text: spelled(letter),
        group,
        first: group === "first",
        event: { type: "BlankDesignated", square: on, letter },
      });
      const rest = options.letters.filter((letter) => !first.includes(letter));
      return [
        ...first.map((letter) => option(letter, "first")),
        ...rest.map((letter) => option(letter, first.length ? "rest" : "")),
      ];
    },
    hidden: !blanks.length,
  };
}

const LETTER_OR_BLANK = { letter: "A letter", blank: "A blank as a letter" };

// What lies on a square. `crop` is the address of its picture, `guesses` what the camera took it for,
// `event` what is asked instead.
export function tileDeed(
  { view, options },
  square,
  { crop = null, guesses = [], turn = null, event = null, why = "" } = {},
) {
  const there = view.squares[square];
  const now = there?.symbol ?? ".";
  const since = turn ?? there?.turn ?? view.turns.length;
  const asked = event ?? { type: "SquareCorrected", turn: since, square };
  const which = turn === null && view.turns.length > 1;
  const from = since ? `, since turn ${since} (${view.players[view.turns[since - 1].side].name})` : "";
  const made = (symbol, from) => {
    const renamed =
      event === null && isBlank(now) && isBlank(symbol) && symbol !== "?" && (!from || Number(from) === since);
    if (renamed) return { type: "BlankDesignated", square, letter: symbol.toUpperCase() };
    return { ...asked, ...(from ? { turn: Number(from) } : {}), symbol };
  };
  return {
    title: `What lies on ${square}?`,
    about: `It counts as ${there ? `${symbolText(now)}${from}` : "empty"}. Press what lies there, or type it.`,
    picture: crop && cropped(crop, square, 96),
    layout: "pad",
    groups: { guess: "The camera’s guesses", letter: "A letter", else: "Or" },
    fields: [
      picked("as", "It is", Object.entries(LETTER_OR_BLANK), { value: isBlank(now) ? "blank" : "letter" }),
      which && listed("turn", "Since", turnOptions(view.turns, view), { more: true, value: String(since) }),
    ],
    choices: ({ as, turn: from }) => {
      const option = (key, symbol, text, group) => {
        return { key, text, group, why, event: made(symbol, from) };
      };
      return [
        ...guesses
          .filter((symbol) => symbol !== ".")
          .map((symbol) => option(`guess-${symbol}`, symbol, capital(symbolText(symbol)), "guess")),
        ...options.letters.map((letter) =>
          option(letter, as === "blank" ? letter.toLowerCase() : letter, spelled(letter), "letter"),
        ),
        option("?", "?", "A blank, no letter yet", "else"),
        option(".", ".", "No tile", "else"),
      ];
    },
  };
}

function pictured(src, square) {
  return html`<figure>${cropped(src, square, 96)}<figcaption>${square}</figcaption></figure>`;
}

// The tiles that a turn put down, as they count: [{square, symbol}] in the order of the play.
export function tilesOf(view, turn) {
  const order = (name) => 100 * parseInt(name, 10) + name.slice(-1).charCodeAt(0);
  const found = Object.entries(view.squares)
    .filter(([, one]) => one.turn === turn)
    .map(([square, { symbol }]) => ({ square, symbol }));
  return found.sort((a, b) => order(a.square) - order(b.square));
}

const ENDS = [
  ["confirmed", "Both players agree", "it is over as it stands; racks are not deducted"],
  ["six_zeros", "Scoreless turns", "as many in a row as end a game"],
  ["shortened", "Cut short", "each player loses the tiles left on the rack"],
  ["director", "The director ends it", "as it stands"],
  ["broken off", "Broken off", "it is not played to its end"],
  ["postponed", "Postponed", "to be played at another time"],
];
const BEFORE_A_TURN = new Set(["broken off", "postponed", "director"]);
const OF_ABSENTEES = new Set(["late", "absent"]);

export function endDeed({ view, options }) {
  return {
    title: "The end of the game",
    layout: "keys",
    groups: { over: "It is over", ...names(view) },
    shares: true,
    renews: true,
    fields: [
      typed("margin", "Spread of a forfeit", {
        required: false,
        most: 3,
        more: true,
        inputmode: "numeric",
        hint: "only where the rulebook leaves it to the director",
      }),
    ],
    lacking: "Spread of a forfeit: a number, or empty.",
    choices: ({ margin }) => {
      if (!/^\d{0,3}$/.test(margin.trim())) return null;
      const spread = margin.trim() ? { margin: Number(margin) } : {};
      const forfeit = (side, cause, text, group) => ({
        key: `${side}-${cause}`,
        text,
        group,
        event: { type: "GameForfeited", side, cause, ...spread },
      });
      const begun = view.turns.length > 0;
      const over = ENDS.filter(([key]) => begun || BEFORE_A_TURN.has(key)).map(([key, text, says]) => {
        return { key, text, says, group: "over", event: { type: "GameEnded", reason: key } };
      });
      const sides = SIDES.flatMap((side) =>
        Object.entries(options.causes)
          .filter(([cause]) => cause !== "both_absent" && !(begun && OF_ABSENTEES.has(cause)))
          .map(([cause, text]) => forfeit(side, cause, capital(text), side)),
      );
      const nobody = begun ? [] : [forfeit("left", "both_absent", "Neither player came", "over")];
      const likely = (one) => ({ ...one, rest: !options.likely_ends.includes(one.key) });
      return [...over, ...nobody, ...sides].map(likely);
    },
    hidden: view.status === "ended",
  };
}

// The usual reasons, for small buttons, none of them called like one of the bar.
export const USUAL_STOPS = new Map([
  ["challenge", "A challenge"],
  ["director", "Director called"],
  ["blank", "A blank"],
  ["score", "A score"],
  ["absence", "Toilet break"],
]);

export function stopDeed({ view, options }) {
  const after = view.turns.length ? `after turn ${view.turns.length}` : "before the first turn";
  return {
    title: "Why was the clock stopped?",
    about: `It was stopped ${after}; this notes why.`,
    dismiss: "Not now",
    layout: "keys",
    choices: () =>
      options.stop_reasons.map((reason) => {
        const event = { type: "StopExplained", turn: view.turns.length, reason };
        return { key: reason, text: capital(options.words.stops[reason]), event, rest: !USUAL_STOPS.has(reason) };
      }),
    hidden: view.status === "ended" || view.clocks === null || view.clocks.running !== null,
  };
}

// What a turn was; its tiles lead to what lay on their squares: `tile(square)`.
export function turnDeed(record, turn, tile) {
  const { view, options } = record;
  const known = view.turns[turn - 1];
  const later = view.turns.slice(turn - 1, -1);
  const exchange = known.rulings.includes("exchange");
  const hint = "the letters or how many, where that is known";
  const unlike = "only where not as many were put down";
  const after = (one) => (one === turn ? "before the next turn ended" : `after turn ${one}, before the next ended`);
  const found = [["", "just now"], ...later.map((one) => [String(one.press_ms), after(one.number)])];
  return {
    title: `${turnText(view, known)}: what was it?`,
    tiles: tilesOf(view, turn).map((one) => ({ ...one, text: printed(one.symbol), go: () => tile(one.square) })),
    play: Object.keys(known.tiles).length ? () => turn : null,
    fields: [
      exchange && typed("tiles", "Tiles exchanged", { hint, most: RACK, required: false, more: true }),
      exchange && typed("announced", "Tiles announced", { hint: unlike, most: 1, required: false, more: true }),
      later.length > 0 && listed("found", "It was found", found, { more: true, value: "" }),
    ],
    choices: ({ found: press, tiles, announced }) => {
      // A little after that press: its part of a millisecond was cut off.
      const before = press ? { found_ns: (Number(press) + 1) * 1e6 } : {};
      const plainly = known.rulings.filter((ruling) => !ruling.startsWith("challenge"));
      const challenged = known.rulings.includes("challenge_upheld") ? verdicts(known, options, view) : [];
      return [
        ...plainly.map((ruling) => {
          const count = /^[1-9]$/.test((announced ?? "").trim()) ? { announced: Number(announced) } : {};
          const exchanged = ruling === "exchange" ? { tiles: (tiles ?? "").trim(), ...count } : {};
          const event = { type: "TurnRuled", turn, ruling, words: 0, ...exchanged, ...before };
          return { key: ruling, text: capital(options.rulings[ruling] ?? plain(ruling)), event };
        }),
        ...challenged.map(({ text, event, ...one }) => ({
          ...one,
          text: `Challenged. ${text}`,
          event: { ...event, ...before },
        })),
      ];
    },
  };
}
