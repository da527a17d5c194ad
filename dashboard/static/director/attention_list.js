// The list of everything that waits for a director, and of older flags below it.
import { card, flagged } from "./attention.js";
import { $ } from "./dom.js";

const SETTLES_MS = 700; // a second tap comes sooner
const TOUCHED = matchMedia("(hover: none)"); // a mouse keeps what it points at in its place (steady.js)

const LEVELS = ["trouble", "question", "flag"];

export class AttentionList {
  constructor() {
    this.holder = $("#attention");
    this.drawn = "";
    this.settling = null; // the timer until cards that an answer moved take clicks again
    // The next card comes up under the finger that answered the last: a double tap must not answer both.
    this.holder.addEventListener(
      "click",
      (event) => {
        const tapped = event.detail > 0; // and no key
        if (tapped && (event.detail > 1 || "moved" in this.holder.dataset)) event.stopImmediatePropagation();
      },
      { capture: true },
    );
  }

  // `how`: what a card can do, see `card`.
  draw(record, how) {
    const found = flagged(record.view, record.concerns);
    const { game_id: id, players, status, suggestions, no_result: noResult } = record.view;
    const key = JSON.stringify([
      id,
      found,
      record.crops,
      record.guesses,
      suggestions ?? null,
      players,
      status,
      noResult,
      record.signed,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.holder.contains(document.activeElement) ? document.activeElement : null;
    const within = focused?.closest("[data-key]")?.dataset.key ?? null;
    const offer = focused?.dataset.offer ?? null;
    const keys = [...this.holder.querySelectorAll("[data-key]")].map((one) => one.dataset.key);
    const notes = found.filter(({ concern }) => concern.level === "note");
    const before = this.places();
    const items = found.filter(({ concern }) => concern.level !== "note").map((one) => card(one, record, how));
    const place = ({ dataset: { level, row } }) => 1e3 * LEVELS.indexOf(level) + (before.get(row) ?? 999);
    items.sort((one, other) => place(one) - place(other)); // a new one comes below those of its level
    this.holder.replaceChildren(...items);
    if (this.settling !== null) this.restSoon();
    else if (TOUCHED.matches && this.movedSince(before)) {
      this.answering();
      this.restSoon();
    }
    this.drawNone(items.length, record);
    $("#notes").hidden = notes.length === 0;
    $("#notes-count").textContent = notes.length === 1 ? "1 note" : `${notes.length} notes`;
    $("#notes-list").replaceChildren(...notes.map((one) => card(one, record, how)));
    if (focused !== null) this.refocus(within, offer, keys);
  }

  // Where no card is: that nothing is open, and whether the result waits to be signed.
  drawNone(many, { view: { status, no_result: noResult }, signed }) {
    const over = status === "ended";
    const toSign = over && !noResult && signed === null;
    $("#attention-none").hidden = many > 0 || (over && !toSign);
    $("#attention-none").textContent = toSign
      ? "No question is open. The result waits to be signed."
      : "No question or flag is open.";
    $("#attention-count").textContent = many || (toSign ? 1 : 0); // to sign is something, too
  }

  places() {
    return new Map([...this.holder.children].map((box, place) => [box.dataset.row, place]));
  }

  // Whether a new card has pushed others from under a finger.
  movedSince(before) {
    return [...this.places()].some(([row, place]) => before.has(row) && before.get(row) !== place);
  }

  // After a redraw the focus is where it was, or on the next question, or on the heading.
  refocus(within, offer, keys) {
    if (within !== null) {
      const next = [within, ...keys.slice(keys.indexOf(within) + 1), ...keys.slice(0, keys.indexOf(within))];
      const found = next.map((key) => this.holder.querySelector(`[data-key="${CSS.escape(key)}"]`)).find(Boolean);
      if (found) {
        found.focus();
        return;
      }
    }
    const same = offer === null ? null : this.holder.querySelector(`[data-offer="${CSS.escape(offer)}"]`);
    (same ?? this.holder.querySelector(".asker") ?? $("#attention-title")).focus();
  }

  // The cards move, as when an answer is given, and take no tap until they have come to rest. The
  // event may come back and move them before the request has its answer.
  answering() {
    clearTimeout(this.settling);
    this.settling = null;
    this.holder.dataset.moved = "";
  }

  restSoon() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.settling = null;
      delete this.holder.dataset.moved;
    }, SETTLES_MS);
  }
}
