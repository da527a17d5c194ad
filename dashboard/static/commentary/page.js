// The commentators' page: both racks, their plays, what is unseen and may be drawn, the last play beside the
// best, the end of the game. The server works all of it out; the page draws the newest report.
import { query } from "../asked.js";
import { BoardView } from "../board.js";
import { Clocks, WATCHING_MS } from "../clock.js";
import { fill, html } from "../html.js";
import { EventAround, record } from "../overlay/event.js";
import { learnSpellings, spelled } from "../spelling.js";
import { Stream } from "../stream.js";
import { tile } from "../tiles.js";
import { deed, placeWords, signed } from "../words.js";

const SIDES = ["left", "right"];
const MOST_DRAWN = 7;
const STATES = { live: "live", polling: "every few seconds", lost: "no connection" };

const $ = (selector, within = document) => within.querySelector(selector);
const board = new BoardView($("#board"));
const main = $("#main");
const clocks = new Clocks(Object.fromEntries(SIDES.map((side) => [side, $(`.side[data-side=${side}]`)])), WATCHING_MS);
let shown = null;
let chosen = null; // how many tiles somebody wants to see drawn

const percent = (chance) => (chance > 0 && chance < 0.01 ? "<1%" : `${Math.round(chance * 100)}%`);
const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;
const inWords = (rack) => [...rack].map((symbol) => (symbol === "?" ? "blank" : spelled(symbol))).join(" ");
const name = (side) => shown.players[side].name;

// A place that a screen reader says in words.
const at = (place) => html`<span aria-hidden="true">${place}</span><span class="sr">${placeWords(place)}</span>`;

function playRow(play) {
  return html`<tr class=${play.bingo ? "bingo" : ""}>
    <td class="at">${at(play.at)}</td>
    <th scope="row">
      ${play.text}
      ${play.bingo && html`<span class="mark-note">bingo</span>`}
    </th>
    <td class="keeps">${play.leave && [...play.leave].map(spelled).join("")}</td>
    <td class="num">${play.score}</td>
  </tr>`;
}

const inOrder = (tiles) => {
  const order = Object.keys(shown.tile_set.values);
  return [...(tiles ?? "")].sort((a, b) => order.indexOf(a) - order.indexOf(b));
};

function lead(side) {
  const [own, other] = [side, SIDES.find((one) => one !== side)].map((one) => shown.players[one].score);
  return own > other ? signed(own - other) : "";
}

// What the event's file of pairings knows of a player, and the standings.
function about(player) {
  if (!player) return "";
  const ranked = player.place != null && `place ${player.place}`;
  const played = player.wins != null && `${record(player)} ${signed(player.spread)}`;
  return [player.country, player.rating, played, ranked].filter(Boolean).join(" · ");
}

function drawSide(side) {
  const section = $(`.side[data-side=${side}]`);
  const rack = shown.racks[side];
  const plays = shown.plays[side];
  const sorted = inOrder(rack);
  section.classList.toggle("on", shown.on_turn === side);
  $("h2", section).textContent = name(side);
  $("h2", section).title = name(side);
  $(".about", section).textContent = about(around.player(name(side)));
  $(".lead b", section).textContent = lead(side);
  $(".lead", section).hidden = !lead(side);
  $(".scroll", section).ariaLabel = `Plays of ${name(side)}`;
  $(".to-play", section).hidden = shown.on_turn !== side;
  $(".score", section).textContent = shown.players[side].score;
  fill($(".rack", section), rack ? sorted.map((symbol) => tile(symbol, shown.tile_set.values)) : "rack not known");
  $(".rack-words", section).textContent = rack ? `Rack: ${inWords(sorted)}` : "";
  $(".counted", section).textContent = counted(side);
  fill($(".plays", section), plays ? plays.best.map(playRow) : []);
  $("table", section).hidden = !plays?.count;
}

function counted(side) {
  const [rack, plays, missing] = [shown.racks[side], shown.plays[side], shown.missing[side]];
  if (shown.status === "ended") return "The game is over.";
  if (missing) return `The rack is being read: ${many(missing, "tile", "tiles")} not seen yet.`;
  if (!shown.words) return "There is no word list at this table.";
  if (!rack) return "";
  if (!plays?.count) return "No play.";
  const all = `${many(plays.count, "play", "plays")}, ${many(plays.bingos, "bingo", "bingos")}`;
  return plays.best.length < plays.count ? `${all}; ${plays.best.length} are listed` : all;
}

const marks = (turn) => [
  turn.phoney && html`<span class="mark-note phoney">phoney</span>`,
  turn.phoney === false && html`<span class="mark-note valid">valid</span>`,
];

