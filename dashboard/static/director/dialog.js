// Entering something: what it would change before it is entered, why, and whatever else is asked.
// Its button enters that, or each of a few choices does.
import { account, ask, Refused, tell, toLogIn } from "./api.js";
import { newFlags } from "./brief.js";
import { ChoiceList } from "./choices.js";
import { button, drawn, fill, html, line } from "./dom.js";
import { Edits } from "./edits.js";
import { attribution, control, decider, keepTyped, reason } from "./fields.js";
import { place, restore } from "./focus.js";
import { typing } from "./pad.js";
import { SIDES, sentence } from "./wording.js";

const WAIT_MS = 250;

// What stands in the record beside an event and changes nothing of what the event does.
const BESIDE = new Set(["by", "why"]);

// Points and time could be entered once more unseen.
const OF_TURNS = new Set(["TurnRuled", "SquareCorrected", "BlankDesignated"]);

// What is typed takes the place of what a field had ready; a long text shows its start.
function selectFocused() {
  const { activeElement: field } = document;
  if (!field.matches("[type=text]")) return;
  field.setSelectionRange(0, field.value.length, "backward");
  field.scrollLeft = 0;
}

// What a choice does itself, without the turns played meanwhile.
function essence({ difference, refused }, flagged) {
  if (!difference) return refused;
  const {
    scores: { left, right },
    squares,
    facts,
  } = difference;
  const flags = flagged && newFlags(difference).map(({ code }) => code);
  return JSON.stringify([left[1] - left[0], right[1] - right[0], squares, flags, facts.status, facts.outcome?.[1]]);
}

// The button that enters what a dialog is about, once its effect is known.
function entering({ warning, deed = "Enter it" }) {
  return html`<button class=${warning ? "button" : "button primary"} disabled>${deed}</button>`;
}

export class Dialog {
  // `game()` gives the game that is shown: {id, path, view}. A dialog belongs to the one that was
  // shown when it was opened, whatever comes on the table meanwhile. `done(answer, game, words)` is called
  // afterwards, with what was entered in a few words. `stop(game)` stops the clock of that game, if it can.
  constructor(dialog, game, done, stop = () => null) {
    this.dialog = dialog;
    this.game = game;
    this.done = done;
    this.stop = stop;
    this.about = null;
    this.asked = 0; // never from the start again: an answer to a form closed since would pass for this one's
    dialog.addEventListener("close", () => this.closed());
    keepTyped(dialog);
  }

  // what: {title, result, ended, warning, about, rule, fields, event(values) -> payload or null, why, deed,
  // lacking}, or with choices(values) -> [{key, text, why, event, group}] or null in place of `event`. A field with
  // `more` is folded away. `picture`: of what is asked about; `tiles`: [{square, text, go}], each a button that
  // leads to another dialog. `play(values)`: the turn whose play the server draws. `follows(record)`: it has changed;
  // true if what is shown is to be worked out anew.
  open(what) {
    this.what = what;
    this.begin();
    this.effect = null;
    const asked = (what.fields ?? []).filter(Boolean);
    const fields = asked.filter((field) => !field.more).map(control);
    const more = asked.filter((field) => field.more).map(control);
    if (what.choices) {
      fields.push(reason());
      more.push(decider(account));
    }
    this.shown = html`<div class=${what.choices ? "" : "foreseen"} aria-live="polite"></div>`;
    this.look = html`<div class="look"></div>`; // the play that is ruled on
    this.choices = what.choices ? new ChoiceList(what, this) : null;
    this.button = what.choices ? null : entering(what);
    this.fill(what.title, (event) => this.submit(event), this.content(what, fields, more));
    this.form.addEventListener("keydown", (event) => this.enter(event));
    this.form.addEventListener("pointerdown", (event) => this.press(event));
    typing(this.form);
    for (const field of [...fields, ...more]) field.ready?.(this.form);
    this.focusFirst();
    what.ready?.(this.form, this.newer);
    selectFocused();
    this.choices?.sketch(what.choices(this.values()) ?? []);
    this.dialog.scrollTop = 0; // its title comes first, wherever the focus is
    this.preview();
  }

  content(what, fields, more) {
    return [
      line("result", what.result),
      line("", what.ended),
      line("note", what.warning),
      line("soft", what.about),
      what.rule && html`<p><span class="rule">Rule ${what.rule}</span></p>`,
      what.tiles?.length > 0 && this.tiles(what.tiles),
      (fields.length > 0 || what.picture) &&
        html`<div class=${what.picture ? "fields seen" : "fields"}>${what.picture}${fields}</div>`,
      what.play && this.look,
      this.choices?.box,
      this.shown,
      !what.choices && attribution(account, what.why),
      more.length > 0 &&
        html`<details><summary>${what.folded ?? "More"}</summary><div class="fields">${more}</div></details>`,
      this.buttons(what.other, this.button, what.dismiss),
    ];
  }

