// A score that both players agree on. Loaded once it is asked for.
import { listed } from "./fields.js";
import { turnOptions } from "./rulings.js";
import { SIDES } from "./wording.js";

export function scoreDeed({ view, options }) {
  const rules = options.event_rules;
  const plays = view.turns.filter(({ kind }) => kind === "play");
  const last = plays.at(-1);
  return {
    title: "Both players agree on a score",
    about: last ? "It replaces the score that the tiles make." : "",
    fields: [
      listed("of", "Score of", [
        ...turnOptions(plays, view),
        ...SIDES.map((side) => [side, `${view.players[side].name}, the total so far`]),
      ]),
      { name: "points", label: "Points", most: 4, inputmode: "numeric", value: last ? String(last.score) : "" },
    ],
    ready: (form) => {
      const stands = (of) => (view.players[of] ?? view.turns[of - 1]).score;
      form.addEventListener("edited", ({ detail: names }) => {
        if (names.has("of")) form.elements.points.value = stands(form.elements.of.value);
      });
      form.elements.points.focus();
    },
    lacking: "Points: a whole number.",
    event: ({ of, points }) => {
      if (!/^[-−]?\d{1,4}$/.test(points.trim())) return null;
      const total = of in view.players;
      return {
        type: "ScoreAgreed",
        turn: total ? 0 : Number(of),
        side: total ? of : view.turns[Number(of) - 1].side,
        points: Number(points.trim().replace("−", "-")),
      };
    },
    hidden: !rules.score_agreed,
  };
}
