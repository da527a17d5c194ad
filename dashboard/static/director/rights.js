// Rights that are timed, as they stand now: whose, until when, by which rule.
import { format } from "../clock.js";
import { html } from "./dom.js";

const TEXTS = {
  challenge: "hold or challenge the last play",
  draw: "draw tiles while it is held",
  restart: "start the opponent’s clock again",
  announce_illegal: "announce an illegal play",
  recount: "ask for a recount",
};

export class Rights {
  // `clocks` knows what time it is at the table.
  constructor(list, clocks) {
    this.list = list;
    this.clocks = clocks;
    this.windows = [];
    this.view = null;
    this.drawn = "";
    setInterval(() => this.tick(), 250);
  }

  set(view) {
    this.view = view;
    this.windows = (view.windows ?? []).filter(({ right }) => right in TEXTS);
    this.tick();
  }

  tick() {
    const now = this.clocks.now();
    if (!this.view || now === null) return;
    const open = this.windows.filter(({ closes_ns }) => closes_ns === null || now <= closes_ns);
    const key = JSON.stringify([open, this.view.players]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.list.replaceChildren(...open.map((one) => this.line(one)));
      this.list.hidden = open.length === 0;
    }
    for (const time of this.list.querySelectorAll("time")) {
      const left = Number(time.dataset.until) - now;
      time.textContent = left > 0 ? format(left) : "";
    }
  }

  line(one) {
    const now = this.clocks.now();
    const whose = one.side ? this.view.players[one.side].name : "Either player";
    const least = one.least_ns !== null && one.least_ns > now ? one.least_ns : null;
    const until = one.closes_ns ?? (one.opens_ns > now ? one.opens_ns : least);
    const how =
      one.opens_ns > now
        ? "may, in"
        : one.closes_ns !== null
          ? "may, for"
          : least !== null
            ? "may, at least for"
            : "may";
    return html`<li>
      <b>${whose}</b> ${how} ${until === null ? [] : [html`<time data-until=${until}></time>`, ", "]}
      ${TEXTS[one.right]}
      ${one.until && `, ${one.until}`}
      ${one.rule && html`<span class="rule"> Rule ${one.rule}</span>`}
    </li>`;
  }
}
