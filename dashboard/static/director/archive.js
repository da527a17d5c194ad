// What downloads the evidence of a game as one file. `path`: where the game is asked of.
import { post } from "./api.js";
import { html } from "./dom.js";

export function archive({ view, archive: kept }, path) {
  if (!kept) return null;
  const note = html`<span class="soft small" role="status">
    ${view.status === "ended" ? "" : "The game goes on: the file has what there is so far."}
  </span>`;
  const button = html`<button class="button small" type="button">Download the evidence</button>`;
  button.onclick = async () => {
    const { save } = await import("./saving.js"); // little used
    save(button, note, {
      ask: () => post(`${path}/archive`),
      making: "Making the file…",
      about: "The evidence in one file",
      failed: "The file could not be made",
    });
  };
  return html`<p class="flow archive">${button}${note}</p>`;
}
