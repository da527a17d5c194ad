// What a director can say of a game or of one of its turns: fields, and the event that follows.
import { plain } from "./wording.js";

const SECOND = 1e9;

function side(view, label = "Player") {
  return { name: "side", label, kind: "select", options: ["left", "right"].map((one) => [one, view.players[one].name]) };
}

const RULE = { name: "rule", label: "By rule (if one says so)", required: false, most: 40 };

// "1:30" or "-0:45" as nanoseconds; null for what is no time.
export function timeOf(text) {
  const match = /^([+−-]?)(\d{1,3}):([0-5]\d)$/.exec(text.trim());
  if (!match) return null;
  const ns = (Number(match[2]) * 60 + Number(match[3])) * SECOND;
  return match[1] && match[1] !== "+" ? -ns : ns;
}

function number(text) {
  return /^\d{1,4}$/.test(text.trim()) ? Number(text) : null;
}

export function gameDeeds(record) {
  const { view, options } = record;
  const ended = view.status === "ended";
  const signed = record.signed !== null;
  const last = view.turns.at(-1);
  const plays = view.turns.filter((turn) => turn.rulings.includes("challenge_upheld")).reverse();
  const deeds = [
    {
      text: "Challenge…",
      title: "The verdict on a challenge",
      about: "The players are told whether the play as a whole stands, and nothing about any word.",
      fields: [
        { name: "turn", label: "Of the play", kind: "select", options: plays.map((turn) => [String(turn.number), `turn ${turn.number}: ${view.players[turn.side].name}, ${turn.words[0]?.text ?? ""} ${turn.position ?? ""}`]) },
        { name: "ruling", label: "Verdict", kind: "select", options: [["challenge_upheld", "not good: it comes off"], ["challenge_failed", "good: it stands"], ["challenge_withdrawn", "withdrawn"]] },
        { name: "words", label: "Words challenged", value: "1", most: 2, hint: "where a challenge in vain costs by the word" },
      ],
      ready: (form) => {
        const show = () => {
          form.elements.words.closest("label").hidden = form.elements.ruling.value !== "challenge_failed";
        };
        form.addEventListener("change", show);
        show();
      },
      event: ({ turn, ruling, words }) => {
        const count = number(words);
        return count === null ? null : { type: "TurnRuled", turn: Number(turn), ruling, words: ruling === "challenge_failed" ? count : 0 };
      },
      hidden: !plays.length || signed,
    },
    {
      text: "Clock…",
      title: "Give time, or take it off",
      fields: [side(view), { name: "time", label: "Minutes and seconds", value: "1:00", hint: "1:00 gives a minute, -1:00 takes it off", most: 8 }, RULE],
      event: ({ side: who, time, rule }) => {
        const added = timeOf(time);
        return added === null ? null : { type: "ClockAdjusted", side: who, added_ns: added, rule: rule.trim() || null };
      },
    },
    {
      text: "Penalty…",
      title: "Take points off, or add them",
      about: "A penalty comes off the score. A correction puts the score right, or gives what a player starts with. The spread alone bears on the standings and not on who wins.",
      fields: [
        side(view),
        { name: "on", label: "As", kind: "select", options: [["penalty", "a penalty: taken off the score"], ["score", "a correction of the score"], ["spread", "points on the spread alone"]] },
        { name: "points", label: "Points", value: "10", hint: "of a correction or on the spread: -10 takes ten off", most: 5 },
        RULE,
      ],
      event: ({ side: who, on, points, rule }) => {
        if (!(on === "penalty" ? /^\d{1,3}$/ : /^-?\d{1,3}$/).test(points.trim())) return null;
        const event = { side: who, points: Number(points), rule: rule.trim() || null };
        return on === "penalty" ? { type: "PenaltyAdded", ...event } : { type: "PointsAdjusted", on, ...event };
      },
    },
    {
      text: "Minor infraction…",
      title: "Note a minor infraction",
      fields: [side(view), RULE],
      event: ({ side: who, rule }) => ({ type: "InfractionNoted", side: who, rule: rule.trim() || null }),
    },
    {
      text: "Late start…",
      title: "A player came late",
      fields: [side(view), { name: "time", label: "Time lost", value: "5:00", most: 8 }],
      event: ({ side: who, time }) => {
        const lost = timeOf(time);
        return lost === null || lost < 0 ? null : { type: "LateStart", side: who, lost_ns: lost };
      },
    },
    {
      text: "Rack…",
      title: "Say what a player has left",
      fields: [
        side(view),
        { name: "tiles", label: "Tiles", hint: "letters, ? for a blank; nothing where the rack is empty", required: false, most: options.rack_tiles },
        { name: "counted", label: "Their number", kind: "select", value: "", options: [["", "is what turns and draws leave"], ["counted", "was counted, and is right all the same"]] },
      ],
      event: ({ side: who, tiles, counted }) => {
        const rack = tiles.trim().toUpperCase();
        return { type: "RackReported", side: who, tiles: rack, ...(counted ? { counted: [...rack].length } : {}) };
      },
    },
    {
      text: "Set of tiles…",
      title: "The game is played with another set",
      about: "For a set that lacks a tile or has one too many, and plays on. The whole game is counted with it; leave both empty for the set as it should be.",
      fields: [asking("missing"), asking("extra")],
      event: ({ missing, extra }) => ({ type: "SetAltered", missing: missing.trim().toUpperCase(), extra: extra.trim().toUpperCase() }),
    },
    {
      text: "Why the clock stands…",
      title: "Why was the clock stopped?",
      about: view.turns.length ? `It was stopped after turn ${view.turns.length}.` : "It was stopped before the first turn.",
      fields: [{ name: "reason", label: "For", kind: "select", options: options.stop_reasons.map((one) => [one, plain(one)]) }],
      event: ({ reason }) => ({ type: "StopExplained", turn: view.turns.length, reason }),
      hidden: ended,
    },
    {
      text: "Hold…",
      title: "The last play is held",
      about: last && `Turn ${last.number}: ${view.players[last.side].name}${last.word ? `, ${last.word} at ${last.position}` : ""}`,
      event: () => ({ type: "HoldCalled", turn: view.turns.length }),
      hidden: ended || !view.turns.length,
    },
    {
      text: "Names…",
      title: "Mend the players’ names",
      fields: [
        { name: "left", label: "Left", value: view.players.left.name },
        { name: "right", label: "Right", value: view.players.right.name },
      ],
      event: ({ left, right }) => (left.trim() && right.trim() ? { type: "PlayersNamed", players: { left: left.trim(), right: right.trim() } } : null),
    },
    {
      text: "Resigns or forfeits…",
      title: "A player loses the game",
      fields: [side(view, "Who loses"), { name: "cause", label: "Because", kind: "select", value: "resigned", options: Object.entries(options.causes) },
        { name: "margin", label: "Spread, where you set it", required: false, most: 3, hint: "empty where the rulebook says what it is" },
      ],
      event: ({ side: who, cause, margin }) => {
        if (!/^\d{0,3}$/.test(margin.trim())) return null;
        return { type: "GameForfeited", side: who, cause, ...(margin.trim() ? { margin: Number(margin) } : {}) };
      },
      hidden: signed,
    },
    {
      text: "End the game…",
      title: "The game is over",
      fields: [{ name: "reason", label: "How", value: "director", kind: "select", options: [["director", "by the director’s decision"], ["confirmed", "the players agree on the score"], ["shortened", "shortened: each loses the own tiles"], ["six_zeros", "scoreless turns"], ["broken off", "broken off"]] }],
      event: ({ reason }) => ({ type: "GameEnded", reason }),
      hidden: signed,
    },
    {
      text: "Sign the result…",
      title: "Both players sign the result",
      about: "Nothing can be changed after this but for a reason that the rulebook knows. The record of the game then shows the digest for the result slip.",
      deed: "Sign",
      event: () => ({ type: "ResultSigned" }),
      hidden: !ended || signed,
      main: true,
    },
    {
      text: "Reopen…",
      title: "Reopen the game",
      fields: [
        signed && options.grounds.length
          ? { name: "ground", label: "For", kind: "select", options: options.grounds.map((one) => [one, plain(one)]) }
          : { name: "ground", label: "For", value: "the game goes on" },
      ],
      event: ({ ground }) => (ground.trim() ? { type: "GameReopened", ground: ground.trim() } : null),
      hidden: !ended,
    },
  ];
  return deeds.filter((deed) => !deed.hidden);
}

