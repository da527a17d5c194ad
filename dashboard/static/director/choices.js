// The choices of a dialog, one button each: the button shows what it would change, and enters it.
import { symbolOf } from "../spelling.js";
import { brief, NO_SCORE, scoreChange } from "./brief.js";
import { line, make } from "./dom.js";
import { sentence } from "./wording.js";

export class ChoiceList {
  // `what`: {layout: "list", "keys" or "pad", groups: {key: label}, shares: whether those of a group change much the same}; `enter(choice)` enters one.
  constructor(what, enter) {
    this.layout = what.layout ?? "list";
    this.groups = what.groups ?? {};
    this.shares = what.shares ?? false;
    this.enter = enter;
    this.newest = []; // the choices as they were shown last
    this.ticking = setInterval(() => this.tick(), 250); // until the dialog has another content
    this.box = make("div", { className: "choices", tabindex: -1, role: "group", "aria-label": "Choices", "aria-busy": "true", data: { layout: this.layout, ...(what.narrow ? { narrow: "" } : {}) } });
    this.box.typed = (key) => {
      const button = this.box.querySelector(`[data-choice="${CSS.escape(symbolOf(key).toUpperCase())}"]:not(:disabled)`);
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
    const groups = grouped(choices.map((one) => ({ ...one, lines: one.live ? [] : [this.layout === "pad" ? "…" : "… → …"], whole: [], difference: { turns: [] } })));
    // A line above them only where one will be there: a list has none.
    const above = this.layout === "list" ? [] : [line(this.layout === "keys" ? "common" : "soft small", "Working out what each changes …")];
    this.box.replaceChildren(...above, ...[...groups].map(([key, members]) => this.group(key, members, null)));
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
    this.newest = all;
    const open = all.filter((one) => !one.refused);
    const shut = all.filter((one) => one.refused);
    for (const one of open) one.lines = one.empty && one.expects ? [one.expects] : brief(one.difference, view, one.empty);
    // What all of them change is shown once; on a pad, a small button marks what counts already.
    const fresh = this.layout === "pad" ? open.filter((one) => !one.empty) : open;
    const common = this.layout === "list" || fresh.length < 2 ? [] : fresh[0].lines.filter((line) => fresh.every(({ lines }) => lines.includes(line)));
    const stated = common.filter((line) => line !== NO_SCORE); // goes without saying, and a rack may still change it
    for (const one of open) {
      one.whole = one.lines;
      one.lines = one.lines.filter((line) => !common.includes(line));
      if (this.layout === "pad") one.lines = one.empty || one.lines.length ? [scoreChange(one.difference, one.empty)] : [];
    }
    const sums = this.layout === "pad" && fresh.some(({ lines }) => lines.length);
    const groups = grouped(open);
    this.box.replaceChildren(
      ...(common.length ? [make("p", { className: "common" }, ...(stated.length ? [make("b", { text: "Each of these: " }), stated.join("; ")] : ["One press enters it."]))] : []),
      ...(sums ? [line("soft small", "Below each is what it changes of the score.")] : []),
      ...[...groups].map(([key, members]) => this.group(key, members, view)),
      ...(open.length ? [] : [line("note", shut.length ? sentence(shut[0].refused) : "There is nothing to choose.")]),
      ...(open.length && shut.length && this.layout === "list" ? [closed(shut)] : []),
    );
    this.box.setAttribute("aria-busy", "false");
    this.rests();
    if (had) this.box.focus({ preventScroll: true });
  }

  group(key, members, view) {
    const label = this.groups[key];
    // What all of a group change stands below its heading.
    const shared = !this.shares ? [] : view === null ? ["…"] : members[0].lines.filter((line) => members.length > 1 && members.every(({ lines }) => lines.includes(line)));
    return make(
      "div",
      { className: "group", role: "group", "aria-label": label ?? null, data: { group: key } },
      label ? make("h3", { text: label, "aria-hidden": "true" }) : null,
      this.shares ? make("p", { className: "shared", text: shared.join("; ") }) : null,
      make("div", { className: "options" }, ...members.map((one) => this.option({ ...one, lines: one.lines.filter((line) => !shared.includes(line)) }, label, view))),
    );
  }

  option(one, label, view) {
    const lines = one.lines.map((line) => short(line, label)).filter((line) => !(one.live && line.startsWith("→")));
    // A small button has no room for all that it changes.
    const whole = this.layout === "pad" && lines.length && !one.empty ? `${one.text}: ${one.whole.join("; ")}` : null;
    const button = make(
      "button",
      { type: "button", className: one.first ? "choice first" : "choice", "aria-label": whole, title: whole, data: { choice: one.key }, onclick: () => this.enter(one) },
      make("b", { text: one.text }),
      one.says ? make("span", { className: "says", text: one.says }) : null,
      one.rule ? make("span", { className: "rule", text: `Rule ${one.rule}` }) : null,
      one.live ? Object.assign(make("span", { className: "brief live", text: one.live() }), { live: one.live }) : null,
      lines.length ? make("span", { className: "brief", text: lines.join("; ") }) : null,
    );
    if (this.layout !== "list" || !one.difference.turns.length) return button;
    return make("div", { className: "with-more" }, button, everyTurn(one, view));
  }
}

function everyTurn(one, view) {
  const details = make("details", {}, make("summary", { text: "Every turn that changes" }));
  details.addEventListener("toggle", async () => {
    const { effect } = await import("./effect.js");
    if (details.children.length < 2) details.append(effect(one.difference, view, one.empty));
  });
  return details;
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
  return make(
    "details",
    { className: "shut" },
    make("summary", { text: `Not possible now (${shut.length})` }),
    make("ul", {}, ...shut.map((one) => make("li", { text: `${one.text}: ${one.refused}` }))),
  );
}
