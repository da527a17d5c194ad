// What else a director can say of a game: what is not on the bar. What the rulebook has no rule on is
// not offered.
import { RACK, countOf, spelled } from "../spelling.js";
import { sideField } from "./fields.js";
import { openQuestions, questionsText, resultText, scoreText } from "./result.js";
import { timeOf } from "./rulings.js";
import { capital, plain } from "./wording.js";

const RULE = { name: "rule", label: "By rule", required: false, most: 40, more: true };

function namesDeed({ players }) {
  return {
    title: "Mend the players’ names",
    why: "a name was wrong",
    fields: [
      { name: "left", label: "Left", value: players.left.name },
      { name: "right", label: "Right", value: players.right.name },
    ],
    event: ({ left, right }) => (left.trim() && right.trim() ? { type: "PlayersNamed", players: { left: left.trim(), right: right.trim() } } : null),
  };
}

// Who plays a game that has just come on the table; null where that is known already.
export function newNamesDeed({ players }) {
  if (players.left.name !== "Left" || players.right.name !== "Right") return null;
  const nobody = { left: { name: "" }, right: { name: "" } };
  return { ...namesDeed({ players: nobody }), title: "Who plays the next game?", why: "the players of this game", lacking: "Two names, or Cancel: they can be entered later." };
}

export function gameDeeds(record) {
  const { view, options } = record;
  const ended = view.status === "ended";
  const signed = record.signed !== null;
  const last = view.turns.at(-1);
  const deeds = [
    {
      text: "Penalty…",
      title: "Take points off, or add them",
      why: "a penalty by the rules",
      fields: [
        sideField(view, "Player"),
        { name: "on", label: "As", kind: "pick", options: [["penalty", "a penalty, off the score"], ["score", "a correction of the score"], ["spread", "on the spread alone"]] },
        { name: "points", label: "Points", value: "10", inputmode: "numeric", hint: "of a correction or on the spread, −10 takes ten off", most: 5 },
        RULE,
      ],
      // The reason that is offered goes with what it is, until another one is typed.
      ready: (form) => {
        const reasons = { penalty: "a penalty by the rules", score: "the score was wrong", spread: "points on the spread by the rules" };
        form.addEventListener("change", () => {
          if (Object.values(reasons).includes(form.elements.why.value)) form.elements.why.value = reasons[form.elements.on.value];
        });
      },
      event: ({ side: who, on, points, rule }) => {
        const text = points.trim().replace("−", "-");
        if (!(on === "penalty" ? /^\d{1,3}$/ : /^-?\d{1,3}$/).test(text)) return null;
        const event = { side: who, points: Number(text), rule: rule.trim() || null };
        return on === "penalty" ? { type: "PenaltyAdded", ...event } : { type: "PointsAdjusted", on, ...event };
      },
    },
    {
      text: "Minor infraction…",
      title: "Note a minor infraction",
      why: "a minor infraction",
      fields: [sideField(view, "Player"), RULE],
      event: ({ side: who, rule }) => ({ type: "InfractionNoted", side: who, rule: rule.trim() || null }),
      hidden: !options.infractions,
    },
    {
      text: "Late start…",
      title: "A player came late",
      why: "came late",
      fields: [sideField(view, "Player"), { name: "time", label: "Time lost", value: "5:00", hint: "minutes and seconds", most: 8 }],
      lacking: "Minutes and seconds, as 5:00.",
      event: ({ side: who, time }) => {
        const lost = timeOf(time);
        return lost === null || lost < 0 ? null : { type: "LateStart", side: who, lost_ns: lost };
      },
      hidden: view.clocks === null,
    },
    {
      text: "Rack…",
      title: "Say what a player has left",
      why: "counted at the table",
      fields: [
        sideField(view, "Player"),
        { name: "tiles", label: "Tiles", hint: "letters, ? for a blank; nothing where the rack is empty", required: false, most: RACK },
        { name: "counted", label: "Their number", kind: "pick", value: "", options: [["", "is what turns and draws leave"], ["counted", "was counted, and is right all the same"]] },
      ],
      event: ({ side: who, tiles, counted }) => {
        const rack = tiles.trim();
        return { type: "RackReported", side: who, tiles: rack, ...(counted ? { counted: countOf(rack) } : {}) };
      },
    },
    {
      text: "Set of tiles…",
      title: "The game is played with another set",
      about: "For a set that lacks a tile or has one too many, and plays on. The whole game is counted with it; leave both empty for the set as it should be.",
      why: "the set was counted",
      fields: [asking("missing"), asking("extra")],
      event: ({ missing, extra }) => ({ type: "SetAltered", missing: missing.trim(), extra: extra.trim() }),
    },
    {
      text: "Hold…",
      title: "The last play is held",
      about: last && `Turn ${last.number}: ${view.players[last.side].name}${last.word ? `, ${spelled(last.words[0]?.symbols ?? last.word)} at ${last.position}` : ""}`,
      why: "the opponent holds the play",
      event: () => ({ type: "HoldCalled", turn: view.turns.length }),
      hidden: ended || !view.turns.length,
    },
    { text: "Names…", ...namesDeed(view) },
    {
      text: "Reopen…",
      title: "Reopen the game",
      why: "the game goes on",
      fields:
        signed && options.grounds.length
          ? [{ name: "ground", label: "On the ground of", kind: "pick", options: options.grounds.map((one) => [one, capital(options.words.grounds[one] ?? plain(one))]) }]
          : [],
      event: ({ ground }) => ({ type: "GameReopened", ground: ground ?? "the game goes on" }),
      hidden: !ended,
    },
  ];
  return deeds.filter((deed) => !deed.hidden);
}

