// The director's entries so far, each to be taken back, and what seals the record.
import { $, button, html } from "./dom.js";
import { wall } from "./wording.js";

function takeBack(one) {
  return {
    title: `Take back: ${one.text}`,
    about: `By ${one.by}${one.why ? `: ${one.why}` : ""}`,
    deed: "Take it back",
    why: "it was entered by mistake",
    event: () => ({ type: "Retracted", event: one.number }),
  };
}

function statement(one, dialog) {
  const takingBack = button("Take back…", () => dialog.open(takeBack(one)), {
    class: "button small",
    "aria-label": `Take back: ${one.text}`,
    "data-back": one.number,
  });
  const by = [one.by, one.why, wall(one.wall_ns), one.back && "taken back"].filter(Boolean).join(" · ");
  return html`<li class=${one.back ? "gone" : ""} data-row="entry ${one.number}">
    <span class="text">${one.text}</span>
    <span class="by">${by}</span>
    ${one.may_go && takingBack}
  </li>`;
}

function drawStatements({ statements }, dialog) {
  $("#statements").replaceChildren(...statements.map((one) => statement(one, dialog)).reverse());
  $("#no-statements").hidden = statements.length > 0;
}

function drawSeal(record) {
  const { head, slip } = record;
  const lines = [
    ...(slip?.signed ? [["Digest of the signature", slip.signed, "code"]] : []),
    ["Digest of the newest event", head.digest, "code"],
    ["Key of the table", head.fingerprint, "code"],
    ["Events", `${head.number}${head.on_disk ? "" : ", the newest not on the disk yet"}`],
  ];
  $("#seal").replaceChildren(
    ...lines.flatMap(([name, value, kind]) => [html`<dt>${name}</dt>`, html`<dd class=${kind ?? ""}>${value}</dd>`]),
  );
}

export function drawPanel(record, dialog) {
  drawStatements(record, dialog);
  drawSeal(record);
}
