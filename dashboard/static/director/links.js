// Slots and clocks; tokens and webhooks have modules of their own. Everything that the server
// answers is drawn anew.
import { ask, tell } from "./api.js";
import { make } from "./dom.js";
import { $, copier, doing, drawDone, why } from "./linkkit.js";
import { drawOverlays } from "./overlays.js";
import { drawTokens } from "./tokens.js";
import { drawHooks } from "./webhooks.js";

let known = { tables: [], slots: [] };

function tables(chosen, first) {
  return [
    make("option", { value: "", text: first, selected: chosen === null }),
    ...known.tables.map(({ id, name }) => make("option", { value: id, text: name === id ? id : `${name} (${id})`, selected: id === chosen })),
  ];
}

async function assign(name, table) {
  const answer = await doing(() => tell("/director/api/slots", { name, table: table || null }, why()), `${name} is changed.`);
  if (answer) draw(answer);
}

function slotRow(slot) {
  const here = known.tables.find(({ id }) => id === slot.shows);
  const own = slot.own ? `automatic${slot.assigned === null && here ? ` (now ${here.name})` : ""}` : "no table";
  return make(
    "tr",
    {},
    make("td", {}, make("b", { text: slot.name })),
    make(
      "td",
      {},
      make("select", { "aria-label": `Table in ${slot.name}`, onchange: (event) => assign(slot.name, event.target.value) }, ...tables(slot.assigned, own)),
    ),
    make(
      "td",
      { className: "num" },
      slot.own ? null : make("button", { type: "button", className: "button small danger", text: "Remove", "aria-label": `Remove ${slot.name}`, onclick: () => assign(slot.name, null) }),
    ),
  );
}

function clockRow({ id, name, clock: address }) {
  const code = make("img", { className: "qr", alt: `QR code of the link of ${name}’s clock`, hidden: true });
  return make(
    "li",
    {},
    make("b", { text: name }),
    make("code", { text: address }),
    copier(() => address, `the link of ${name}’s clock`),
    make("button", {
      type: "button",
      className: "button small",
      text: "QR code",
      "aria-label": `QR code of the link of ${name}’s clock`,
      "aria-expanded": "false",
      onclick: ({ currentTarget }) => {
        code.hidden = !code.hidden;
        currentTarget.setAttribute("aria-expanded", String(!code.hidden));
        if (!code.hidden) code.src = `/director/api/clock-codes/${encodeURIComponent(id)}`;
      },
    }),
    make("button", {
      type: "button",
      className: "button small",
      text: "Replace the link",
      "aria-label": `Replace the link of the clock of ${name}; the one before ends`,
      onclick: async () => {
        if (!confirm(`Replace the link of ${name}’s clock? A phone that is the clock now stops being it.`)) return;
        const answer = await doing(() => tell("/director/api/clock-keys", { table: id }, why()), `The clock of ${name} has a new link.`);
        if (answer) draw(answer);
      },
    }),
    code,
  );
}

function draw(links) {
  known = links;
  drawOverlays(links);
  $("#slots").replaceChildren(...links.slots.map(slotRow));
  $("#clocks").replaceChildren(...links.tables.map(clockRow));
  for (const [form, first] of [["#new-slot", "no table"], ["#new-token", "every table"]]) {
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
