// Slots and clocks; tokens and webhooks have modules of their own. Everything that the server
// answers is drawn anew.
import { ask, tell } from "./api.js";
import { button, html } from "./dom.js";
import { $, copier, doing, drawDone, why } from "./linkkit.js";
import { drawOverlays } from "./overlays.js";
import { drawTokens } from "./tokens.js";
import { drawHooks } from "./webhooks.js";

let known = { tables: [], slots: [] };

function tables(chosen, first) {
  return [
    html`<option value="" selected=${chosen === null}>${first}</option>`,
    ...known.tables.map(
      ({ id, name }) =>
        html`<option value=${id} selected=${id === chosen}>${name === id ? id : `${name} (${id})`}</option>`,
    ),
  ];
}

async function assign(name, table) {
  const answer = await doing(
    () => tell("/director/api/slots", { name, table: table || null }, why()),
    `${name} is changed.`,
  );
  if (answer) draw(answer);
}

function slotRow(slot) {
  const here = known.tables.find(({ id }) => id === slot.shows);
  const own = slot.own ? `automatic${slot.assigned === null && here ? ` (now ${here.name})` : ""}` : "no table";
  const removal = { class: "button small danger", "aria-label": `Remove ${slot.name}` };
  return html`<tr>
    <td><b>${slot.name}</b></td>
    <td>
      <select aria-label="Table in ${slot.name}" onchange=${(event) => assign(slot.name, event.target.value)}>
        ${tables(slot.assigned, own)}
      </select>
    </td>
    <td class="num">${!slot.own && button("Remove", () => assign(slot.name, null), removal)}</td>
  </tr>`;
}

function clockRow({ id, name, clock: address }) {
  const of = `QR code of the link of ${name}’s clock`;
  const code = html`<img class="qr" alt=${of} hidden />`;
  const show = ({ currentTarget }) => {
    code.hidden = !code.hidden;
    currentTarget.setAttribute("aria-expanded", String(!code.hidden));
    if (!code.hidden) code.src = `/director/api/clock-codes/${encodeURIComponent(id)}`;
  };
  const replace = async () => {
    if (!confirm(`Replace the link of ${name}’s clock? A phone that is the clock now stops being it.`)) return;
    const answer = await doing(
      () => tell("/director/api/clock-keys", { table: id }, why()),
      `The clock of ${name} has a new link.`,
    );
    if (answer) draw(answer);
  };
  return html`<li>
    <b>${name}</b>
    <code>${address}</code>
    ${copier(() => address, `the link of ${name}’s clock`)}
    ${button("QR code", show, { class: "button small", "aria-label": of, "aria-expanded": "false" })}
    ${button("Replace the link", replace, {
      class: "button small",
      "aria-label": `Replace the link of the clock of ${name}; the one before ends`,
    })}
    ${code}
  </li>`;
}

function draw(links) {
  known = links;
  drawOverlays(links);
  $("#slots").replaceChildren(...links.slots.map(slotRow));
  $("#clocks").replaceChildren(...links.tables.map(clockRow));
  for (const [form, first] of [
    ["#new-slot", "no table"],
    ["#new-token", "every table"],
  ]) {
    const select = $(`${form} [name=table]`);
    const chosen = select.value || null;
    select.replaceChildren(...tables(chosen, first));
  }
  $("#new-slot [name=table]").options[0]?.remove();
}

$("#new-slot").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, table } = Object.fromEntries(new FormData(event.target));
  await assign(name, table);
  event.target.reset();
});

$("#link").hidden = true; // nothing here is live
doing(async () => draw(await ask("/director/api/links")));
drawTokens();
drawHooks();
drawDone().catch(() => {});