  focusFirst() {
    const field = "[autofocus], .fields:not(.because) :is(input:not([type=hidden]), select)";
    const first = this.choices?.box ?? this.form.querySelector(field) ?? this.button;
    first.focus({ preventScroll: true });
  }

  // A deed that changes no score: who and why, and it is done.
  // what: {title, about, deed, send({by, why}, despite) -> promise, done(), despite: the deed
  // where it was refused, and may be done all the same, gone(view): why it can no longer be done}
  confirm(what) {
    this.begin();
    this.choices = null;
    this.what = null;
    this.confirming = what;
    this.despite = false;
    this.asked += 1;
    this.button = html`<button class="button primary">${what.deed}</button>`;
    this.fill(
      what.title,
      (event) => this.send(event, what),
      line("soft", what.about),
      attribution(account),
      this.buttons(null, this.button),
    );
    this.button.focus();
  }

  fill(title, onsubmit, ...content) {
    this.form = html`<form class="form" method="dialog" onsubmit=${onsubmit} onchange=${(event) => this.leave(event)}>
      <h2 id="dialog-title">${title}</h2>
      ${this.whose}
      ${content}
    </form>`;
    this.edits = new Edits(this.form, (names) => this.changed(names));
    this.dialog.replaceChildren(this.newer, this.form);
    this.dialog.showModal();
  }

  async send(event, what) {
    event.preventDefault();
    this.fault.hidden = true;
    const { by, why } = this.values();
    const { button } = this; // the next dialog has its own
    button.disabled = true;
    this.confirming = null; // what comes of it is no reason against it
    try {
      await what.send({ by: by.trim(), why: why.trim() }, this.despite);
      this.dialog.close();
      await what.done();
    } catch (error) {
      this.fail(error);
      this.confirming = what;
      this.despite = error.despite && what.despite;
      button.textContent = this.despite ? what.despite : what.deed;
      button.classList.toggle("primary", !this.despite); // to pass over a warning is not the main thing
    }
    button.disabled = false;
  }

  tiles(those) {
    const leave = (one) => {
      this.dialog.close();
      one.go();
    };
    const keys = those.map(
      (one) =>
        html`<button
          type="button"
          class="key"
          aria-label="${one.text} on ${one.square}: correct it"
          data-tile=${one.square}
          onclick=${() => leave(one)}
        >
          <b>${one.text}</b>
          <span>${one.square}</span>
        </button>`,
    );
    return html`<div class="tiles" role="group" aria-label="A tile of the play was read wrong">
      <span>Correct a tile:</span>
      ${keys}
    </div>`;
  }

  // What stays in sight: `enter` is the button that enters it.
  buttons(other, enter, dismiss = "Cancel") {
    const cancel = button(dismiss, () => this.dialog.close());
    const instead = () => {
      this.dialog.close();
      other.go();
    };
    return html`<div class="buttons">
      ${this.fault}
      ${other && button(other.text, instead, { class: "button plain" })}
      ${cancel}
      ${enter}
    </div>`;
  }

  // What every kind of dialog has.
  begin() {
    this.from = place(document.activeElement);
    this.about = this.game();
    this.confirming = null; // what a dialog is to confirm
    this.refused = null; // why it cannot be entered as it stands
    this.left = false; // whether a field has been left since something was typed
    this.gone = false; // whether that cannot be done any more
    this.early = false; // whether the Enter key came before there was an effect to be seen
    const {
      clocks,
      status,
      players: { left, right },
    } = this.about.view;
    this.stood = status === "running" && clocks?.running === null;
    this.whose = html`<p class="whose">${left.name} – ${right.name}</p>`;
    // Over the head: in between it would move the buttons.
    this.newer = html`<div class="newer" role="status"></div>`;
    this.fault = html`<p class="fault" role="alert" hidden></p>`;
  }

