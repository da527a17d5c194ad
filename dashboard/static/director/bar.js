// The bar: what a director does in a game, and a menu of the rest.
import { signDeed } from "./actions.js";
import { button, html } from "./dom.js";
import { blankDeed, challengeDeed, endDeed, stopDeed } from "./rulings.js";
import { SIDES } from "./wording.js";

// The first name, unless both have it: a button has little room.
function called({ players }, side) {
  const first = (one) => players[one].name.split(" ")[0];
  return first("left") === first("right") ? players[side].name : first(side);
}

export class ActionBar {
  // `does`: {open(deed), end(deed), ruled(), pick(), stop(), start(side), next(), remaining(side), fail(error)}
  constructor(bar, menu, does) {
    this.bar = bar;
    this.menu = menu;
    this.does = does;
    this.drawn = "";
    this.from = null;
    menu.addEventListener("click", (event) => event.target === menu && menu.close());
    menu.addEventListener("close", () => this.from?.isConnected && this.from.focus());
  }

  // `following`: the game is the one on the table.
  draw(record, following) {
    this.record = record;
    const { view, signed } = record;
    const over = view.status === "ended";
    const open = signed === null; // else nothing is ruled before it is reopened
    const items = [
      open && this.deed("Challenge", challengeDeed, view.clocks?.stopped_for === "challenge"),
      ...(following && view.clocks !== null ? this.clockButtons(view, over, open) : []),
      over && open && !view.no_result && this.deed("Sign", signDeed, !record.unsettled),
      over && following && this.button("Next game", () => this.does.next(), "next", !open),
      ...(open
        ? [
            this.deed("Blank", blankDeed),
            this.button("Tile", () => this.does.pick(), "tile"),
            this.button("Score", () => this.score(), "score", false, !record.options.event_rules.score_agreed),
            this.button("Clock", () => this.clock(), "clock", false, view.clocks === null),
          ]
        : [html`<p>Signed. To change it, reopen it under More.</p>`]),
      open && this.deed("End", endDeed, false, this.does.end),
      this.button("More", () => this.more(), "more"),
    ].filter(Boolean);
    const key = items.map((item) => item.outerHTML).join("");
    if (key === this.drawn) return;
    this.drawn = key;
    const on = document.activeElement?.dataset?.deed;
    this.bar.replaceChildren(...items);
    // What is no longer to be done leaves the focus on the bar, and not on the top of the page.
    if (on)
      (this.bar.querySelector(`[data-deed="${CSS.escape(on)}"]:not(:disabled)`) ?? this.bar).focus({
        preventScroll: true,
      });
  }

  // These keep their places whatever the clock does: a click meant for one never lands on another.
  clockButtons(view, over, open) {
    const { running, stopped_for: reason } = view.clocks;
    const stands = running === null && !over;
    const start = (side) =>
      this.button(
        `Start ${called(view, side)}`,
        () => this.does.start(side),
        `start-${side}`,
        stands && view.on_turn === side && reason !== "challenge",
        !stands,
      );
    const stop = () => this.button("Stop the clock", () => this.does.stop(), "stop", false, running === null);
    return [(open || running !== null) && stop(), ...(over ? [] : SIDES.map(start))];
  }

  button(text, does, name, main = false, disabled = false) {
    return html`<button
      class=${main ? "button primary" : "button"}
      type="button"
      data-deed=${name}
      disabled=${disabled}
      onclick=${does}
    >
      <span>${text}</span>
    </button>`;
  }

  // A deed is made of the record as it is when it is opened.
  deed(text, of, main = false, open = this.does.open) {
    const button = this.button(
      text,
      () => open(of({ ...this.record, crop: this.does.crop })),
      text.toLowerCase(),
      main,
    );
    button.disabled = of(this.record).hidden === true;
    return button;
  }

  // What is ruled rarely is loaded when it is asked for; nothing where that fails.
  load(...modules) {
    return Promise.all(modules).catch(() => {
      this.does.fail(new Error("it could not be loaded"));
      return [];
    });
  }

  async clock() {
    const [module] = await this.load(import("./clock_deed.js"));
    if (module) this.does.open(module.clockDeed({ ...this.record, remaining: this.does.remaining }));
  }

  async score() {
    const [module] = await this.load(import("./score_deed.js"));
    if (module) this.does.open(module.scoreDeed(this.record));
  }

  // A button of the menu, which closes it.
  entry(text, does, more) {
    const chosen = () => {
      this.menu.close();
      does();
    };
    return button(text, chosen, more);
  }

  async more() {
    this.from = document.activeElement;
    const [rare, ofRecord] = await this.load(import("./game_deeds.js"), import("./record_deeds.js"));
    if (!rare || this.menu.open) return; // not loaded, or pressed twice
    const { record } = this;
    const stop = stopDeed(record);
    const groups = [
      [
        "The game",
        [
          ...rare.gameDeeds(record, this.does.open),
          ...(stop.hidden ? [] : [{ ...stop, text: "Why the clock stands…" }]),
        ],
      ],
      ["Turns, and what no camera sees", ofRecord.recordDeeds(record)],
    ];
    this.menu.replaceChildren(
      html`<h2 id="menu-title">More</h2>`,
      ...groups
        .filter(([, deeds]) => deeds.length)
        .map(
          ([title, deeds]) =>
            html`<section>
              <h3>${title}</h3>
              <div class="menu">
                ${deeds.map((deed) => this.entry(deed.text, () => this.does.open(deed), { "data-deed": deed.text }))}
              </div>
            </section>`,
        ),
      html`<div class="buttons">
        <a class="button plain" href="/director/help">Help</a>
        ${this.entry(`What was ruled${record.signed ? "" : ", and take back"}`, () => this.does.ruled())}
        ${button("Close", () => this.menu.close())}
      </div>`,
    );
    this.menu.showModal();
  }
}
