// Players as a lower third and head to head: flag, rating, record, place and the games between them.
import { html } from "../html.js";
import { signed } from "../words.js";
import { record } from "./event.js";
import { fitFolded, fitNames } from "./fold.js";

const SIDES = ["left", "right"];

// What is known of a player, each fact with its heading.
const FACTS = [
  ["Rating", (one) => one?.rating],
  ["Won–lost", (one) => (one?.wins === undefined ? null : record(one))],
  ["Spread", (one) => (one?.spread === undefined ? null : signed(one.spread))],
  ["Place", (one) => one?.place],
];

const flag = (one) => one?.country && html`<span class="country">${one.country}</span>`;

export function drawPerson(panel, view, player) {
  panel.hidden = false;
  const { name } = view.players[panel.dataset.of];
  const known = player(name);
  const facts = FACTS.map(([title, of]) => [title, of(known)]).filter(([, fact]) => fact != null);
  panel
    .querySelector(".facts")
    .replaceChildren(
      ...[flag(known)].filter(Boolean),
      ...facts.map(([title, fact]) => html`<span><small>${title}</small> ${fact}</span>`),
    );
  fitFolded(panel.querySelector(".name"), name);
}

export function drawVersus(panel, view, player, met) {
  panel.hidden = false;
  const names = SIDES.map((side) => view.players[side].name);
  const [left, right] = names.map(player);
  const rows = FACTS.map(([title, of]) => [of(left), title, of(right)]).filter(
    (row) => row[0] != null || row[2] != null,
  );
  panel
    .querySelector("tbody")
    .replaceChildren(
      ...(left?.country || right?.country
        ? [html`<tr><td>${flag(left)}</td><th>Country</th><td>${flag(right)}</td></tr>`]
        : []),
      ...rows.map(
        (row) => html`<tr><td>${row[0] ?? "–"}</td><th scope="row">${row[1]}</th><td>${row[2] ?? "–"}</td></tr>`,
      ),
    );
  const games = met.map(({ round, scores }) => `round ${round} ${scores.left}–${scores.right}`);
  panel.querySelector(".met").textContent = games.length ? `Met here: ${games.join(", ")}` : "";
  fitNames(SIDES.map((side, at) => [panel.querySelector(`.name[data-side=${side}]`), names[at]]));
}
