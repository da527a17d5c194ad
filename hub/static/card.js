// The card of a table in the hall, and what was worth telling of its game. The server draws both
// (card.html); of a card that is there, the parts that follow from its line are filled in.

import { html } from "../html.js";
import { page } from "../site.js";
import { drawSmall, EMPTY } from "../small_board.js";
import { drawBars } from "../spread_bars.js";
import { gettext, ngettext } from "../texts.js";
import { signed } from "../words.js";

const SIDES = ["left", "right"];

export function newCard() {
  return document.querySelector("#card").content.firstElementChild.cloneNode(true);
}

function how(row) {
  if (row.no_result) return gettext("over, no result");
  if (row.final && !row.provisional) return gettext("final");
  if (row.status === "ended") return gettext("over, not yet final");
  if (row.withheld) return gettext("not shown");
  if (row.status === "running") return ngettext("%(num)s in the bag", "%(num)s in the bag", row.bag_count);
  return gettext("not begun");
}

function margin({ players, turns, winner }) {
  if (!players || !turns) return "";
  const spread = players.left.score - players.right.score;
  const points = Math.abs(spread);
  if (winner in players) return gettext("%(name)s won by %(points)s", { name: players[winner].name, points });
  if (!spread) return gettext("The scores are level");
  return gettext("%(name)s leads by %(points)s", { name: players[spread > 0 ? "left" : "right"].name, points });
}

function playText({ kind, word }) {
  if (kind === "play") return word;
  if (kind === "challenge_upheld") return gettext("%(word)s challenged off", { word });
  if (kind === "exchange") return gettext("Exchange");
  return kind === "pass" ? gettext("Pass") : word || gettext("No score");
}

function drawSide(part, row, side, other) {
  const { name, score, country, rating } = row.players[side];
  part(`${side}-name`).textContent = name;
  part(`${side}-name`).classList.toggle("won", row.winner === side);
  part(`${side}-score`).textContent = score;
  part(`${side}-score`).classList.toggle("leads", score > row.players[other].score);
  part(`${side}-from`).replaceChildren(
    ...(country ? [html`<abbr class="country" data-country=${country}>${country}</abbr>`] : []),
    rating ?? "",
  );
  const sign = part(`${side}-sign`);
  const won = row.winner === side;
  sign.className = `sign ${won ? "won" : row.on_turn === side ? "on" : ""}`.trim();
  sign.replaceChildren(
    ...(won ? ["✓", html`<span class="sr">${gettext("won")}</span>`] : []),
    ...(!won && row.on_turn === side ? [html`<span class="sr">${gettext("to play")}</span>`] : []),
  );
  if (!row.clocks) part(`${side}-clock`).textContent = "";
}

function drawLast(part, last) {
  part("last").hidden = !last;
  if (!last) return;
  part("last").dataset.side = last.side;
  part("play").textContent = playText(last);
  part("at").textContent = last.position ?? "";
  part("gain").textContent = signed(last.score);
  part("bingo").hidden = !last.bingo;
}

export function fillCard(item, row) {
  const part = (name) => item.querySelector(`[data-part="${name}"]`);
  item.dataset.table = row.id;
  item.dataset.drama = row.drama ?? 0;
  item.dataset.status = row.status;
  part("name").textContent = row.name;
  part("name").href = page(`/tables/${row.id}`);
  part("how").textContent = how(row);
  const board = part("board");
  drawSmall(board, row.board ?? EMPTY, row.last?.squares ?? [], row.spellings ?? {});
  const empty = row.players ? gettext("The board is not shown") : gettext("The board is empty");
  const count = ngettext("The board, %(num)s tile in the bag", "The board, %(num)s tiles in the bag", row.bag_count);
  board.setAttribute("aria-label", row.board ? count : empty);
  part("pair").hidden = !row.players;
  for (const [at, side] of row.players ? SIDES.entries() : []) drawSide(part, row, side, SIDES[1 - at]);
  item.querySelector(".bars").toggleAttribute("hidden", !row.turns);
  drawBars(item.querySelector(".bars"), row.course ?? []);
  part("margin").textContent = margin(row);
  drawLast(part, row.last);
  const newest = `${row.game} ${row.last?.number}`;
  item.classList.toggle("fresh", "newest" in item.dataset && item.dataset.newest !== newest);
  item.dataset.newest = newest;
}

// --- what has just happened ---

function tale({ kind, side, score: points, word, row: { players } }) {
  const name = players[side]?.name;
  if (kind === "over" && !side) return gettext("Over, not yet final");
  if (kind === "over") return gettext("%(name)s won by %(points)s", { name, points });
  if (kind === "bingo") return gettext("%(name)s: bingo, %(word)s for %(points)s", { name, word, points });
  if (kind === "lead") return gettext("%(name)s takes the lead with %(word)s for %(points)s", { name, word, points });
  return gettext("%(name)s: %(word)s was challenged", { name, word });
}

// The newest moments of all lines, newest first.
export function newestMoments(rows, now, most = 12) {
  return rows
    .flatMap((row) =>
      (row.moments ?? []).map((one) => ({ ...one, row, ago: now + row.offset_ns / 1e6 - one.press_ms })),
    )
    .sort((a, b) => a.ago - b.ago)
    .slice(0, most)
    .map((one) => ({ ...one, id: `${one.row.id} ${one.row.game} ${one.number} ${one.kind}`, text: tale(one) }));
}

export function momentItem({ row, side, number, ago, text }) {
  const minutes = Math.max(0, Math.floor(ago / 60000));
  const when = minutes ? gettext("%(minutes)s min ago", { minutes }) : ""; // the heading says “Just now”
  return html`<li data-side=${side ?? ""}>
    <a href=${`${page(`/tables/${row.id}/games/${encodeURIComponent(row.game)}`)}#turn=${number}`}>
      <span class="where">${row.name}</span> ${text} <small>${when}</small>
    </a>
  </li>`;
}