// What can be corrected about one turn; `at` is a square of the board to begin with.
export function turnDeed(record, turn, at = null) {
  const { view, options } = record;
  const known = view.turns[turn - 1];
  const squares = Object.keys(known.tiles);
  const kinds = [["ruling", "what the turn was"], ["square", "what lay on a square"]];
  if (squares.some((name) => known.tiles[name] !== known.tiles[name].toUpperCase() || known.tiles[name] === "?")) kinds.push(["blank", "the letter of a blank"]);
  return {
    title: `Correct turn ${turn}: ${view.players[known.side].name}${known.word ? `, ${known.word} at ${known.position}` : ""}`,
    fields: [
      { name: "what", label: "What is wrong", kind: "select", value: at ? "square" : "ruling", options: kinds },
      { name: "ruling", label: "The turn was", kind: "select", options: known.rulings.map((one) => [one, options.rulings[one] ?? plain(one)]) },
      { name: "words", label: "Words challenged", value: "0", hint: "of a challenge in vain; 0 where the points are given otherwise", most: 2 },
      { name: "tiles", label: "Tiles exchanged", value: "", hint: "the letters or how many, where that is known", most: 15, required: false },
      { name: "found", label: "It was found", kind: "select", required: false, value: "", options: [["", "just now"], ...view.turns.slice(turn - 1, -1).map((one) => [String(one.press_ms), one.number === turn ? "before the next turn ended" : `after turn ${one.number}, before the next ended`])] },
      { name: "square", label: "Square", value: at ?? squares[0] ?? "", hint: "8D or D8", most: 3 },
      { name: "symbol", label: "What lay there", value: "", hint: "A: a tile; a: a blank as A; ?: a blank; .: nothing", most: 1, required: false },
    ],
    // Only the fields that matter to what is chosen are shown.
    ready: (form) => {
      const show = () => {
        const what = form.elements.what.value;
        const more = { challenge_failed: ["words"], exchange: ["tiles"] }[form.elements.ruling.value] ?? [];
        const wanted = { ruling: ["ruling", "found", ...more], square: ["square", "symbol"], blank: ["square", "symbol"] }[what];
        for (const name of ["ruling", "found", "words", "tiles", "square", "symbol"]) form.elements[name].closest("label").hidden = !wanted.includes(name);
      };
      form.addEventListener("change", show);
      show();
    },
    event: ({ what, ruling, found, words, tiles, square, symbol }) => {
      if (what === "ruling") {
        // A little after that press: its part of a millisecond was cut off.
        const before = found ? { found_ns: (Number(found) + 1) * 1e6 } : {};
        const count = number(words);
        const exchanged = ruling === "exchange" ? { tiles: tiles.trim().toUpperCase() } : {};
        return count === null ? null : { type: "TurnRuled", turn, ruling, words: ruling === "challenge_failed" ? count : 0, ...exchanged, ...before };
      }
      const name = square.trim().toUpperCase();
      if (!name || [...symbol].length !== 1) return null;
      return what === "blank" ? { type: "BlankDesignated", square: name, letter: symbol.toUpperCase() } : { type: "SquareCorrected", turn, square: name, symbol };
    },
  };
}

