// The event around the game: asked for now and then, and whenever another game is on. It is as late
// as the game is; a server that cannot say now leaves what was known.

import { html } from "../html.js";
import { signed } from "../words.js";
import { shrink } from "./fit.js";
import { fitFolded, fitNames } from "./fold.js";

const EVERY_MS = 10000;

export class EventAround {
  constructor(path, query, onNews) {
    const words = new URLSearchParams(query).toString();
    this.address = `${path}${words ? `?${words}` : ""}`;
    this.onNews = onNews;
    this.known = null;
    this.game = null;
    this.ask();
  }

  // The game that is shown: another one has other players.
  shows(game) {
    if (game === this.game) return;
    this.game = game;
    this.ask();
  }

  // What is known of the player of that name.
  player(name) {
    return Object.values(this.known?.players ?? {}).find((player) => player?.name === name) ?? null;
  }

  async ask() {
    clearTimeout(this.next);
    try {
      const answer = await fetch(this.address, { cache: "no-store", headers: { Accept: "application/json" } });
      if (answer.ok) {
        this.known = await answer.json();
        this.onNews(this.known);
      }
    } catch {
      // The next time, perhaps.
    }
    this.next = setTimeout(() => this.ask(), EVERY_MS);
  }
}

const half = (games) => (games === 0.5 ? "½" : `${Math.floor(games)}${games % 1 ? "½" : ""}`);

export const record = ({ wins, losses }) => `${half(wins)}–${half(losses)}`;

// Country, rating and record beside a name. A result is newer than the record: there it is left out.
export function drawAbout(element, player, { withRecord = true } = {}) {
  const figures = [];
  if (player?.rating != null) figures.push(String(player.rating));
  if (withRecord && player?.wins != null) figures.push(`${record(player)} ${signed(player.spread)}`);
  const parts = [];
  if (player?.country) parts.push(html`<span class="country">${player.country}</span>`);
  if (figures.length) parts.push(html`<span>${figures.join(" · ")}</span>`);
  element.replaceChildren(...parts);
  element.hidden = !parts.length;
}

export function drawTitle(panel, event) {
  panel.hidden = !event.title && !event.logo;
  panel.querySelector(".event-round").textContent = event.round === null ? "" : `Round ${event.round}`;
  const logo = panel.querySelector(".logo");
  logo.hidden = !event.logo;
  const title = panel.querySelector(".event-title");
  const fit = () => fitFolded(title, event.title);
  if (event.logo && logo.getAttribute("src") !== event.logo) {
    logo.addEventListener("load", fit, { once: true }); // it takes room away
    logo.src = event.logo;
  }
  fit();
}

export function drawNext(panel, { next }) {
  panel.hidden = !next;
  if (!next) return;
  panel.querySelector(".headline").textContent = `Next: round ${next.round}, table ${next.table}`;
  for (const [side, player] of Object.entries(next.players)) {
    const line = panel.querySelector(`.line[data-side=${side}]`);
    drawAbout(line.querySelector(".about"), player);
  }
  fitNames(
    Object.entries(next.players).map(([side, { name }]) => [
      panel.querySelector(`.line[data-side=${side}] .name`),
      name,
    ]),
  );
}

function standing(one, here) {
  return html`<tr class=${here.has(one.name) ? "here" : ""}>
    <td class="place">${one.place}</td>
    <td class="player-name">
      <div class="who">
        <span class="full" dir="auto">${one.name}</span>
        ${one.country && html`<span class="country">${one.country}</span>`}
      </div>
    </td>
    <td class="record">${record(one)}</td>
    <td class="spread">${signed(one.spread)}</td>
  </tr>`;
}

// The standings of one division, from the top; further down whoever plays in the slot.
export function drawStandings(panel, event, rows, asked) {
  const players = Object.values(event.players ?? {});
  const names = Object.keys(event.standings);
  const division = asked ?? players.map((one) => one.division).find((one) => names.includes(one)) ?? names[0];
  const all = event.standings[division] ?? [];
  panel.hidden = !all.length;
  panel.querySelector(".headline").textContent = division ? `Standings, division ${division}` : "Standings";
  const here = new Set(players.map((one) => one.name));
  const below = all.slice(rows).filter((one) => here.has(one.name));
  const shown = [
    ...all.slice(0, rows - below.length),
    ...all.slice(rows - below.length).filter((one) => here.has(one.name)),
  ];
  panel.querySelector("tbody").replaceChildren(...shown.map((one) => standing(one, here)));
  for (const name of panel.querySelectorAll(".full")) shrink(name);
}