  // The page shows this now.
  shows(view, record) {
    if (!this.dialog.open || this.about === null) return;
    if (this.about.id === view.game_id) {
      const sums = ({ players, turns }) => `${SIDES.map((side) => players[side].score)} ${turns.length}`;
      const before = sums(this.about.view);
      this.about.view = view;
      if (!view.clocks?.running) this.fault.querySelector("[data-stops]")?.remove(); // it stands by now
      if (this.stood && view.clocks?.running)
        this.moved(`The clock runs again: ${view.players[view.clocks.running].name} is on turn.`);
      this.overtaken(view);
      if (this.what?.follows?.(record)) this.later();
      if (this.what?.renews && sums(view) !== before) this.previewChoices(++this.asked);
      return;
    }
    const { left, right } = this.about.view.players;
    this.moved(`No longer on the table: ${left.name} – ${right.name}`);
  }

  // The page has learnt that the session has ended.
  ended(error) {
    if (this.dialog.open && (this.fault.hidden || !this.fault.querySelector("a"))) this.fail(error);
  }

  moved(text) {
    this.stood = false;
    fill(this.newer, line("", text));
  }

  // What was to be confirmed may have been done at the table meanwhile: it says so until that has passed.
  overtaken(view) {
    const gone = this.confirming?.gone?.(view) ?? null;
    if (gone === null && !this.gone) return;
    this.gone = gone !== null;
    this.button.disabled = this.gone;
    this.fault.textContent = gone ?? "";
    this.fault.hidden = !this.gone;
  }

  values() {
    return Object.fromEntries(new FormData(this.form));
  }

  // Who and why change nothing of the effect, so what was shown of it still holds.
  changed(names) {
    if ([...names].every((name) => BESIDE.has(name))) return;
    this.fault.hidden = true;
    this.left = false;
    this.later();
  }

  // What cannot be read is said once its field is left, and not while others are still to be filled in.
  leave({ target }) {
    this.left =
      target.matches("[type=text]") && [...this.form.querySelectorAll("input:invalid")].every((one) => one === target);
    if (this.left && this.refused !== null) this.lacks(this.refused);
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
    const at = this.what.fields?.find((field) => field.read)?.read(values);
    if (event === null || at === null) return null;
    return { event, by: values.by.trim(), why: values.why.trim(), happened_ns: at || undefined };
  }

  // Until what is in the form has an effect to be seen, it cannot be entered.
  wait() {
    if (this.choices) {
      this.choices.wait();
      return;
    }
    this.effect = null;
    this.refused = null;
    this.button.disabled = true;
    this.shown.style.minHeight = `${this.shown.offsetHeight}px`; // what stands below stays in its place
    this.shown.replaceChildren(line("soft", "Working out what it changes …"));
  }

  show(...what) {
    this.shown.style.minHeight = "";
    this.shown.replaceChildren(...what);
  }

  async preview() {
    const sent = ++this.asked;
    this.edits.settle();
    this.wait();
    if (this.choices) {
      await this.previewChoices(sent);
      return;
    }
    const open = this.form.querySelector(".pick:has([type=radio]):not(:has(:checked)) legend");
    if (open) {
      this.lacks(`Choose one under “${open.textContent}”.`, "soft");
      return;
    }
    const body = this.payload();
    if (body === null) {
      this.lacks(this.what.lacking ?? "A field is empty, or cannot be read as it stands.");
      if (!this.left) this.show();
      return;
    }
    await this.previewEvent(body, sent);
  }

  async effectOf({ event }) {
    const { html: found, refused } = await tell(`${this.about.path}/preview`, { event });
    return refused ? line("fault", refused) : drawn(found);
  }

  async previewEvent(body, sent) {
    const { path } = this.about;
    try {
      const answer = await tell(`${path}/preview`, body);
      if (sent !== this.asked || !this.dialog.open) return;
      if (answer.refused) {
        this.lacks(answer.refused);
        return;
      }
      this.effect = answer.effect;
      this.show(answer.empty && (this.what.result || this.what.quiet) ? "" : drawn(answer.html));
      this.button.disabled = false;
      if (this.early && this.fault.hidden) this.inform("This is what it changes. Enter it once more to do it.");
      this.early = false;
    } catch (error) {
      if (sent !== this.asked) return;
      this.show();
      this.button.disabled = false; // to try again
      this.fail(error);
    }
  }

