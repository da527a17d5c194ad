// Boxes to tick in a dialog. Loaded with what has some.
import { make } from "./dom.js";
import { withLists } from "./edits.js";

// Any of some, which may depend on the other fields; its value is the chosen ones with a space between.
export function checks(field) {
  const id = `field-${field.name}`;
  const input = make("input", { type: "hidden", name: field.name });
  const box = make("div", { className: "options" });
  const draw = () => {
    const options = field.of(input.form ? Object.fromEntries(new FormData(input.form)) : {});
    input.value = "";
    box.replaceChildren(...options.map(([value, text]) => make("label", {}, make("input", { type: "checkbox", value, id: `${id}-${value}` }), make("span", { text }))));
  };
  const choose = () => {
    input.value = [...box.querySelectorAll(":checked")].map((one) => one.value).join(" ");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const type of ["input", "change"]) box.addEventListener(type, choose);
  const field_ = make("fieldset", { className: "pick checks" }, make("legend", { text: field.label }), input, box);
  field_.ready = (form) => {
    draw();
    withLists(form, draw);
  };
  return field_;
}