function beside(turn) {
  if (turn.missed === null)
    return html`<p class="soft">${turn.rack ? "There is no word list." : "The rack was not known."}</p>`;
  if (!turn.best) return html`<p class="good">Nothing scored more.</p>`;
  return html`<p>
    Best: <b>${turn.best.text}</b> ${at(turn.best.at)} for <b>${turn.best.score}</b>,${" "}
    ${many(turn.missed, "point", "points")} more
  </p>`;
}

const earlier = (turn) =>
  html`<tr>
    <td class="at">${turn.at && at(turn.at)}</td>
    <th scope="row">${turn.text || deed(turn.kind)} ${marks(turn)}</th>
    <td class="soft by" dir="auto" title=${name(turn.side)}>${name(turn.side)}</td>
    <td class="num">${signed(turn.score)}</td>
    <td class="num soft">${turn.missed ? `−${turn.missed}` : turn.missed === 0 && "best"}</td>
  </tr>`;

function drawLast() {
  const [last, ...before] = shown.recent;
  if (!last) {
    fill($("#last"), html`<p class="soft">No turn yet.</p>`);
    return;
  }
  fill(
    $("#last"),
    html`<p class="play">
      <span dir="auto">${name(last.side)}</span> <b>${last.text || deed(last.kind)}</b> ${last.at && at(last.at)}
      <b class="gain">${signed(last.score)}</b> ${marks(last)}
    </p>`,
    beside(last),
    last.rack && html`<p class="soft">From ${inOrder(last.rack).map(spelled).join("")}</p>`,
    before.length > 0 &&
      html`<table>
        <caption class="sr">The turns before</caption>
        <thead>
          <tr>
            <th scope="col">At</th><th scope="col">Play</th><th scope="col">By</th>
            <th scope="col" class="num">Points</th><th scope="col" class="num">To the best</th>
          </tr>
        </thead>
        <tbody>${before.map(earlier)}</tbody>
      </table>`,
  );
}

// How many tiles are drawn: after the best play of the player on turn, unless somebody chose.
function drawnNow() {
  const best = shown.plays[shown.on_turn]?.best[0];
  return chosen ?? (best ? shown.racks[shown.on_turn].length - best.leave.length : MOST_DRAWN);
}

function drawPool() {
  const drawn = drawnNow();
  const order = Object.keys(shown.tile_set.values);
  const total = Object.values(shown.pool).reduce((sum, count) => sum + count, 0);
  const unknown = SIDES.filter((side) => !shown.racks[side] || shown.missing[side]).map(name);
  const places = [...(shown.bag ? ["in the bag"] : []), ...unknown.map((one) => `on ${one}’s rack`)];
  const where = [many(total, "tile", "tiles"), places.join(" or ")].filter(Boolean).join(" ");
  $("#where").textContent = total ? `${where}, ${many(shown.vowels, "vowel", "vowels")}` : "None";
  const chances = Object.values(shown.chances)[0]?.length ?? 0;
  $("#drawn").hidden = !chances;
  for (const button of $("#drawn").children) {
    button.disabled = Number(button.value) > chances;
    button.ariaPressed = Number(button.value) === drawn;
  }
  const chance = (kind) => shown.chances[kind]?.[Math.min(drawn, chances) - 1];
  const item = (label, count, kind) =>
    html`<li>
      <b>${label}</b><span aria-hidden="true">${count > 1 && `×${count}`}</span>
      <span class="sr">, ${count} unseen</span>
      ${chance(kind) !== undefined && html`<i>${percent(chance(kind))}<span class="sr"> to draw one</span></i>`}
    </li>`;
  const tiles = Object.entries(shown.pool).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  fill(
    $("#pool"),
    tiles.map(([symbol, count]) => item(symbol === "?" ? "blank" : spelled(symbol), count, symbol)),
    chances > 0 && item("a vowel", 1, "vowels"),
    chances > 0 && item("8 points or more", 1, "dear"),
  );
}

function endRow(line) {
  const { answer } = line;
  return html`<tr>
    <td class="at">${at(line.at)}</td>
    <th scope="row">
      ${line.text}
      ${line.out && html`<span class="mark-note valid">out</span>`}
      ${line.blocks && html`<span class="mark-note">blocks</span>`}
    </th>
    <td>${line.out ? "ends the game" : answer ? html`${answer.text} ${at(answer.at)} ${answer.score}` : "no play"}</td>
    <td class="num">${line.score}</td>
    <td class="num">${signed(line.net)}</td>
  </tr>`;
}

