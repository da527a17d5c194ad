// A director’s note of what nothing else foresees, with its effect on scores, clocks and the turn.
import { listed, picked, typed } from "./fields.js";
import { turnOptions } from "./rulings.js";
import { capital, SIDES, timeOf } from "./wording.js";

const MEASURES = [
  ["note", "a note"],
  ["caution", "a caution"],
  ["warning", "an official warning"],
];

const RATED = [
  ["", "as the rulebook has it"],
  ["no", "it does not count"],
  ["yes", "it counts"],
];

// Of both players, what is typed for one: {left: -5} of `score_left`; null where it cannot be read.
function bySide(values, name, read) {
  const found = {};
  for (const side of SIDES) {
    const text = values[`${name}_${side}`].trim().replace("−", "-");
    if (!text) continue;
    const value = read(text);
    if (value === null) return null;
    found[side] = value;
  }
  return found;
}

const points = (text) => (/^[+-]?[1-9]\d{0,3}$/.test(text) ? Number(text) : null);

export function noteDeed(view, rule, when) {
  const players = SIDES.map((side) => [side, view.players[side].name]);
  const one = (name, label, none, more = true) => listed(name, label, [["", none], ...players], { value: "", more });
  const each = (name, label, hint) =>
    players.map(([side, of]) =>
      typed(`${name}_${side}`, `${label} of ${of}`, { hint, most: 6, required: false, more: true }),
    );
  return {
    text: "Note…",
    title: "A note, and what follows from it",
    about:
      "For what nothing else here foresees. Under More are its effects on scores, spread, clocks and the turn; " +
      "all of them are taken back with it.",
    fields: [
      typed("what", "What happened, and what was decided", { wide: true, most: 400 }),
      picked("measure", "It is", MEASURES, { value: "note" }),
      one("about", "To", "nobody", false),
      ...each("score", "Score", "such as −5; empty: nothing"),
      ...each("spread", "Spread alone", "such as −50; empty: nothing"),
      ...(view.clocks === null ? [] : each("clock", "Clock", "such as 1:00 or −0:30; empty: nothing")),
      one("turn_lost", "Loses the turn", "nobody"),
      one("first", "Is charged with the first turn", "who played first"),
      listed("rated", "For ratings", RATED, { value: "", more: true }),
      listed("turn", "About", [["0", "no turn"], ...turnOptions(view.turns, view)], { more: true }),
      rule,
      ...when,
    ],
    lacking: "Points: whole numbers. Clock: as 1:00. A caution or a warning is somebody’s.",
    event: (values) => {
      const { what, measure, about, turn, turn_lost: lost, first, rated } = values;
      const [score, spread] = [bySide(values, "score", points), bySide(values, "spread", points)];
      const clocks = view.clocks === null ? {} : bySide(values, "clock", timeOf);
      const unread = [score, spread, clocks].includes(null);
      if (unread || !what.trim() || (measure !== "note" && !about)) return null;
      return {
        type: "DirectorNoted",
        what: capital(what.trim()),
        measure,
        side: about || null,
        turn: Number(turn),
        rule: values.rule.trim() || null,
        score,
        spread,
        added_ns: clocks,
        turn_lost: lost || null,
        first: first || null,
        rated: rated ? rated === "yes" : null,
      };
    },
  };
}
