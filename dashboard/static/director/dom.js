// The elements that the director's pages share.
import { fill, html } from "../html.js";

export { fill, html };

// `more`: what else it is given.
export const button = (text, onclick, more = {}) =>
  html`<button class="button" type="button" onclick=${onclick} ...${more}>${text}</button>`;

// A paragraph, where there is something to say.
export const line = (className, text) => (text ? html`<p class=${className}>${text}</p>` : null);

// What the server has drawn.
export const drawn = (text) => document.createRange().createContextualFragment(text);

export const $ = (selector) => document.querySelector(selector);

export function say(text) {
  const log = $("#say");
  log.append(html`<span>${text} </span>`);
  while (log.childElementCount > 20) log.firstElementChild.remove();
}

// Say what is wrong, in the page's place for it; nothing is wrong without an error.
export function fault(error) {
  $("#fault").textContent = error?.message ?? "";
  $("#fault").hidden = !error;
  if (error) $("#fault").scrollIntoView({ block: "nearest" });
}

export const LEVELS = { trouble: "Trouble", question: "Question", flag: "Flag", note: "Note" };

export function level(name) {
  return html`<span class="level" data-level=${name}>${LEVELS[name]}</span>`;
}
