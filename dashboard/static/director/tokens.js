// Tokens: listed, made, withdrawn.
import { ask, tell } from "./api.js";
import { html } from "./dom.js";
import { $, day, doing, ender, nothing, reveal, why } from "./linkkit.js";
import { useToken } from "./overlays.js";

const SCOPES = Object.fromEntries(
  [...$("#new-token [name=scope]").options].map((option) => [option.value, option.textContent]),
);

function row(token) {
  return html`<tr>
    <td><b>${token.name}</b></td>
    <td data-label="Opens">${SCOPES[token.scope] ?? token.scope}</td>
    <td data-label="Table">${token.table ?? "every table"}</td>
    <td data-label="Made by">${token.made_by}, ${day(token.made_s)}</td>
    <td data-label="Last used">${day(token.used_s)}</td>
    <td class="num">
      ${ender("Withdraw", token.name, `/api/v1/tokens/${encodeURIComponent(token.id)}`, drawTokens)}
    </td>
  </tr>`;
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
  const made = await doing(
    () => tell("/api/v1/tokens", { name, scope, table: table || null }, why()),
    "The token is made.",
  );
  if (!made) return;
  event.target.reset();
  reveal($("#made"), made.text);
  if (scope === "overlay") useToken(made.text, name);
  drawTokens();
});

addEventListener("tokens", drawTokens);
