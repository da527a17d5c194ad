// Webhooks: listed, made, removed.
import { ask, tell } from "./api.js";
import { html } from "./dom.js";
import { $, day, doing, ender, nothing, reveal, why } from "./linkkit.js";

const HEARS = Object.fromEntries(
  [...$("#new-hook [name=audience]").options].map((option) => [option.value, option.textContent]),
);

function row(hook) {
  return html`<tr>
    <td><code>${hook.url}</code>${hook.trouble && html`<p class="fault">${hook.trouble}</p>`}</td>
    <td data-label="Receives">${HEARS[hook.audience] ?? hook.audience}</td>
    <td data-label="Made by">${hook.made_by}, ${day(hook.made_s)}</td>
    <td class="num">${ender("Remove", hook.url, `/api/v1/webhooks/${encodeURIComponent(hook.id)}`, drawHooks)}</td>
  </tr>`;
}

export async function drawHooks() {
  const answer = await doing(() => ask("/api/v1/webhooks"));
  if (!answer) return;
  const rows = answer.webhooks.map(row);
  $("#hooks").replaceChildren(...(rows.length ? rows : [nothing(4, "No addresses yet.")]));
}

$("#new-hook").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { url, audience } = Object.fromEntries(new FormData(event.target));
  const made = await doing(
    () => tell("/api/v1/webhooks", { url, audience }, why()),
    "The address gets every turn from now on.",
  );
  if (!made) return;
  event.target.reset();
  reveal($("#hook-made"), made.secret);
  drawHooks();
});