  async previewChoices(sent) {
    this.edits.settle();
    const found = this.what.choices(this.values());
    if (found === null) {
      this.choices.lacks(this.what.lacking ?? "A field cannot be read as it stands.");
      return;
    }
    const { path, view } = this.about;
    try {
      const play = this.what.play?.(this.values());
      const [{ answers }, shown] = await Promise.all([
        tell(`${path}/preview`, { events: found.map(({ event }) => event) }),
        play && ask(`${path}/turns/${play}/play`),
      ]);
      if (sent !== this.asked || !this.dialog.open) return;
      if (shown) this.look.replaceChildren(drawn(shown.html));
      fill(this.shown, ...this.look.querySelectorAll(".late")); // it may grow
      this.choices.show(found, answers, view);
      // Once is enough.
      if (this.choices.box.querySelector(".note")?.textContent === this.fault.textContent) this.fault.hidden = true;
    } catch (error) {
      if (sent !== this.asked) return;
      this.fail(error);
      this.timer = setTimeout(() => this.dialog.open && this.preview(), 8 * WAIT_MS); // or no button works
    }
  }

  // It cannot be entered as it stands: the button says so too, and does not look dead.
  lacks(why, as = "note") {
    this.refused = sentence(why);
    this.early = false;
    this.show(line(as, this.refused));
    this.button.disabled = false;
  }

  // A browser leaves the Enter key without an answer while the button is disabled.
  enter(event) {
    if (event.key === "Enter" && event.target.matches("input") && this.button?.disabled) this.early = true;
  }

  // Nor a press: until it is taken, it came too early.
  press({ clientX: x, clientY: y }) {
    const { left, right, top, bottom } = this.button?.getBoundingClientRect() ?? {};
    if (x > left && x < right && y > top && y < bottom) this.early = true;
  }

  async submit(event) {
    event.preventDefault();
    this.early = false;
    if (this.choices) return; // the Enter key in a field: nothing is chosen yet
    this.fault.hidden = true;
    if (this.button.disabled || this.unseen()) return;
    if (this.refused !== null) {
      this.show();
      this.say(this.refused);
      return;
    }
    const body = this.payload();
    if (body === null || this.effect === null) {
      await this.preview();
      return;
    }
    this.button.disabled = true;
    if (!(await this.rule({ ...body, effect: this.effect }))) this.button.disabled = false;
  }

  // True if the form holds something else than is shown; that is shown first.
  unseen() {
    const before = this.asked;
    this.edits.notice();
    if (before === this.asked) return false;
    this.inform("A field has changed. Look at what it changes now, then enter it.");
    return true;
  }

  // Where the game has gone on meanwhile and the choice changes the same as was shown, it holds.
  async enterChoice({ key, text, told = "", event, why = "", effect: name, difference, refused }) {
    if (this.unseen()) return;
    const values = this.values();
    this.fault.hidden = true;
    this.choices.wait();
    const body = { event, by: values.by.trim(), why: values.why.trim() || why, effect: name };
    if (await this.rule(body, text, told)) return;
    await this.preview();
    const again = this.choices.newest.find((one) => one.key === key);
    const flagged = this.choices.layout !== "pad";
    const same = () => essence(again, flagged) === essence({ difference, refused }, flagged);
    if (!this.stale || !again || !OF_TURNS.has(event.type) || !same()) return;
    await this.rule({ ...body, effect: again.effect }, text, told);
  }

  // Enter it; true if it was, or if its new effect is shown below what was entered.
  async rule(body, words = this.what.title, told = "") {
    const { about } = this;
    try {
      const answer = await tell(`${about.path}/rule`, body);
      this.dialog.close();
      this.done({ ...answer, text: answer.text && answer.text + told }, about, words);
      return true;
    } catch (error) {
      this.fail(error);
      this.stale = error.stale;
      if (this.stale) this.offerStop(about);
      if (!error.stale || this.choices) return false;
      await this.preview();
      return true;
    }
  }

  // While the clock runs, turns may overtake every try.
  offerStop(about) {
    const stop = this.stop(about);
    if (stop === null) return;
    const stopped = async () => {
      try {
        await stop();
        await this.preview();
        if (this.fault.isConnected) this.inform("The clock stands. Look at what it changes now, then enter it.");
      } catch (error) {
        this.fail(error);
      }
    };
    this.fault.append(" ", button("Stop the clock", stopped, { class: "button small", "data-stops": true }));
  }

  inform(text) {
    this.say(text);
    this.fault.classList.add("information");
  }

  fail(error) {
    this.say(error instanceof Refused ? sentence(error.message) : "The table cannot be reached; try again.");
    if (error.status === 401) this.fault.append(" ", html`<a class="button small" href=${toLogIn()}>Log in</a>`);
  }

  say(text) {
    this.fault.classList.remove("information");
    this.fault.textContent = text;
    this.fault.hidden = false;
  }

  closed() {
    if (this.dialog.open) return; // one led to the next, and that is open already
    clearTimeout(this.timer);
    this.asked += 1;
    restore(this.from);
  }
}
