// What a director rules more rarely of a game, behind More. What the rulebook has no rule on is not offered.
import { countOf, RACK } from "../spelling.js";
import { html } from "./dom.js";
import { control, listed, optionsOf, picked, sideField, typed } from "./fields.js";
import { turnOptions, turnText } from "./rulings.js";
import { whenFields } from "./when.js";
import { capital, names, plain } from "./wording.js";

// The rules on penalties are suggested where one is typed.
function ruleField(penalties) {
  const made = ({ made: _, ...field }) => {
    const label = control(field);
    label.querySelector("input").setAttribute("list", "rule-list");
    label.append(
      html`<datalist id="rule-list">${optionsOf(penalties.map(({ rule, says }) => [rule, says]))}</datalist>`,
    );
    return label;
  };
  return typed("rule", "By rule", { required: false, most: 40, more: true, made });
}

// What a penalty usually costs, where the rulebook says no more than that there may be one.
const USUAL = [5, 10, 20, 50];

function penaltyText(penalties) {
  const open = penalties
    .filter(({ points }) => points === null)
    .map(({ says, on, rule }) => `${says}, off the ${on} (rule ${rule})`);
  const left = open.length ? `The rulebook leaves the points to you for: ${open.join("; ")}.` : "";
  return [
    penalties.length ? "" : "This rulebook sets no penalties.",
    left,
    "A number alone is your own decision, by no rule.",
  ]
    .filter(Boolean)
    .join(" ");
}

function penaltyChoices(penalties) {
  const named = penalties.filter(({ points }) => points !== null);
  const kinds = [...named, ...USUAL.map((points) => ({ says: "", on: "score", points, rule: null }))];
  return ["left", "right"].flatMap((side) =>
    kinds.map(({ says, on, points, rule }, at) => ({
      key: `${side}-${says ? `named-${at}` : points}`,
      group: side,
      rule,
      text: `${says ? `${capital(says)}: ` : ""}${points} points${on === "spread" ? " on the spread" : ""}`,
      why: says,
      event:
        on === "score"
          ? { type: "PenaltyAdded", side, points, rule }
          : { type: "PointsAdjusted", on, side, points: -points, rule },
    })),
  );
}

const COUNTED = { "": "as many as the turns leave", counted: "counted: really this many" };

// What points may be given or taken for; `on` is null for a penalty.
const POINTS_AS = {
  penalty: { text: "a penalty: off the score", on: null, sign: 1 },
  "score-off": { text: "a correction: off the score", on: "score", sign: -1 },
  "score-on": { text: "a correction: onto the score", on: "score", sign: 1 },
  "spread-off": { text: "off the spread only", on: "spread", sign: -1 },
  "spread-on": { text: "onto the spread only", on: "spread", sign: 1 },
};

// `open(deed)` opens the dialog of another deed.
export function gameDeeds(record, open) {
  const { view, options } = record;
  const ended = view.status === "ended";
  const signed = record.signed !== null;
  const reports = options.reports.map(({ what, label, rule }) => [
    what,
    rule ? `${capital(label)} (${rule})` : capital(label),
  ]);
  const when = whenFields(view, turnText);
  const points = {
    text: "Points…",
    title: "Take points off, or add them",
    fields: [
      sideField(view, "Player"),
      picked(
        "on",
        "As",
        Object.entries(POINTS_AS).map(([key, { text }]) => [key, text]),
      ),
      { name: "points", label: "Points", value: "10", inputmode: "numeric", most: 3 },
      ruleField(options.penalties),
      ...when,
    ],
    lacking: "Points: a whole number of at most three digits; what they are for says whether they are added.",
    event: ({ side: who, on: as, points, rule }) => {
      if (!/^\d{1,3}$/.test(points.trim())) return null;
      const { on, sign } = POINTS_AS[as];
      const event = { side: who, points: sign * Number(points), rule: rule.trim() || null };
      return on === null ? { type: "PenaltyAdded", ...event } : { type: "PointsAdjusted", on, ...event };
    },
  };
  const deeds = [
    {
      text: "Penalty…",
      title: "A penalty",
      layout: "keys",
      about: penaltyText(options.penalties),
      groups: names(view),
      choices: () => penaltyChoices(options.penalties),
      other: { text: "Another amount…", go: () => open(points) },
    },
    points,
    {
      text: "Report…",
      title: "Report what no camera sees",
      folded: "When it happened",
      about: "What the rulebook has on it is then offered as a flag of the game. " + "Of a return, say who came back.",
      fields: [
        listed("what", "What", reports, { wide: true }),
        sideField(view, "Whose doing"),
        listed("turn", "About", [["0", "no turn"], ...turnOptions(view.turns, view)]),
        ...when,
      ],
      event: ({ what, side: who, turn }) => ({ type: "Reported", what, side: who, turn: Number(turn) }),
      hidden: !options.reports.length,
    },
    {
      text: "Rack…",
      title: "Say what a player has left",
      fields: [
        sideField(view, "Player"),
        typed("tiles", "Tiles", {
          hint: "letters, ? for a blank; nothing where the rack is empty",
          required: false,
          most: RACK,
        }),
        picked("counted", "How many", Object.entries(COUNTED), { value: "" }),
        ...when,
      ],
      event: ({ side: who, tiles, counted }) => {
        const rack = tiles.trim();
        return { type: "RackReported", side: who, tiles: rack, ...(counted ? { counted: countOf(rack) } : {}) };
      },
    },
    signed
      ? {
          text: "Reopen…",
          title: "Open the signed result again: on what ground?",
          about: "Then what is wrong can be changed, and both players sign again.",
          // Where the rulebook has no ground the table says so.
          choices: () =>
            (options.grounds.length ? options.grounds : ["director"]).map((ground) => {
              const text = options.words.grounds[ground] ?? plain(ground);
              const says = ground === "record_wrong" && "write under Reason what is wrong in it";
              return { key: ground, text: capital(text), says, event: { type: "GameReopened", ground } };
            }),
          hidden: !ended,
        }
      : {
          text: "Reopen…",
          title: "The game goes on",
          about: "Its end no longer counts. The clock stands until it is started.",
          event: () => ({ type: "GameReopened", ground: "the game goes on" }),
          hidden: !ended,
        },
  ];
  // What a rulebook lets be entered on the spread alone, the score being signed.
  const late = options.event_rules.spread_after_signing ? [points.text, "Report…"] : [];
  return deeds.filter((deed) => !deed.hidden && (!signed || ["Reopen…", ...late].includes(deed.text)));
}
