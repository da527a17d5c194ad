// Deeds whose form follows from the declaration of their event: `options.forms` has it, from game/events.
import { RACK } from "../spelling.js";
import { listed, picked, sideField, typed } from "./fields.js";
import { turnOptions, turnText } from "./rulings.js";
import { whenFields } from "./when.js";
import { SIDES, timeOf } from "./wording.js";

const text = ({ name, label, value, hint, required }) => typed(name, label, { value, hint, required, most: 80 });
const short = (field) => ({ ...text(field), most: 6 });

const side = (field, view) =>
  field.none
    ? listed(field.name, field.label, [["", "nobody"], ...SIDES.map((one) => [one, view.players[one].name])])
    : { ...sideField(view, field.label), name: field.name };

// Each kind of field: its control, its value (undefined if the text cannot be read), and the form of that text.
const KINDS = {
  side: { control: side, read: (value) => value },
  pick: { control: ({ name, label, options }) => picked(name, label, options), read: (value) => value },
  turn: {
    control: ({ name, label }, view) =>
      listed(name, label, [["0", "no turn"], ...turnOptions(view.turns, view)], { value: "0" }),
    read: Number,
  },
  time: {
    control: short,
    read: (value) => (/^\d/.test(value) ? (timeOf(value) ?? undefined) : undefined),
    form: ({ value }) => `minutes and seconds, as ${value || "1:30"}`,
  },
  whole: {
    control: short,
    read: (value) => (/^\d{1,4}$/.test(value) ? Number(value) : undefined),
    form: () => "a whole number",
  },
  text: { control: text, read: (value) => value },
  tiles: { control: (field) => ({ ...text(field), most: RACK }), read: (value) => value },
};

const RULE = { label: "By rule", more: true, most: 40 };

const control = (field, view) => ({
  ...KINDS[field.kind].control(field, view),
  ...(field.name === "rule" ? RULE : {}),
});

// The value of a field; null if it stands for none, undefined if it cannot be read.
function given(field, values) {
  const entered = (values[field.name] ?? "").trim();
  if (entered || field.kind === "tiles") return KINDS[field.kind].read(entered);
  return field.required ? undefined : null;
}

function eventOf({ type, fields }, values) {
  const event = { type };
  for (const field of fields) {
    const value = given(field, values);
    if (value === undefined) return null;
    if (value !== null || field.none) event[field.name] = value;
  }
  return event;
}

function lacking(fields) {
  const forms = fields.filter(({ kind }) => KINDS[kind].form);
  const lines = forms.map(
    (field) => `${field.label}: ${KINDS[field.kind].form(field)}${field.required ? "" : ", or empty"}.`,
  );
  return lines.join(" ") || undefined;
}

export function declaredDeeds({ view, options }) {
  return options.forms.map((form) => ({
    text: form.button,
    title: form.title,
    about: form.about,
    fields: [...form.fields.map((field) => control(field, view)), ...(form.earlier ? whenFields(view, turnText) : [])],
    lacking: lacking(form.fields),
    event: (values) => eventOf(form, values),
  }));
}
