// A question about one square: its crop, the best guesses, and one click or key to settle it.
import { symbolOf } from "../spelling.js";
import { button, html } from "./dom.js";
import { symbolText } from "./wording.js";

// What the camera saw of a square, so many pixels wide.
export const cropped = (src, square, size) =>
  html`<img class="crop" src=${src} alt="${square} as the camera saw it" width=${size} height=${size} />`;

// `ask`: {key, square, crop (address or null), title, choices: [{symbol, sure, text}], empty, letter}
// `settle(symbol)` enters it. `letter`: only letters are asked for (a blank's).
export function asker(ask, settle, more) {
  const buttons = ask.choices.map(
    (choice, at) =>
      html`<button class="button" type="button" onclick=${() => settle(choice.symbol)}>
        <kbd aria-hidden="true">${at + 1}</kbd>
        <span>${choice.text ?? symbolText(choice.symbol)}</span>
        ${choice.sure === undefined ? null : html`<span class="sure">${Math.round(choice.sure * 100)}%</span>`}
      </button>`,
  );
  if (more) buttons.push(button(ask.letter ? "Its letter…" : "Something else…", more));
  const how = ask.letter ? "Or type the letter." : "Or type the letter, with Shift for a blank.";
  const box = html`<div
    class="asker"
    role="group"
    tabindex="0"
    data-key=${ask.key}
    data-square=${ask.square}
    aria-label="${ask.square}: ${ask.title}. ${how}"
  >
    ${ask.crop ? cropped(ask.crop, ask.square, 64) : html`<span class="crop">no picture</span>`}
    <div><p class="what">${ask.square}: ${ask.title}</p><div class="choices">${buttons}</div></div>
    <p class="how" aria-hidden="true">${ask.choices.length ? "Number keys choose. " : ""}${how}</p>
  </div>`;
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const symbol = meant(event, ask);
    if (symbol === null) return;
    event.preventDefault();
    settle(symbol);
  });
  return box;
}

function meant(event, ask) {
  const { key } = event;
  if (/^[1-9]$/.test(key)) return ask.choices[Number(key) - 1]?.symbol ?? null;
  if (/^\p{L}$/u.test(key)) {
    const letter = symbolOf(key).toUpperCase();
    return event.shiftKey && !ask.letter ? letter.toLowerCase() : letter;
  }
  if (!ask.letter && (key === "?" || key === ".")) return key;
  return null;
}
