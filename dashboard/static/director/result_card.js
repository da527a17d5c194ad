// The card of a game that has ended: the result, what may still change it, and its files.
import { standIns } from "../words.js";
import { archive } from "./archive.js";
import { make } from "./dom.js";
import { endText, openQuestions, resultText, scoresText } from "./result.js";

function questionsText(count) {
  return count === 1 ? "1 question is open, and its answer may change the result." : `${count} questions are open, and their answers may change the result.`;
}

// `gcg`: the address of its record; `path`: where the game is asked of.
export function drawResult(box, record, gcg, path) {
  const { view, signed, slip, export: command } = record;
  const open = openQuestions(record);
  const lacks = standIns(view);
  const key = JSON.stringify([view.game_id, view.final, view.provisional, view.outcome, view.players, view.end_reason, open, signed, slip, gcg, lacks]);
  if (key === box.dataset.drawn) return;
  box.dataset.drawn = key;
  box.replaceChildren(
    make("h3", { text: resultText(view, open) }),
    make("p", { text: `${endText(view)}. ${scoresText(view)}` }),
    ...(open && !view.no_result ? [make("p", { className: "note", text: questionsText(open) })] : []),
    ...(signed || !view.no_result ? [make("p", { className: "soft small", text: signed ? `Signed (entered by ${signed.by}).` : "Not signed yet." })] : []),
    ...(signed && slip?.signed ? [make("p", {}, "Digest for the result slip: ", make("b", { className: "code", text: slip.signed }))] : []),
    make("p", { className: "flow" }, make("a", { className: "button small", href: gcg, download: "", text: "Game record (GCG)" })),
    ...(lacks ? [make("p", { className: "note", text: lacks })] : []),
    archive(record, path) ?? make("p", { className: "soft small" }, "The evidence in one file, on the table’s machine: ", make("code", { text: command })),
  );
}
