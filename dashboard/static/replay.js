// Walking back through a game: the view as it would have been after an earlier turn, worked out
// from the turns of the newest one; and the slider with which to do it.
import { rowsAfter } from "./rows.js";
import { gettext } from "./texts.js";
import { letters, printed } from "./words.js";

export function totals(view, turns, adjustments) {
  const now = { left: 0, right: 0 };
  let next = 0;
  const settle = (number) => {
    while (next < adjustments.length && adjustments[next].after_turn <= number) {
      now[adjustments[next].side] = adjustments[next].total;
      next += 1;
    }
  };
  settle(0);
  for (const turn of turns) {
    now[turn.side] = turn.total;
    settle(turn.number);
  }
  return Object.fromEntries(Object.entries(view.players).map(([side, { name }]) => [side, { name, score: now[side] }]));
}

// What both clocks showed at the end of turn `number`; undefined where that is not known.
function clocksThen(view, number) {
  const remaining_ns = {};
  for (const side of ["left", "right"]) {
    const own = view.turns.filter((turn) => turn.side === side && turn.used_ns !== undefined);
    const last = own.filter((turn) => turn.number <= number).at(-1);
    if (last) remaining_ns[side] = last.clock_ns;
    else if (own.length) remaining_ns[side] = own[0].clock_ns + own[0].used_ns;
    else if (view.clocks?.running !== side) remaining_ns[side] = view.clocks?.remaining_ns[side]; // it has not run yet
    if (remaining_ns[side] === undefined) return undefined;
  }
  return { running: null, since_ns: null, remaining_ns };
}

// The view after turn `number`; 0 is the empty board. Whose turn it is is not shown.
export function after(view, number) {
  const turns = view.turns.slice(0, number);
  const adjustments = (view.adjustments ?? []).filter((line) => line.after_turn <= number);
  const past = {
    ...view,
    turns,
    adjustments,
    rows: rowsAfter(turns),
    last: Object.keys(turns.at(-1)?.tiles ?? {}),
    players: totals(view, turns, adjustments),
    bag_count: turns.at(-1)?.bag_count ?? (view.tile_set.total ?? 100) - 14,
    status: "past",
    on_turn: null,
    clocks: view.clocks === null ? null : clocksThen(view, number),
  };
  if (view.unseen) past.unseen = unseenThen(view, past.rows);
  return past;
}

// What is unseen now and what was laid since is what was unseen then.
function unseenThen(view, rows) {
  const unseen = { ...view.unseen };
  const count = (symbol, by) => {
    if (symbol === "." || symbol === "#" || symbol === "~") return;
    const tile = symbol in view.tile_set.values ? symbol : "?";
    unseen[tile] = (unseen[tile] ?? 0) + by;
  };
  for (const symbol of view.rows.join("")) count(symbol, 1);
  for (const symbol of rows.join("")) count(symbol, -1);
  return unseen;
}

// The turn that the address names: #turn=12.
function asked() {
  const found = /^#turn=(\d{1,4})$/.exec(location.hash);
  return found ? Number(found[1]) : null;
}

export class Walk {
  // `onMove` is called whenever another moment is to be shown.
  constructor(root, onMove) {
    this.slider = root.querySelector("input");
    this.back = root.querySelector(".back");
    this.forth = root.querySelector(".forth");
    this.now = root.querySelector(".now");
    this.where = root.querySelector(".where");
    this.at = null; // the turn after which the board is shown; null: live
    this.view = null;
    this.onMove = onMove;
    for (const type of ["input", "change"])
      this.slider.addEventListener(type, () => this.go(Number(this.slider.value)));
    this.back.addEventListener("click", () => this.go((this.at ?? this.count()) - 1));
    this.forth.addEventListener("click", () => this.go((this.at ?? this.count()) + 1));
    this.now.addEventListener("click", () => this.go(this.count()));
    this.wanted = asked(); // by the address, until the game has come so far
    addEventListener("hashchange", () => {
      this.wanted = asked();
      if (this.wanted !== null) this.go(this.wanted);
    });
    addEventListener("keydown", (event) => this.key(event));
  }

  // The arrow keys walk anywhere on the page but where they have a meaning of their own.
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, textarea, select, dialog, [role=grid]")) return;
    event.preventDefault();
    this.go((this.at ?? this.count()) + step);
  }

  count() {
    return this.view?.turns.length ?? 0;
  }

  // The last turn is live: whoever stays there is taken along.
  go(number) {
    const to = Math.max(0, number);
    this.at = to >= this.count() ? null : to;
    if (this.view && location.hash !== "#board")
      history.replaceState(null, "", this.at === null ? location.pathname + location.search : `#turn=${to}`);
    this.draw();
    if (this.view) this.onMove();
  }

  take(view) {
    if (this.view && this.view.game_id !== view.game_id) this.at = null;
    this.view = view;
    if (this.wanted !== null && this.wanted < this.count()) this.at = this.wanted;
    this.wanted = null;
    if (this.at !== null && this.at >= this.count()) this.at = null;
    this.draw();
  }

  shown() {
    return this.at === null ? this.view : after(this.view, this.at);
  }

  // The moment that is shown, in words.
  words() {
    const at = this.at ?? this.count();
    return at === 0
      ? gettext("Before the first turn")
      : gettext("After turn %(number)s of %(all)s", { number: at, all: this.count() });
  }

  draw() {
    const count = this.count();
    const at = this.at ?? count;
    this.slider.max = count;
    this.slider.value = at;
    this.slider.disabled = count === 0;
    this.back.disabled = at === 0;
    this.forth.disabled = this.at === null;
    this.now.disabled = this.at === null;
    const turn = this.view?.turns[at - 1];
    const word = turn
      ? letters(turn, this.view.rows)
          .map(({ symbol }) => printed(symbol))
          .join("")
      : "";
    const label = `${this.words()}${word ? `, ${word}` : ""}`;
    // Nothing is newer in a game that is over.
    const over = this.view?.status === "ended" || document.documentElement.dataset.past;
    this.now.textContent = over ? gettext("End") : gettext("Newest");
    this.slider.setAttribute(
      "aria-valuetext",
      this.at === null && count ? `${label}, ${over ? gettext("the last") : gettext("the newest")}` : label,
    );
    const one = this.at === null ? gettext("Turn %(number)s", { number: at }) : "";
    const walked = () => gettext("Turn %(number)s of %(all)s", { number: at, all: count });
    this.where.textContent = count ? one || walked() : gettext("No turn yet");
    this.slider.closest(".walk").classList.toggle("past", this.at !== null);
  }
}
