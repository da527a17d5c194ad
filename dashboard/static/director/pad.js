// A tile from a pad: its letter, whether it is a blank, or an empty square. Letters can be typed too.
import { spelled, symbolOf } from "../spelling.js";
import { html } from "./dom.js";

// field: {name, label, letters, say(symbol): it in words, chosen(symbol): takes each tile in turn in
// place of the field}
export function letterPad(field) {
  const input = html`<input type="hidden" name=${field.name} />`;
  input.value = "";
  const button = (className, text, letter) =>
    html`<button type="button" class=${className} data-letter=${letter} aria-pressed="false">${text}</button>`;
  const toggle = button("button blank-toggle", "Blank");
  const chosen = html`<output class="chosen">Press a letter, or type it.</output>`;
  const keys = new Map(field.letters.map((letter) => [letter, button("key", spelled(letter), letter)]));
  const unnamed = button("button", "Blank, no letter", "?");
  const none = button("button", "No tile", ".");
  const every = [...keys.values(), unnamed, none];
  const asBlank = () => toggle.getAttribute("aria-pressed") === "true";

  function choose(symbol) {
    if (field.chosen) {
      toggle.setAttribute("aria-pressed", "false"); // nothing is known of the next tile yet
      field.chosen(symbol);
      return;
    }
    input.value = symbol;
    for (const key of every) key.setAttribute("aria-pressed", String(key.dataset.letter === symbol.toUpperCase()));
    chosen.textContent = field.say(symbol);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const letterChosen = (letter) => choose(asBlank() ? letter.toLowerCase() : letter);

  for (const [letter, key] of keys) key.addEventListener("click", () => letterChosen(letter));
  unnamed.addEventListener("click", () => choose("?"));
  none.addEventListener("click", () => choose("."));
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", String(!asBlank()));
    if (keys.has(input.value.toUpperCase())) letterChosen(input.value.toUpperCase());
  });
  const box = html`<div class="pad" role="group" tabindex="-1" autofocus aria-label=${field.label}>
    ${input}
    <div class="keys">${[...keys.values()]}</div>
    <div class="flow">
      ${toggle}
      ${field.bare === false ? null : unnamed}
      ${field.bare === false ? null : none}
      ${field.chosen ? null : chosen}
    </div>
  </div>`;
  box.typed = (key, shift) => {
    const letter = symbolOf(key).toUpperCase();
    if (keys.has(letter)) choose(shift || asBlank() ? letter.toLowerCase() : letter);
    else if (field.bare !== false && (key === "?" || key === ".")) choose(key);
    else return false;
    return true;
  };
  return box;
}

// Letters typed anywhere in a form but in its text fields are meant for its pad.
export function typing(form) {
  form.addEventListener("keydown", (event) => {
    const pad = form.querySelector(".pad, .choices[data-layout=pad]");
    if (
      !pad?.typed ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      event.target.matches("input, select, textarea")
    )
      return;
    if (pad.typed(event.key, event.shiftKey)) event.preventDefault();
  });
}
