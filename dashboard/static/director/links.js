// Slots and clocks; tokens and webhooks have modules of their own. Everything that the server
// answers is drawn anew.
import { ask, tell } from "./api.js";
import { html } from "./dom.js";
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
  return html`<tr>
    <td><b>${slot.name}</b></td>
    <td>
      <select aria-label="Table in ${slot.name}" onchange=${(event) => assign(slot.name, event.target.value)}>
        ${tables(slot.assigned, own)}
      </select>
    </td>
    <td class="num">
      ${
        slot.own
          ? null
          : html`<button
            type="button"
            class="button small danger"
            aria-label="Remove ${slot.name}"
            onclick=${() => assign(slot.name, null)}
          >
            Remove
          </button>`
      }
    </td>
  </tr>`;
}

function clockRow({ id, name, clock: address }) {
  const code = html`<img class="qr" alt="QR code of the link of ${name}’s clock" hidden />`;
  return html`<li>
    <b>${name}</b>
    <code>${address}</code>
    ${copier(() => address, `the link of ${name}’s clock`)}
    <button
      type="button"
      class="button small"
      aria-label="QR code of the link of ${name}’s clock"
      aria-expanded="false"
      onclick=${({ currentTarget }) => {
        code.hidden = !code.hidden;
        currentTarget.setAttribute("aria-expanded", String(!code.hidden));
        if (!code.hidden) code.src = `/director/api/clock-codes/${encodeURIComponent(id)}`;
      }}
    >
      QR code
    </button>
    <button
      type="button"
      class="button small"
      aria-label="Replace the link of the clock of ${name}; the one before ends"
      onclick=${async () => {
        if (!confirm(`Replace the link of ${name}’s clock? A phone that is the clock now stops being it.`)) return;
        const answer = await doing(
          () => tell("/director/api/clock-keys", { table: id }, why()),
          `The clock of ${name} has a new link.`,
        );
        if (answer) draw(answer);
      }}
    >
      Replace the link
    </button>
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
