// Boxes to tick in a dialog. Loaded with what has some.
import { html } from "./dom.js";
import { withLists } from "./edits.js";

// Any of some, which may depend on the other fields; its value is the chosen ones with a space between.
export function checks(field) {
  const id = `field-${field.name}`;
  const input = html`<input type="hidden" name=${field.name} />`;
  const box = html`<div class="options"></div>`;
  const draw = () => {
    const options = field.of(input.form ? Object.fromEntries(new FormData(input.form)) : {});
    const before = input.value.split(" ");
    const kept = options.map(([value]) => value).filter((value) => before.includes(value));
    input.value = kept.join(" ");
    box.replaceChildren(
      ...options.map(
        ([value, text]) =>
          html`<label>
            <input type="checkbox" value=${value} id="${id}-${value}" checked=${kept.includes(value)} />
            <span>${text}</span>
          </label>`,
      ),
    );
  };
  const choose = () => {
    input.value = [...box.querySelectorAll(":checked")].map((one) => one.value).join(" ");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const type of ["input", "change"]) box.addEventListener(type, choose);
  const field_ = html`<fieldset class="pick checks"><legend>${field.label}</legend>${input}${box}</fieldset>`;
  field_.ready = (form) => {
    draw();
    withLists(form, draw);
  };
  return field_;
}
