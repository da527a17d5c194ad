// Deeds whose form follows from the declaration of their event: `options.forms` has it, from game/events.
import { RACK } from "../spelling.js";
import { listed, picked, sideField, typed } from "./fields.js";
import { turnOptions, turnText } from "./rulings.js";
import { whenFields } from "./when.js";
import { SIDES, timeOf } from "./wording.js";

const text = ({ name, label, value, hint, required }) => typed(name, label, { value, hint, required, most: 80 });
const short = (field) => ({ ...text(field), most: 6 });

// Where nobody may be meant but somebody has to say so, nothing is chosen at first.
function side(field, view) {
  if (!field.none) return { ...sideField(view, field.label), name: field.name };
  const sides = SIDES.map((one) => [one, view.players[one].name]);
  const none = ["", field.words[""] ?? "nobody"];
  return field.stated
    ? picked(field.name, field.label, [...sides, none], { open: true })
    : listed(field.name, field.label, [none, ...sides], { value: "" });
}

// The newest turn first; none of them is the last choice of a form that has to have one.
function turn({ name, label, words, required }, view) {
  const turns = turnOptions(view.turns, view);
  if (!required) return listed(name, label, [["0", "no turn"], ...turns], { value: "0" });
  return listed(name, label, [...turns, ...Object.entries(words)], { wide: true });
}

// Each kind of field: its control, its value (undefined if the text cannot be read), and the form of that text.
const KINDS = {
  side: { control: side, read: (value) => value },
  pick: { control: ({ name, label, options }) => picked(name, label, options), read: (value) => value },
  yes_no: {
    control: ({ name, label, words }) => listed(name, label, Object.entries(words), { value: "" }),
    read: (value) => value === "yes",
  },
  turn: { control: turn, read: Number },
  time: {
    control: short,
    read: (value) => timeOf(value) ?? undefined,
    form: ({ value }) => `minutes and seconds, as ${value || "1:30"}`,
  },
  whole: {
    control: short,
    // Without a least number it is a change: 0 is none.
    read: (value, { least }) => {
      const number = /^[+−-]?\d{1,4}$/.test(value) ? Number(value.replace("−", "-")) : Number.NaN;
      return (least === null ? number : number >= least) ? number : undefined;
    },
    form: ({ least }) => `a whole number${least === null ? "" : `, ${least} or more`}`,
  },
  text: { control: text, read: (value) => value },
  tiles: { control: (field) => ({ ...text(field), most: RACK }), read: (value) => value },
};

const RULE = { label: "By rule", more: true, most: 40 };
const LONG = { wide: true, most: 400 };

// Of a value by side there is a field for each player.
const each = (field, of = (one) => one) =>
  SIDES.map((one) => ({
    ...field,
    name: `${field.name}_${one}`,
    label: `${field.label} of ${of(one)}`,
    required: false,
  }));

function controls(field, view) {
  if (field.by_side)
    return each({ ...field, by_side: false }, (one) => view.players[one].name).flatMap((one) => controls(one, view));
  return {
    ...KINDS[field.kind].control(field, view),
    ...(field.more ? { more: true } : {}),
    ...(field.name === "rule" ? RULE : {}),
    ...(field.name === "what" ? LONG : {}),
  };
}

// The value of a field; null if it stands for none, undefined if it cannot be read.
function given(field, values) {
  if (field.by_side) return bySide(each({ ...field, by_side: false }), values);
  const entered = (values[field.name] ?? "").trim();
  if (entered || field.kind === "tiles") return KINDS[field.kind].read(entered, field);
  return field.required ? undefined : null;
}

// Who has no value is left out.
function bySide(fields, values) {
  const found = fields.map((field, at) => [SIDES[at], given(field, values)]);
  if (found.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(found.filter(([, value]) => value !== null && value !== ""));
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
    (field) =>
      `${field.label}: ${KINDS[field.kind].form(field)}${field.required && !field.by_side ? "" : ", or empty"}.`,
  );
  return lines.join(" ") || undefined;
}

export function declaredDeeds({ view, options }) {
  const newest = { ...view, turns: view.turns.slice(-1) };
  return options.forms.map((form) => ({
    text: form.button,
    title: form.title,
    about: form.about,
    fields: [
      ...form.fields.flatMap((field) => controls(field, form.of_play ? newest : view)),
      ...(form.earlier ? whenFields(view, turnText) : []),
    ],
    lacking: lacking(form.fields),
    event: (values) => eventOf(form, values),
    hidden: !view.turns.length && form.fields.some(({ kind, required }) => kind === "turn" && required),
  }));
}
