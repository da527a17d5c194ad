// When a thing was that is entered late.
import { listed, typed } from "./fields.js";

// It counts where it happened.
export function whenFields(view, turnText) {
  const turns = view.turns.map((turn) => [String(turn.press_ms), `after ${turnText(view, turn)}`]).reverse();
  return [
    listed("when", "It happened", [["", "just now"], ...turns], { more: true, value: "", read: happenedOf }),
    typed("passed", "Seconds after that turn", {
      hint: "as 4.5 or 1:30",
      most: 6,
      required: false,
      more: true,
    }),
  ];
}

// When it was, as nanoseconds, a little after that press: its part of a millisecond was cut off. Null for what is no
// time, empty for just now.
function happenedOf({ when, passed }) {
  const late = seconds(passed || "0");
  return late === null || (passed && !when) ? null : when && Math.round((Number(when) + 1 + late * 1000) * 1e6);
}

// "90", "4.5" or "1:30" as seconds; null for what is no time.
export function seconds(text) {
  const match = /^(?:(\d{1,3}):(?=\d\d))?(\d{1,3}(\.\d)?)$/.exec(text.trim());
  return match ? Number(match[1] ?? 0) * 60 + Number(match[2]) : null;
}
