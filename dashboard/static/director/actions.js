// What a director says of a game beside the rulings of play: who plays, what was asked, that it is signed.
import { endText, openQuestions, resultText, scoresText } from "./result.js";
import { SIDES } from "./wording.js";

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