function drawEnd() {
  const { end } = shown;
  $("#end").hidden = !end;
  if (!end) return;
  const outs = (side) =>
    html`<p>
      <span dir="auto">${name(side)}</span> ${end.outs[side].length ? "goes out with " : "cannot go out in one play"}
      ${end.outs[side].map((play, index) => html`${index > 0 && ", "}<b>${play.text}</b> ${at(play.at)} ${play.score}`)}
    </p>`;
  fill(
    $("#end-lines"),
    SIDES.map(outs),
    end.lines.length > 0 &&
      html`<table>
      <thead>
        <tr>
          <th scope="col">At</th><th scope="col">Play</th><th scope="col">Best answer</th>
          <th scope="col" class="num">Points</th><th scope="col" class="num">Net</th>
        </tr>
      </thead>
      <tbody>${end.lines.map(endRow)}</tbody>
    </table>`,
  );
}

function drawEngine() {
  const { engine } = shown;
  $("#engine").hidden = !engine;
  if (!engine) return;
  $("#engine-title").textContent = engine.engine ? `By ${engine.engine}` : "Engine";
  const row = (play) =>
    html`<tr>
      <td class="at">${play.position && at(play.position)}</td>
      <th scope="row">${play.word || `${deed(play.kind)} ${play.tiles}`}</th>
      <td class="num">${play.equity?.toFixed(1)}</td>
      <td class="num">${play.win !== null && percent(play.win)}</td>
    </tr>`;
  fill(
    $("#engine-plays"),
    engine.waits && html`<p class="soft">thinking</p>`,
    engine.trouble && html`<p class="soft">${engine.trouble}</p>`,
    engine.plays &&
      html`<table>
        <thead>
          <tr>
            <th scope="col">At</th><th scope="col">Play</th>
            <th scope="col" class="num">Equity</th><th scope="col" class="num">Wins</th>
          </tr>
        </thead>
        <tbody>${engine.plays.slice(0, 8).map(row)}</tbody>
      </table>`,
  );
}

function speak(before) {
  const side = shown.on_turn;
  if (before?.turns === shown.turns && before?.on_turn === side) return;
  const best = side && shown.plays[side]?.best[0];
  $("#say").textContent = best ? `${name(side)} to play; ${best.text} for ${best.score}` : "";
}

function draw(report) {
  if (report.withheld) {
    empty("This game is not shown.");
    return;
  }
  const before = shown?.game_id === report.game_id ? shown : null;
  shown = report;
  learnSpellings(report.tile_set);
  trouble("");
  board.draw(report.rows, report.last_tiles, report.tile_set.values, before !== null);
  clocks.set(report.clocks, report.game_id);
  around.shows(report.game_id);
  main.classList.toggle("without-plays", Object.keys(report.plays).length === 0);
  SIDES.forEach(drawSide);
  drawTitle();
  drawLast();
  drawPool();
  drawEnd();
  drawEngine();
  speak(before);
  main.dataset.state = "shown";
}

function drawTitle() {
  const round = around.known?.round != null && `round ${around.known.round}`;
  $("#around").textContent = [round, shown.word_list].filter(Boolean).join(" · ");
}

function empty(text) {
  main.dataset.state = "empty";
  trouble(text);
}

function trouble(text) {
  $("#trouble").hidden = !text;
  $("#trouble").textContent = text;
}

function choose(number) {
  chosen = number;
  if (shown) drawPool();
}

fill(
  $("#drawn"),
  Array.from({ length: MOST_DRAWN }, (_, index) => {
    const number = index + 1;
    const label = many(number, "tile drawn", "tiles drawn");
    return html`<button type="button" value=${number} aria-label=${label} onclick=${() => choose(number)}>
      ${number}
    </button>`;
  }),
);
addEventListener("keydown", (event) => {
  const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
  if (plain && /^[1-7]$/.test(event.key)) choose(Number(event.key));
});

const slot = encodeURIComponent(document.body.dataset.slot);
const around = new EventAround(`/overlay/${slot}/event`, query, () => {
  if (!shown) return;
  SIDES.forEach(drawSide);
  drawTitle();
});
const first = JSON.parse($("#first").textContent);
if (first) draw(first);
new Stream(
  `/commentary/${slot}/live`,
  {
    onView: draw,
    onTime: (time) => clocks.sync(time),
    onState: (state) => {
      $("#link").dataset.state = state;
      $("#link span").textContent = STATES[state];
    },
    onEmpty: () => empty("No game has begun at this table."),
    onRefused: () => empty("This page may not be seen any longer: the token was withdrawn, or the table is another."),
  },
  query,
);
