// The choices of a dialog, one button each: the button shows what it would change, and enters it.
import { symbolOf } from "../spelling.js";
import { brief, NO_SCORE, newFlags, scoreChange, scoring } from "./brief.js";
import { fill, html, line } from "./dom.js";
import { sentence } from "./wording.js";

export class ChoiceList {
  // `what`: {layout: "list", "keys" or "pad", groups: {key: label}, shares: whether those of a group
  // change much the same}; `dialog`: enters one, and has all that one changes.
  constructor(what, dialog) {
    this.layout = what.layout ?? "list";
    this.groups = what.groups ?? {};
    this.shares = what.shares ?? false;
    this.dialog = dialog;
    this.newest = []; // the choices as they were shown last
    this.ticking = setInterval(() => this.tick(), 250); // until the dialog has another content
    this.box = html`<div
      class="choices"
      tabindex="-1"
      role="group"
      aria-label="Choices"
      aria-busy="true"
      data-layout=${this.layout}
      data-narrow=${what.narrow}
    ></div>`;
    this.box.typed = (key) => {
      const button = this.box.querySelector(
        `[data-choice="${CSS.escape(symbolOf(key).toUpperCase())}"]:not(:disabled)`,
      );
      button?.click();
      return button !== null;
    };
  }

  // What goes on changing while it is looked at: the time that a running clock would show.
  tick() {
    if (!this.box.isConnected && this.shown) clearInterval(this.ticking);
    this.shown ||= this.box.isConnected;
    for (const span of this.box.querySelectorAll(".brief.live")) {
      const text = span.live();
      if (span.textContent !== text) span.textContent = text;
    }
  }

  // The buttons before it is known what they change: what is below them stays in its place.
  sketch(choices) {
    fill(
      this.box,
      this.layout !== "list" &&
        line(this.layout === "keys" ? "common" : "soft small", "Working out what each changes …"),
      this.grouped(
        choices.map((one) => ({
          ...one,
          lines: one.live ? [] : [this.layout === "pad" ? "…" : "… → …"],
          whole: [],
          difference: { turns: [] },
        })),
        null,
      ),
    );
    this.wait();
    this.rests();
  }

  // It never gets lower while it is open.
  rests() {
    this.box.style.minHeight = `${Math.max(parseFloat(this.box.style.minHeight) || 0, this.box.offsetHeight)}px`;
  }

  wait() {
    this.box.setAttribute("aria-busy", "true");
    for (const button of this.box.querySelectorAll("button")) button.disabled = true;
  }

  lacks(why) {
    this.box.setAttribute("aria-busy", "false");
    this.box.replaceChildren(line("note", why));
  }

  // `answers`: what the server says of each choice, in the same order.
  show(choices, answers, view) {
    const had = this.box.contains(document.activeElement) || document.activeElement === document.body;
    const all = choices.map((choice, at) => ({ ...choice, ...answers[at] }));
    const drawn = new Set(this.newest.filter((one) => !one.refused).map(({ key }) => key));
    this.newest = all;
    const open = all.filter((one) => !one.refused);
    const stays = all.filter((one) => !one.refused || drawn.has(one.key)); // no button takes another's place
    const shut = all.filter((one) => !stays.includes(one));
    for (const one of stays) one.whole = one.lines = [sentence(one.refused ?? "")];
    for (const one of open)
      one.lines = one.empty && one.expects ? [one.expects] : brief(one.difference, view, one.empty);
    fill(
      this.box,
      this.shorten(open, view),
      this.grouped(stays, view),
      !open.length && line("note", shut.length ? sentence(shut[0].refused) : "There is nothing to choose."),
      open.length > 0 && shut.length > 0 && this.layout === "list" && closed(shut),
    );
    this.box.setAttribute("aria-busy", "false");
    this.rests();
    if (had) this.box.focus({ preventScroll: true });
  }

