// The fields of a dialog: a label and whatever is typed, chosen or pressed.
import { html } from "./dom.js";
import { letterPad } from "./pad.js";
import { SIDES } from "./wording.js";

// The options of a list, of [value, text].
export function optionsOf(pairs, chosen) {
  return pairs.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`);
}

// field: {name, label, kind, value, options, hint ("" is one that is shown once it is needed), most, required,
// pattern, wide: a row of its own}; kinds: text, select, pick (one of a few, side by side), pad (a
// tile). `open`: of a pick, nothing is chosen at first. `made(field)`: makes another kind.
export function control(field) {
  if (field.made) return field.made(field);
  const id = `field-${field.name}`;
  if (field.kind === "pad") return letterPad(field);
  if (field.kind === "pick") return pick(field, id);
  const required = field.required !== false && !field.options?.some(([value]) => value === "");
  const common = { id, name: field.name, required, "aria-describedby": field.hint !== undefined ? `${id}-hint` : null };
  let input;
  if (field.kind === "select") {
    input = html`<select ...${common}>
      ${optionsOf(field.options, field.value)}
    </select>`;
  } else {
    input = html`<input
      ...${common}
      type=${field.kind ?? "text"}
      maxlength=${field.most ?? 80}
      autocomplete="off"
      inputmode=${field.inputmode}
      placeholder=${field.placeholder}
    />`;
    input.defaultValue = field.value ?? "";
  }
  const label = html`<label for=${id} class=${field.wide ? "wide" : ""}><span>${field.label}</span>${input}</label>`;
  if (field.hint !== undefined) {
    const hint = html`<span class="hint" id="${id}-hint">${field.hint}</span>`;
    if (field.most)
      input.addEventListener("input", () => {
        hint.textContent = input.value.length < field.most ? field.hint : `No more than ${field.most} characters.`;
      });
    label.append(hint);
  }
  return label;
}

// One of the two players. Nobody is chosen beforehand: the wrong one would be ruled on unseen.
export function sideField(view, label) {
  const names = SIDES.map((one) => [one, view.players[one].name]);
  return picked("side", label, names, { open: true });
}

function pick(field, id) {
  const chosen = field.value ?? (field.open ? null : field.options[0]?.[0]);
  return html`<fieldset class="pick">
    <legend>${field.label}</legend>
    ${field.options.map(
      ([value, text], at) =>
        html`<label for="${id}-${at}">
          <input type="radio" id="${id}-${at}" name=${field.name} value=${value} checked=${value === chosen} />
          <span>${text}</span>
        </label>`,
    )}
  </fieldset>`;
}

// Fields of a dialog: something typed, one of a list, and one of a few. `more`: what else they are given.
export const typed = (name, label, more) => ({ name, label, ...more });
export const listed = (name, label, options, more) => ({ name, label, kind: "select", options, ...more });
export const picked = (name, label, options, more) => ({ name, label, kind: "pick", options, ...more });

// Who decided it and why: who is whoever is logged in, and why is what they type.
export function attribution(account, why) {
  return html`<div class="fields because">
    ${reason(why, "Kept in the record with your name.")}
    ${decider(account)}
  </div>`;
}

// Nobody has to give one.
export function reason(value = "", hint = "") {
  return control({
    name: "why",
    label: "Reason",
    value,
    most: 400,
    required: false,
    placeholder: "may be empty",
    hint,
  });
}

export function decider(account) {
  return control({ name: "by", label: "Decided by", value: account });
}

// What was typed in an open dialog is not lost by a press on Back or Escape.
export function keepTyped(dialog) {
  const typed = () =>
    dialog.open && [...dialog.querySelectorAll("input")].some((one) => one.value !== one.defaultValue);
  addEventListener("beforeunload", (event) => typed() && event.preventDefault());
  dialog.addEventListener(
    "cancel",
    (event) => typed() && !confirm("Leave without entering it?") && event.preventDefault(),
  );
}
