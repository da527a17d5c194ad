// Saying something: who, why, whatever else is asked, and what it would change before it is said.
import { account, Refused, tell } from "./api.js";
import { make } from "./dom.js";
import { effect } from "./effect.js";

const WAIT_MS = 250;

function control(field) {
  const id = `field-${field.name}`;
  const common = { id, name: field.name, required: field.required !== false, "aria-describedby": field.hint ? `${id}-hint` : null };
  let input;
  if (field.kind === "select") {
    input = make("select", common, ...field.options.map(([value, text]) => make("option", { value, text, selected: value === field.value })));
  } else if (field.kind === "textarea") {
    input = make("textarea", { ...common, rows: 2, maxlength: 400 });
    input.value = field.value ?? "";
  } else {
    input = make("input", { ...common, type: field.kind ?? "text", maxlength: field.most ?? 80, min: field.min, max: field.max, autocomplete: "off", pattern: field.pattern });
    input.value = field.value ?? "";
  }
  const label = make("label", { for: id }, field.label, input);
  if (field.hint) label.append(make("span", { className: "hint", id: `${id}-hint`, text: field.hint }));
  return label;
}

export class Dialog {
  // `game()` gives the address of the game and its view; `done(answer, text)` is told afterwards.
  constructor(dialog, game, done) {
    this.dialog = dialog;
    this.game = game;
    this.done = done;
    this.asked = 0; // never from the start again: an answer to a form closed since would pass for this one's
    dialog.addEventListener("close", () => this.closed());
  }

  // what: {title, about, rule, fields, event(values) -> payload or null, why, deed}
  open(what) {
    this.what = what;
    this.from = document.activeElement;
    this.effect = null;
    const fields = (what.fields ?? []).map(control);
    this.shown = make("div", { "aria-live": "polite" });
    this.fault = make("p", { className: "fault", role: "alert", hidden: true });
    this.button = make("button", { className: "button primary", text: what.deed ?? "Enter it", disabled: true });
    this.form = make(
      "form",
      { className: "form", method: "dialog", onsubmit: (event) => this.submit(event), oninput: () => this.later() },
      make("h2", { id: "dialog-title", text: what.title }),
      what.about ? make("p", { className: "soft", text: what.about }) : null,
      what.rule ? make("p", {}, make("span", { className: "rule", text: `Rule ${what.rule}` })) : null,
      fields.length ? make("div", { className: "two" }, ...fields) : null,
      make("div", { className: "two" }, control({ name: "by", label: "Who says so", value: account }), control({ name: "why", label: "Why", kind: "textarea", value: what.why ?? "" })),
      this.shown,
      this.fault,
      make("div", { className: "buttons" }, make("button", { className: "button", type: "button", text: "Cancel", onclick: () => this.dialog.close() }), this.button),
    );
    what.ready?.(this.form);
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
    (this.form.querySelector("[autofocus], .two:first-of-type input, .two select, .two textarea") ?? this.button).focus();
    this.preview();
  }

  // A deed that changes no score: who and why, and it is done.
  // what: {title, about, why, deed, send({by, why}) -> promise, done()}
  confirm(what) {
    this.from = document.activeElement;
    this.asked += 1;
    this.fault = make("p", { className: "fault", role: "alert", hidden: true });
    this.button = make("button", { className: "button primary", text: what.deed });
    this.form = make(
      "form",
      {
        className: "form",
        method: "dialog",
        onsubmit: async (event) => {
          event.preventDefault();
          const { by, why } = this.values();
          if (this.unreasoned(why)) return;
          this.button.disabled = true;
          try {
            await what.send({ by: by.trim(), why: why.trim() });
            this.dialog.close();
            await what.done();
          } catch (error) {
            this.fail(error);
          }
          this.button.disabled = false;
        },
      },
      make("h2", { id: "dialog-title", text: what.title }),
      what.about ? make("p", { className: "soft", text: what.about }) : null,
      make("div", { className: "two" }, control({ name: "by", label: "Who says so", value: account }), control({ name: "why", label: "Why", value: what.why, most: 400 })),
      this.fault,
      make("div", { className: "buttons" }, make("button", { className: "button", type: "button", text: "Cancel", onclick: () => this.dialog.close() }), this.button),
    );
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
    this.form.elements.why.select();
  }

  values() {
    return Object.fromEntries(new FormData(this.form));
  }

  later() {
    this.asked += 1; // an answer on its way is on what stood here before
    this.effect = null;
    this.button.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.preview(), WAIT_MS);
  }

  payload() {
    const values = this.values();
    const event = this.what.event(values);
    return event === null ? null : { event, by: values.by.trim(), why: values.why.trim() };
  }

  async preview() {
    const sent = ++this.asked;
    const body = this.payload();
    if (body === null) {
      this.shown.replaceChildren();
      return;
    }
    const { path, view } = this.game();
    try {
      const answer = await tell(`${path}/preview`, body);
      if (sent !== this.asked || !this.dialog.open) return;
      if (answer.refused) {
        this.shown.replaceChildren(make("p", { className: "note", text: answer.refused }));
        return;
      }
      this.effect = answer.effect;
      this.shown.replaceChildren(effect(answer.difference, view, answer.empty));
      this.button.disabled = false;
      this.fault.hidden = true;
    } catch (error) {
      if (sent === this.asked) this.fail(error);
    }
  }

  async submit(event) {
    event.preventDefault();
    const body = this.payload();
    if (body === null || this.button.disabled || this.effect === null) return;
    if (this.unreasoned(body.why)) return;
    this.button.disabled = true;
    try {
      const answer = await tell(`${this.game().path}/rule`, { ...body, effect: this.effect });
      this.dialog.close();
      this.done(answer);
    } catch (error) {
      this.fail(error);
      if (error.stale) await this.preview();
      else this.button.disabled = false;
    }
  }

  // Asks for the reason where there is none.
  unreasoned(why) {
    if (why.trim()) return false;
    this.fail(new Refused(400, { error: "Say why: it stands in the record for good." }));
    this.form.elements.why.focus();
    return true;
  }

  fail(error) {
    this.fault.textContent = error instanceof Refused ? error.message : "The table cannot be reached; try again.";
    this.fault.hidden = false;
  }

  closed() {
    clearTimeout(this.timer);
    this.asked += 1;
    if (this.from?.isConnected) this.from.focus();
  }
}
