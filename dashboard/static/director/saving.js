// A file that takes some seconds to make: asked for, and saved under the name that the server gives it.
import { answered } from "./api.js";
import { html } from "./dom.js";

// Save what the server has answered with, under the name that it gives; the name.
export async function download(answer) {
  if (!answer.ok) await answered(answer);
  const name = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition"))[1];
  const saved = html`<a href=${URL.createObjectURL(await answer.blob())} download=${name}></a>`;
  saved.click();
  setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
  return name;
}

// `ask()`: the request; `making`: the button's words meanwhile; `about`: what is made; `note`: where that stands.
export async function save(button, note, { ask, making, about, failed }) {
  if (button.getAttribute("aria-busy") === "true") return;
  const text = button.textContent;
  button.setAttribute("aria-busy", "true");
  button.textContent = making;
  const seconds = html`<span aria-hidden="true"></span>`;
  const began = Date.now();
  const ticking = setInterval(
    () => (seconds.textContent = `, ${Math.round((Date.now() - began) / 1000)}\u00a0s`),
    1000,
  );
  note.replaceChildren(html`<progress aria-label=${about}></progress>`, ` ${about}`, seconds);
  try {
    note.textContent = `Saved as ${await download(await ask())}.`;
  } catch (error) {
    note.textContent = error.status === 409 ? `${failed}: ${error.message}.` : `${failed}. Try again.`;
  }
  clearInterval(ticking);
  button.textContent = text;
  button.removeAttribute("aria-busy");
}
