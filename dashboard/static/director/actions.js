// What a director says of a game beside the rulings of play: who plays, what was asked, that it is signed.
import { RACK, spelled } from "../spelling.js";
import { endText, openQuestions, resultText, scoresText } from "./result.js";
import { capital, plain, SIDES, timeOf } from "./wording.js";

function namesDeed({ players }, now = players) {
  return {
    title: "Correct the players’ names",
    quiet: true,
    fields: [
      { name: "left", label: "Left", value: players.left.name },
      { name: "right", label: "Right", value: players.right.name },
    ],
    event: (typed) => {
      const names = SIDES.map((side) => [side, typed[side].trim()]);
      const fresh = names.filter(([side, name]) => name !== now[side].name); // the other may be another by now
      return names.every(([, name]) => name)
        ? { type: "PlayersNamed", players: Object.fromEntries(fresh.length ? fresh : names) }
        : null;
    },
  };
}

// Opened from the name of `side`; `open(deed)` opens another dialog.
export function shownNamesDeed({ players }, side, open) {
  const swapped = { left: players.right, right: players.left };
  const about = "The scores and clocks stay with their sides.";
  const go = () => open({ ...namesDeed({ players: swapped }, players), about });
  const ready = (form) => form.elements[side].focus();
  return { ...namesDeed({ players }), ready, other: { text: "Swap the sides", go } };
}

// Who plays a game that has just come on the table; null where that is known already.
export function newNamesDeed({ players }) {
  if (players.left.name !== "Left" || players.right.name !== "Right") return null;
  const nobody = { left: { name: "" }, right: { name: "" } };
  return {
    ...namesDeed({ players: nobody }),
    title: "Who plays the next game?",
    lacking: "Two names, or Cancel: they can be entered later.",
  };
}

export function signDeed(record) {
  const { view, unsettled } = record;
  return {
    title: "Both players sign the result",
    result: `${resultText(view, openQuestions(record))}.`,
    ended: `${endText(view)}. ${scoresText(view)}`,
    warning: unsettled,
    about:
      "After this, only a reason that the rulebook gives allows a change. " +
      "The check code for the result slip is shown then.",
    deed: unsettled ? "Sign all the same" : "Sign",
    event: () => ({ type: "ResultSigned" }),
  };
}

// An entry that is taken back.
export function backDeed(one) {
  return {
    title: `Take back: ${one.text}`,
    about: `By ${one.by}${one.why ? `: ${one.why}` : ""}`,
    deed: "Take it back",
    event: () => ({ type: "Retracted", event: one.number }),
  };
}

const TILES = { tiles: "Tiles", missing: "Tiles that the set lacks", extra: "Tiles that it has too many" };

// An input for something that an offer asks.
export function asking(name, flag) {
  if (name === "square")
    return {
      name,
      label: "Square",
      ...(flag.squares.length ? { kind: "pick", options: flag.squares.map((one) => [one, one]) } : { kind: "board" }),
    };
  if (name === "points") return { name, label: "Points", hint: "a whole number", most: 3 };
  if (name.endsWith("_ns")) return { name, label: "How much", hint: "minutes and seconds, as 1:30", most: 6 };
  if (name in TILES) return { name, label: TILES[name], hint: "letters, ? for a blank", most: RACK, required: false };
  return { name, label: name === "letter" ? "Letter" : capital(plain(name)), most: 1 };
}

const pointsOf = (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : null);

function entered(name, text) {
  if (name.endsWith("_ns")) return timeOf(text);
  return name === "points" ? pointsOf(text) : text;
}

// An offered remedy, with whatever it still asks. `letters`: those of the set, for a pad.
export function offerDeed(offer, flag, turn, letters = null) {
  const field = (name) =>
    name === "symbol" || (name === "letter" && letters)
      ? {
          name,
          label: name === "letter" ? "Letter" : "What lay there",
          kind: "pad",
          letters: letters ?? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
          bare: name === "symbol",
          say: spelled,
        }
      : asking(name, flag);
  return {
    title: capital(offer.text),
    about: [turn ? `Turn ${flag.turn ?? turn}: ${flag.message}` : flag.message, offer.says].filter(Boolean).join(" "),
    rule: offer.rule,
    why: offer.event.why,
    fields: offer.asks.map(field),
    event: (values) => {
      const event = { ...offer.event };
      for (const name of offer.asks) {
        const value = values[name].trim();
        // Who is asked for a rack has tiles left; of a set that was altered one of the two may be empty.
        if (!value && (name === "tiles" || !(name in TILES))) return null;
        event[name] = entered(name, value);
        if (event[name] === null) return null;
      }
      return event;
    },
  };
}
