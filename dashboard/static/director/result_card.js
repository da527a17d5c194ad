// The card of a game that has ended: the result, what may still change it, and its files.
import { standIns } from "../words.js";
import { archive } from "./archive.js";
import { fill, html } from "./dom.js";
import { endText, openQuestions, resultText, scoresText } from "./result.js";

function questionsText(count) {
  return count === 1
    ? "1 question is open, and its answer may change the result."
    : `${count} questions are open, and their answers may change the result.`;
}

// `path`: where the game is asked of.
export function drawResult(box, record, path) {
  const { view, signed, slip, export: command } = record;
  const open = openQuestions(record);
  const lacks = standIns(view);
  const gcg = `${path.replace("/director/api", "")}/game.gcg`;
  const key = JSON.stringify([
    view.game_id,
    view.final,
    view.provisional,
    view.outcome,
    view.players,
    view.end_reason,
    open,
    signed,
    slip,
    lacks,
  ]);
  if (key === box.dataset.drawn) return;
  box.dataset.drawn = key;
  fill(
    box,
    html`<h3>${resultText(view, open)}</h3>`,
    html`<p>${endText(view)}. ${scoresText(view)}</p>`,
    open > 0 && !view.no_result && html`<p class="note">${questionsText(open)}</p>`,
    signed && html`<p class="soft small">Signed (entered by ${signed.by}).</p>`,
    !signed && !view.no_result && html`<p class="soft small">Not signed yet.</p>`,
    signed && slip?.signed && html`<p>Check code for the result slip: <b class="code">${slip.signed}</b></p>`,
    html`<p class="flow"><a class="button small" href=${gcg} download="">Game record (GCG)</a></p>`,
    lacks && html`<p class="note">${lacks}</p>`,
    archive(record, path) ??
      html`<p class="soft small">The evidence in one file, on the table’s machine: <code>${command}</code></p>`,
  );
}