  // What all of them change is shown once, above them: returns what shows it.
  shorten(open, { players }) {
    const pad = this.layout === "pad";
    const sides = scoring(open);
    // On a pad, a small button marks what counts already.
    const fresh = pad ? open.filter((one) => !one.empty) : open;
    const common = this.layout === "list" ? [] : sharedLines(fresh);
    for (const one of open) {
      one.whole = one.lines;
      one.lines = one.lines.filter((line) => !common.includes(line));
      const flags = newFlags(one.difference).map(({ label }) => label);
      if (pad) one.lines = one.empty || one.lines.length ? [scoreChange(one, sides), ...flags] : [];
    }
    const stated = common.filter((line) => line !== NO_SCORE); // goes without saying, and a rack may still change it
    const above = stated.length ? [html`<b>Each of these: </b>`, stated.join("; ")] : "One press enters it.";
    const sums = pad && fresh.some(({ lines }) => lines.length);
    return [
      (common.length > 0 || this.layout === "keys") && html`<p class="common">${above}</p>`,
      sums &&
        sides.length > 0 &&
        html`<p class="soft small sums">
          Below each is the change of ${sides.map((side, at) => [at > 0 && " / ", html`<b>${players[side].name}</b>`])}
        </p>`,
    ];
  }

  // By group; those that are not likely, `rest`, behind a fold.
  grouped(choices, view) {
    const made = (some) => [...grouped(some)].map(([key, members]) => this.group(key, members, view));
    const rest = made(choices.filter((one) => one.rest));
    return [
      made(choices.filter((one) => !one.rest)),
      rest.length > 0 &&
        html`<details class="rest" open=${this.box.querySelector(".rest")?.open}>
          <summary>In another way</summary>
          <div class="choices" data-layout=${this.layout}>${rest}</div>
        </details>`,
    ];
  }

  group(key, members, view) {
    const label = this.groups[key];
    // What all of a group change stands below its heading.
    const known = view === null ? ["…"] : sharedLines(members);
    const shared = this.shares ? known : [];
    return html`<div class="group" role="group" aria-label=${label ?? null} data-group=${key}>
      ${label && html`<h3 aria-hidden="true">${label}</h3>`}
      ${this.shares && html`<p class="shared">${shared.join("; ")}</p>`}
      <div class="options">
        ${members.map((one) =>
          this.option({ ...one, lines: one.lines.filter((line) => !shared.includes(line)) }, label),
        )}
      </div>
      ${this.layout === "list" && members.map((one) => one.difference?.turns.length > 1 && this.everyTurn(one))}
    </div>`;
  }

  option(one, label) {
    const lines = one.lines.map((line) => short(line, label)).filter((line) => !(one.live && line.startsWith("→")));
    // A small button has no room for all that it changes.
    const whole = this.layout === "pad" && lines.length && !one.empty ? `${one.text}: ${one.whole.join("; ")}` : null;
    return html`<button
      type="button"
      disabled=${Boolean(one.refused)}
      class=${one.first ? "choice first" : "choice"}
      aria-label=${whole}
      title=${whole}
      data-choice=${one.key}
      onclick=${() => this.dialog.enterChoice(one)}
    >
      <b>${one.text}</b>
      ${one.says && html`<span class="says">${one.says}</span>`}
      ${one.rule && html`<span class="rule">Rule ${one.rule}</span>`}
      ${one.live && Object.assign(html`<span class="brief live">${one.live()}</span>`, { live: one.live })}
      ${lines.length > 0 && html`<span class="brief">${lines.join("; ")}</span>`}
    </button>`;
  }

  // Below all buttons; of one turn its button says it.
  everyTurn(one) {
    const details = html`<details><summary>${one.text}: every turn that changes</summary></details>`;
    details.addEventListener("toggle", async () => details.append(await this.dialog.effectOf(one)), { once: true });
    return details;
  }
}

// The lines that each of several choices has.
function sharedLines(choices) {
  if (choices.length < 2) return [];
  return choices[0].lines.filter((line) => choices.every(({ lines }) => lines.includes(line)));
}

function grouped(choices) {
  const groups = new Map();
  for (const one of choices) groups.set(one.group ?? "", [...(groups.get(one.group ?? "") ?? []), one]);
  return groups;
}

// In a player's own group the name and the time before go without saying.
function short(line, label) {
  const clock = `${label}’s clock `;
  if (line.startsWith(clock)) return line.slice(line.indexOf("→", clock.length)).replace(" ", "\u00a0");
  const score = line.startsWith(`${label} `) ? line.slice(label.length + 1) : "";
  return /^−?\d+ →/.test(score) ? score : line;
}

function closed(shut) {
  return html`<details class="shut">
    <summary>Not possible now (${shut.length})</summary>
    <ul>${shut.map((one) => html`<li>${one.text}: ${one.refused}</li>`)}</ul>
  </details>`;
}