// An input for something that an offer asks.
function asking(name, flag) {
  if (name === "square") {
    const label = "Square";
    return flag.squares.length ? { name, label, kind: "select", options: flag.squares.map((one) => [one, one]) } : { name, label, hint: "8D or D8", most: 3 };
  }
  if (name === "symbol") return { name, label: "What lay there", hint: "A: a tile; a: a blank as A; ?: a blank; .: nothing", most: 1 };
  if (name === "tiles") return { name, label: "Tiles", most: 15, required: false };
  if (name === "missing") return { name, label: "Tiles that the set lacks", hint: "letters, ? for a blank", most: 15, required: false };
  if (name === "extra") return { name, label: "Tiles that it has too many", hint: "letters, ? for a blank", most: 15, required: false };
  return { name, label: name === "letter" ? "Letter" : plain(name), most: 1 };
}

// An offered remedy, with whatever it still asks.
export function offerDeed(offer, flag, turn) {
  return {
    title: offer.text.charAt(0).toUpperCase() + offer.text.slice(1),
    about: [turn ? `Turn ${turn}: ${flag.message}` : flag.message, offer.says].filter(Boolean).join(" "),
    rule: offer.rule,
    why: offer.event.why ?? flag.message,
    fields: offer.asks.map((name) => asking(name, flag)),
    event: (values) => {
      const event = { ...offer.event };
      for (const name of offer.asks) {
        const value = values[name].trim();
        if (!value && !["tiles", "missing", "extra"].includes(name)) return null;
        event[name] = name === "symbol" ? value : value.toUpperCase();
      }
      return event;
    },
  };
}