export function signDeed(record) {
  const { view } = record;
  const open = openQuestions(record);
  return {
    title: "Both players sign the result",
    result: `${resultText(view)}. ${scoreText(view)}.`,
    warning: open ? questionsText(open) : null,
    about: "Nothing can be changed after this but for a reason that the rulebook knows. The table then shows the digest for the result slip.",
    deed: open ? "Sign all the same" : "Sign",
    why: "both players have signed",
    event: () => ({ type: "ResultSigned" }),
  };
}

// An input for something that an offer asks.
function asking(name, flag) {
  if (name === "square") {
    const label = "Square";
    return flag.squares.length ? { name, label, kind: "pick", options: flag.squares.map((one) => [one, one]) } : { name, label, kind: "board" };
  }
  if (name === "tiles") return { name, label: "Tiles", hint: "letters, ? for a blank", most: RACK, required: false };
  if (name === "missing") return { name, label: "Tiles that the set lacks", hint: "letters, ? for a blank", most: RACK, required: false };
  if (name === "extra") return { name, label: "Tiles that it has too many", hint: "letters, ? for a blank", most: RACK, required: false };
  return { name, label: name === "letter" ? "Letter" : capital(plain(name)), most: 1 };
}

// An offered remedy, with whatever it still asks. `letters`: those of the set, for a pad.
export function offerDeed(offer, flag, turn, letters = null) {
  const field = (name) =>
    name === "symbol" || (name === "letter" && letters)
      ? { name, label: name === "letter" ? "Letter" : "What lay there", kind: "pad", letters: letters ?? [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"], bare: name === "symbol", say: spelled }
      : asking(name, flag);
  return {
    title: capital(offer.text),
    about: [turn ? `Turn ${turn}: ${flag.message}` : flag.message, offer.says].filter(Boolean).join(" "),
    rule: offer.rule,
    why: offer.event.why || flag.message,
    fields: offer.asks.map(field),
    event: (values) => {
      const event = { ...offer.event };
      for (const name of offer.asks) {
        const value = values[name].trim();
        if (!value && !["tiles", "missing", "extra"].includes(name)) return null;
        event[name] = value;
      }
      return event;
    },
  };
}

