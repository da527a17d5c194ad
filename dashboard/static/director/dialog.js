// Saying something: who, why, whatever else is asked, and what it would change before it is said.
import { account, Refused, tell } from "./api.js";
import { make } from "./dom.js";
import { effect } from "./effect.js";

const WAIT_MS = 250;

function control(field) {
  const id = `field-${field.name}`;
  // An empty choice in a list is an answer too.
  const required = field.required !== false && !field.options?.some(([value]) => value === "");
  const common = { id, name: field.name, required, "aria-describedby": field.hint ? `${id}-hint` : null };
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

// What stands in the record beside an event and changes nothing of what the event does.
const BESIDE = new Set(["by", "why"]);

export class Dialog {
  // `game()` gives the game that is shown: {id, path, view}. A dialog belongs to the one that was
  // shown when it was opened, whatever comes on the table meanwhile. `done(answer, game)` is told
  // afterwards.
  constructor(dialog, game, done) {
    this.dialog = dialog;
    this.game = game;
    this.done = done;
    this.about = null;
    this.asked = 0; // never from the start again: an answer to a form closed since would pass for this one's
    dialog.addEventListener("close", () => this.closed());
  }

  // what: {title, about, rule, fields, event(values) -> payload or null, why, deed}
  open(what) {
    this.what = what;
    this.begin();
    this.effect = null;
    this.refused = null;
    const fields = (what.fields ?? []).map(control);
    this.shown = make("div", { "aria-live": "polite" });
    this.button = make("button", { className: "button primary", text: what.deed ?? "Enter it", disabled: true });
    this.form = make(
      "form",
      { className: "form", method: "dialog", onsubmit: (event) => this.submit(event), oninput: (event) => this.changed(event) },
      make("h2", { id: "dialog-title", text: what.title }),
      this.moved,
      what.about ? make("p", { className: "soft", text: what.about }) : null,
      what.rule ? make("p", {}, make("span", { className: "rule", text: `Rule ${what.rule}` })) : null,
      fields.length ? make("div", { className: "two" }, ...fields) : null,
      make("div", { className: "two" }, control({ name: "by", label: "Who says so", value: account }), control({ name: "why", label: "Why", kind: "textarea", value: what.why ?? "" })),
      this.shown,
      make("div", { className: "buttons" }, this.fault, make("button", { className: "button", type: "button", text: "Cancel", onclick: () => this.dialog.close() }), this.button),
    );
    this.form.addEventListener("keydown", (event) => this.enter(event));
    what.ready?.(this.form);
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
    (this.form.querySelector("[autofocus], .two:first-of-type input, .two select, .two textarea") ?? this.button).focus();
    this.preview();
  }

  // A deed that changes no score: who and why, and it is done.
  // what: {title, about, why, deed, send({by, why}) -> promise, done()}
  confirm(what) {
    this.begin();
    this.asked += 1;
    this.button = make("button", { className: "button primary", text: what.deed });
    this.form = make(
      "form",
      {
        className: "form",
        method: "dialog",
        onsubmit: async (event) => {
          event.preventDefault();
          this.fault.hidden = true;
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
      this.moved,
      what.about ? make("p", { className: "soft", text: what.about }) : null,
      make("div", { className: "two" }, control({ name: "by", label: "Who says so", value: account }), control({ name: "why", label: "Why", value: what.why, most: 400 })),
      make("div", { className: "buttons" }, this.fault, make("button", { className: "button", type: "button", text: "Cancel", onclick: () => this.dialog.close() }), this.button),
    );
    this.dialog.replaceChildren(this.form);
    this.dialog.showModal();
    this.form.elements.why.select();
  }

  // Whatever kind of dialog it is: the game that it belongs to, and where it says what is wrong.
  begin() {
    this.from = document.activeElement;
    this.about = this.game();
    this.early = false; // whether the Enter key came before there was an effect to be seen
    this.reasonless = false; // whether what is said to be wrong is that nobody said why
    this.moved = make("p", { className: "note", role: "status", hidden: true });
    this.fault = make("p", { className: "fault", role: "alert", hidden: true });
  }

  // The page shows this view now: an open dialog says so where it belongs to another game.
  shows(view) {
    if (!this.dialog.open || this.about === null) return;
    if (this.about.id === view.game_id) {
      this.about.view = view;
      return;
    }
    const { left, right } = this.about.view.players;
    this.moved.textContent = `Another game is on the table by now. This is still about ${left.name} – ${right.name}.`;
    this.moved.hidden = false;
  }

  values() {
    return Object.fromEntries(new FormData(this.form));
  }

  // Who and why change nothing of the effect, so what was shown of it still holds.
  changed(event) {
    if (BESIDE.has(event.target.name)) {
      if (this.reasonless) this.fault.hidden = true;
      return;
    }
    this.fault.hidden = true;
    this.later();
  }

  later() {
    this.asked += 1; // an answer on its way is on what stood here before
    this.wait();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.preview(), WAIT_MS);
  }

  payload() {
    const values = this.values();
    const event = this.what.event(values);
    return event === null ? null : { event, by: values.by.trim(), why: values.why.trim() };
  }

  // Until what is in the form has an effect to be seen, it cannot be entered.
  wait() {
    this.effect = null;
    this.refused = null;
    this.button.disabled = true;
    this.shown.style.minHeight = `${this.shown.offsetHeight}px`; // what stands below stays in its place
    this.shown.replaceChildren(make("p", { className: "soft", text: "Working out what it changes …" }));
  }

  show(...what) {
    this.shown.style.minHeight = "";
    this.shown.replaceChildren(...what);
  }

  async preview() {
    const sent = ++this.asked;
    this.wait();
    const body = this.payload();
    if (body === null) {
      this.lacks("A field is empty, or cannot be read as it stands.");
      this.show();
      return;
    }
    const { path, view } = this.about;
    try {
      const answer = await tell(`${path}/preview`, body);
      if (sent !== this.asked || !this.dialog.open) return;
      if (answer.refused) {
        this.lacks(answer.refused);
        return;
      }
      this.effect = answer.effect;
      this.show(effect(answer.difference, view, answer.empty));
      this.button.disabled = false;
      if (this.early && this.fault.hidden) this.fail(new Refused(409, { error: "This is what it changes. Enter it once more to do it." }));
      this.early = false;
    } catch (error) {
      if (sent !== this.asked) return;
      this.show();
      this.button.disabled = false; // to try again
      this.fail(error);
    }
  }

  // It cannot be entered as it stands: the button says so too, and does not look dead.
  lacks(why) {
    this.refused = why;
    this.early = false;
    this.show(make("p", { className: "note", text: why }));
    this.button.disabled = false;
  }

  // A browser leaves the Enter key without an answer while the button is disabled.
  enter(event) {
    if (event.key === "Enter" && event.target.matches("input") && this.button.disabled) this.early = true;
  }

  async submit(event) {
    event.preventDefault();
    this.fault.hidden = true;
    const body = this.payload();
    if (this.button.disabled) return;
    if (this.refused !== null) {
      this.fail(new Refused(409, { error: this.refused }));
      return;
    }
    if (body === null || this.effect === null) {
      await this.preview();
      return;
    }
    if (this.unreasoned(body.why)) return;
    this.button.disabled = true;
    const { about } = this;
    try {
      const answer = await tell(`${about.path}/rule`, { ...body, effect: this.effect });
      this.dialog.close();
      this.done(answer, about);
    } catch (error) {
      this.fail(error);
      // The new effect is shown below what was said, which stays until something is done about it.
      if (error.stale) await this.preview();
      else this.button.disabled = false;
    }
  }

  // Asks for the reason where there is none.
  unreasoned(why) {
    if (why.trim()) return false;
    this.fail(new Refused(400, { error: "Say why: it stands in the record for good." }));
    this.reasonless = true;
    this.form.elements.why.focus();
    return true;
  }

  fail(error) {
    this.fault.textContent = error instanceof Refused ? error.message : "The table cannot be reached; try again.";
    this.fault.hidden = false;
    this.reasonless = false;
  }

  closed() {
    clearTimeout(this.timer);
    this.asked += 1;
    if (this.from?.isConnected) this.from.focus();
  }
}
