// Tokens: listed, made, withdrawn.
import { ask, tell } from "./api.js";
import { make } from "./dom.js";
import { $, day, doing, ender, nothing, reveal, why } from "./linkkit.js";
import { useToken } from "./overlays.js";

const SCOPES = Object.fromEntries([...$("#new-token [name=scope]").options].map((option) => [option.value, option.textContent]));

function row(token) {
  return make(
    "tr",
    {},
    make("td", {}, make("b", { text: token.name })),
    make("td", { data: { label: "Opens" }, text: SCOPES[token.scope] ?? token.scope }),
    make("td", { data: { label: "Table" }, text: token.table ?? "every table" }),
    make("td", { data: { label: "Made by" }, text: `${token.made_by}, ${day(token.made_s)}` }),
    make("td", { data: { label: "Last used" }, text: day(token.used_s) }),
    make("td", { className: "num" }, ender("Withdraw", token.name, `/api/v1/tokens/${encodeURIComponent(token.id)}`, drawTokens)),
  );
}

export async function drawTokens() {
  const answer = await doing(() => ask("/api/v1/tokens"));
  if (!answer) return;
  const rows = answer.tokens.map(row);
  $("#tokens").replaceChildren(...(rows.length ? rows : [nothing(6, "No token has been made.")]));
}

$("#new-token").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, scope, table } = Object.fromEntries(new FormData(event.target));
  const made = await doing(() => tell("/api/v1/tokens", { name, scope, table: table || null }, why()), "The token is made.");
  if (!made) return;
  event.target.reset();
  reveal($("#made"), made.text);
  if (scope === "overlay") useToken(made.text, name);
  drawTokens();
});

addEventListener("tokens", drawTokens);
