// A remedy that is offered for a flag, as the deed of a dialog.
import { RACK, spelled } from "../spelling.js";
import { boardField } from "./board_field.js";
import { capital, plain, timeOf } from "./wording.js";

const TILES = { tiles: "Tiles", missing: "Tiles that the set lacks", extra: "Tiles that it has too many" };

// An input for something that an offer asks.
function asking(name, flag) {
  if (name === "square")
    return {
      name,
      label: "Square",
      ...(flag.squares.length
        ? { kind: "pick", options: flag.squares.map((one) => [one, one]) }
        : { made: boardField }),
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
