// Time given to a player, or taken off. Loaded once it is asked for.
import { format } from "../clock.js";
import { names, timeOf } from "./wording.js";

const AMOUNTS = ["+0:30", "+1:00", "+2:00", "+5:00", "−0:30", "−1:00", "−2:00", "−5:00"];

// `remaining(side)`: what a clock shows at this moment, in ns; null where the page cannot tell.
export function clockDeed({ view, remaining }) {
  const after = (side, added) => () => {
    const left = remaining(side);
    return left === null ? "" : `→ ${format(left + added)}`;
  };
  return {
    title: "Give time, or take it off",
    layout: "keys",
    narrow: true,
    groups: names(view),
    lacking: "Another amount: minutes and seconds, as 1:30.",
    fields: [
      {
        name: "time",
        label: "Another amount",
        required: false,
        most: 6,
        more: true,
        hint: "minutes and seconds, as 1:30",
      },
      { name: "rule", label: "By rule", required: false, most: 40, more: true },
    ],
    choices: ({ time, rule }) => {
      const typed = time.trim().replace(/^[+−-]+(?=.)/, "");
      if (typed && !timeOf(typed)) return null;
      const amounts = typed ? [`+${typed}`, `−${typed}`] : AMOUNTS;
      return ["left", "right"].flatMap((side) =>
        amounts.map((text) => ({
          key: `${side}${text.replace("−", "-")}`,
          text,
          group: side,
          event: { type: "ClockAdjusted", side, added_ns: timeOf(text), rule: rule.trim() || null },
          live: after(side, timeOf(text)),
        })),
      );
    },
  };
}
