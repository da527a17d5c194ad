// Slots, tokens and clocks. Everything that the server answers is drawn anew.
import { ask, tell } from "./api.js";
import { make, say } from "./dom.js";

const $ = (selector) => document.querySelector(selector);
const SCOPES = Object.fromEntries([...$("#new-token [name=scope]").options].map((option) => [option.value, option.textContent]));

let known = { tables: [], slots: [] };

function fault(error) {
  $("#fault").textContent = error?.message ?? "";
  $("#fault").hidden = !error;
  if (error) $("#fault").scrollIntoView({ block: "nearest" });
}

async function doing(what, said) {
  try {
    fault(null);
    const answer = await what();
    if (said) say(said);
    return answer;
  } catch (error) {
    fault(error);
    return null;
  }
}

const whole = (path) => new URL(path, location.origin).href;

// The clipboard is only for secure pages; elsewhere the text is selected, to be copied by hand.
function copier(text) {
  return make("button", {
    type: "button",
    className: "button small",
    text: "Copy",
    onclick: async (event) => {
      try {
        await navigator.clipboard.writeText(text());
        say("Copied.");
        event.target.textContent = "Copied";
        setTimeout(() => (event.target.textContent = "Copy"), 1500);
      } catch {
        const code = event.target.closest("td, li, .address").querySelector("code");
        if (code) getSelection().selectAllChildren(code);
      }
    },
  });
}

function tables(chosen, first) {
  return [
    make("option", { value: "", text: first, selected: chosen === null }),
    ...known.tables.map(({ id, name }) => make("option", { value: id, text: name === id ? id : `${name} (${id})`, selected: id === chosen })),
  ];
}

async function assign(name, table) {
  const answer = await doing(() => tell("/director/api/slots", { name, table: table || null }), `${name} is changed.`);
  if (answer) draw(answer);
}

function slotRow(slot) {
  const here = known.tables.find(({ id }) => id === slot.shows);
  const own = slot.own ? `by itself${slot.assigned === null && here ? `: ${here.name}` : ""}` : "no table";
  const part = make("select", { "aria-label": `Part of ${slot.name}` }, ...$("#parts").content.cloneNode(true).children);
  const code = make("code", {});
  const show = () => (code.textContent = whole(slot.overlays[part.value]));
  part.addEventListener("change", show);
  show();
  return make(
    "tr",
    {},
    make("td", {}, make("b", { text: slot.name })),
    make(
      "td",
      {},
      make("select", { "aria-label": `Table in ${slot.name}`, onchange: (event) => assign(slot.name, event.target.value) }, ...tables(slot.assigned, own)),
    ),
    make("td", {}, make("div", { className: "pick" }, part, code, copier(() => code.textContent))),
    make(
      "td",
      { className: "num" },
      slot.own ? null : make("button", { type: "button", className: "button small danger", text: "Remove", "aria-label": `Remove ${slot.name}`, onclick: () => assign(slot.name, null) }),
    ),
  );
}

function clockRow({ id, name, clock }) {
  const address = whole(clock);
  return make(
    "li",
    {},
    make("b", { text: name }),
    make("code", { text: address }),
    copier(() => address),
    make("button", {
      type: "button",
      className: "button small",
      text: "New link",
      "aria-label": `New link for the clock of ${name}; the one before ends`,
      onclick: async () => {
        const answer = await doing(() => tell("/director/api/clock-keys", { table: id }), `The clock of ${name} has a new link.`);
        if (answer) draw(answer);
      },
    }),
  );
}

function draw(links) {
  known = links;
  $("#slots").replaceChildren(...links.slots.map(slotRow));
  $("#clocks").replaceChildren(...links.tables.map(clockRow));
  for (const [form, first] of [["#new-slot", "no table"], ["#new-token", "every table"]]) {
    const select = $(`${form} [name=table]`);
    const chosen = select.value || null;
    select.replaceChildren(...tables(chosen, first));
  }
  $("#new-slot [name=table]").options[0]?.remove();
}

// --- tokens ---

const day = (s) => (s === null ? "never" : new Date(s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));

function tokenRow(token) {
  return make(
    "tr",
    {},
    make("td", {}, make("b", { text: token.name })),
    make("td", { text: SCOPES[token.scope] ?? token.scope }),
    make("td", { text: token.table ?? "every table" }),
    make("td", { text: `${token.made_by}, ${day(token.made_s)}` }),
    make("td", { text: day(token.used_s) }),
    make(
      "td",
      { className: "num" },
      make("button", {
        type: "button",
        className: "button small danger",
        text: "Withdraw",
        "aria-label": `Withdraw ${token.name}`,
        onclick: async () => {
          await doing(() => withdraw(token.id), `${token.name} is withdrawn.`);
          drawTokens();
        },
      }),
    ),
  );
}

async function withdraw(id) {
  const answer = await fetch(`/api/v1/tokens/${encodeURIComponent(id)}`, {
    method: "DELETE",
    headers: { Accept: "application/json", "X-CSRF-Token": $("meta[name=csrf-token]").content },
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

async function drawTokens() {
  const answer = await doing(() => ask("/api/v1/tokens"));
  if (!answer) return;
  const rows = answer.tokens.map(tokenRow);
  if (!rows.length) rows.push(make("tr", {}, make("td", { colspan: 6, className: "soft", text: "No token has been made." })));
  $("#tokens").replaceChildren(...rows);
}

$("#new-token").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, scope, table } = Object.fromEntries(new FormData(event.target));
  const made = await doing(() => tell("/api/v1/tokens", { name, scope, table: table || null }), "The token is made.");
  if (!made) return;
  event.target.reset();
  $("#made code").textContent = `?token=${made.text}`;
  $("#made").hidden = false;
  drawTokens();
});
$("#made .copy").replaceWith(copier(() => $("#made code").textContent));

$("#new-slot").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, table } = Object.fromEntries(new FormData(event.target));
  await assign(name, table);
  event.target.reset();
});

$("#link").hidden = true; // nothing here is live
doing(async () => draw(await ask("/director/api/links")));
drawTokens();
