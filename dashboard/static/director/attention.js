// What needs somebody: each flag with its rule, its remedies as buttons, and its squares to settle.
import { spelled } from "../spelling.js";
import { asker } from "./asker.js";
import { foresee } from "./brief.js";
import { button, html, level, line } from "./dom.js";
import { USUAL_STOPS } from "./rulings.js";
import { capital, symbolText } from "./wording.js";

const WHO = {
  opponent: "the opponent’s right",
  player: "the player’s",
  either: "either player’s",
  director: "the director’s",
};

// What is settled stays with its turn and needs nobody.
export function openFlags(flags) {
  return flags.filter((flag) => (flag.settled ?? null) === null);
}

// The open flags about a turn: of its own, and of a later one that could read a tile of it.
export function flagsAbout(view, number) {
  return view.turns.flatMap((turn) => openFlags(turn.flags).filter((flag) => (flag.turn ?? turn.number) === number));
}

// The flags of a view in the order of the concerns that the server lists, each with its place.
export function flagged(view, concerns) {
  const left = view.turns.flatMap((turn) => openFlags(turn.flags).map((flag) => ({ flag, turn: turn.number })));
  left.push(...view.flags.map((flag) => ({ flag, turn: null })));
  return concerns.map((concern) => {
    const at = left.findIndex(
      ({ flag, turn }) => flag.code === concern.code && turn === concern.turn && flag.message === concern.text,
    );
    return { concern, flag: at < 0 ? null : left.splice(at, 1)[0].flag };
  });
}

// `rule`: that of the flag, which the card shows already.
function terms(offer, view, rule) {
  const bare = offer.who === "director" && !offer.until && (!offer.rule || offer.rule === rule) && !offer.says;
  if (bare) return "";
  const whose = offer.side ? `${view.players[offer.side].name}’s right` : WHO[offer.who];
  return [whose, offer.until, offer.rule ? `rule ${offer.rule}` : "", offer.says].filter(Boolean).join(" · ");
}

function offerButton(offer, view, rule, act, look = "button") {
  const text = terms(offer, view, rule);
  const id = `terms-${offer.id.replaceAll(/[^\w-]/g, "_")}`;
  return html`<div class="offer">
    ${button(capital(offer.text), () => act(offer), {
      class: look,
      "aria-describedby": text ? id : null,
      "data-offer": offer.id,
    })}
    ${text && html`<span class="terms" id=${id}>${text}</span>`}
  </div>`;
}

const callsReader = (offer, view, rule) =>
  !offer.event && offer.id.endsWith(":call_director") && !terms(offer, view, rule);

function byHandWords(offer, view) {
  const text = terms(offer, view);
  return text ? `${capital(offer.text)} (${text})` : capital(offer.text);
}

// What an offer asks of its square where that is all it asks: "symbol" or "letter"; else null.
function asked(offer) {
  const [field] = offer.asks;
  return offer.asks.length === 1 && (field === "symbol" || field === "letter") ? field : null;
}

// Whether a flag asks what a turn was, or how tiles were parted into turns.
const WHAT_WAS = new Set(["TurnRuled", "PlaysAssigned", "TurnParted", "TurnsJoined"]);
const asksWhatWas = (flag) => flag.remedies.some(({ event }) => WHAT_WAS.has(event?.type));

// The squares that offers ask a symbol or a letter of: one question each, whatever it is called.
function questions(offers) {
  const found = new Map();
  for (const offer of offers) {
    const field = asked(offer);
    if (field === null) continue;
    const key = `${offer.event.type}:${offer.event.turn ?? ""}:${offer.event.square}`;
    if (!found.has(key)) found.set(key, { key, field, square: offer.event.square, offer });
  }
  return [...found.values()];
}

function choices({ square, field, offer }, record) {
  if (field === "letter")
    return (record.view.suggestions?.[square] ?? [])
      .slice(0, 9)
      .map((symbol) => ({ symbol, text: `${spelled(symbol)} by the word list` }));
  const guesses = record.guesses[`${offer.event.turn}:${square}`] ?? [];
  const found = guesses.map(({ symbol, p }) => ({ symbol, sure: p, text: symbolText(symbol) }));
  if (!found.some(({ symbol }) => symbol === ".")) found.push({ symbol: ".", text: symbolText(".") });
  return found.slice(0, 9);
}

// The guesses, and what may be right, stand as buttons below the question.
function unguessed(text) {
  return text.replace(/ \(may be [^)]*\)/, "").replace(/^Which is right: .*\?$/s, "Which is right?");
}

// One card. `how`: {settle(event, square, symbol), answer(offer, flag, turn, effect),
// preview(events) -> answers, act(offer, flag, turn), other(question), attend(concern),
// crop(turn, square), picture(sha256), turn(number), setUp: the address of what sets it up or null}
export function card({ concern, flag }, record, how) {
  return html`<article
    class="concern"
    data-level=${concern.level}
    data-code=${concern.code}
    data-row="${concern.turn} ${concern.text}"
  >
    <p class="about">
      ${level(concern.level)}
      <span>${concern.label}</span>
      ${concern.turn && aboutTurn(concern, record.view, how)}
      ${concern.rule && html`<span class="rule">Rule ${concern.rule}</span>`}
    </p>
    <h3>${unguessed(concern.text)}</h3>
    ${concern.remedy && html`<p class="remedy">${concern.remedy}${concern.sets_up && calibration(how)}</p>`}
    ${concern.attend && html`<div class="offers">${button("Seen to", () => how.attend(concern))}</div>`}
    ${flag && evidences(concern, flag, record, how)}
    ${flag && questions(flag.remedies).map((question) => asking(question, concern, flag, record, how))}
    ${flag && offers(concern, flag, record.view, how)}
  </article>`;
}

const calibration = ({ setUp }) => setUp && [" ", html`<a href="${setUp}calibration">Calibrate it</a>`];

function aboutTurn({ turn, about, side }, view, how) {
  return [
    html`<span>Turn ${about}, ${view.players[side].name}</span>`,
    ...[...new Set([about, turn])].map((one) => html`<a href=${how.turn(one)}>Pictures of turn ${one}</a>`),
  ];
}

function evidences({ about }, flag, record, how) {
  const pictures = asksWhatWas(flag) && record.pictures?.[about];
  if (!pictures) return null;
  const holder = html`<div class="evidences"></div>`;
  import("./turn_pictures.js").then(({ turnPictures }) =>
    holder.append(...turnPictures(pictures, how.picture, how.turn(about))),
  );
  return holder;
}

function asking(question, { turn }, flag, record, how) {
  const { key, offer, square, field } = question;
  const since = record.view.squares[square]?.turn;
  const letter = field === "letter";
  const crop = how.crop(turn ?? since, square) ?? how.crop(since, square);
  const title = letter ? "which letter is the blank?" : "what lay there?";
  const about = { turn, code: flag.code, message: flag.message };
  return asker(
    { key, square, crop, title, choices: choices(question, record), letter },
    (symbol) => how.settle({ ...offer.event, [field]: symbol }, square, symbol, about),
    () => how.other(question),
  );
}

// The remedies beside the questions: each that the page can enter is a button.
function offers(concern, flag, view, how) {
  const { turn } = concern;
  const rest = flag.remedies.filter((offer) => asked(offer) === null && !callsReader(offer, view, flag.rule));
  const open = rest.filter((offer) => offer.open && offer.event);
  const byHand = rest.filter((offer) => offer.open && !offer.event);
  const gone = rest.filter((offer) => !offer.open);
  const inWords = (offer) => html`<li>${byHandWords(offer, view)}</li>`;
  const late = (offer) =>
    offer.event
      ? offerButton(offer, view, flag.rule, (one) => how.act(one, flag, turn))
      : line("terms", byHandWords(offer, view));
  const buttons = concern.code === "clock_stopped" ? usualStops : answerButtons;
  return [
    open.length > 0 && buttons(open, concern, flag, view, how),
    byHand.length > 0 && html`<ul class="byhand">${byHand.map(inWords)}</ul>`,
    gone.length > 0 &&
      html`<details>
        <summary>Not open now (${gone.length})</summary>
        <div class="offers">${gone.map(late)}</div>
      </details>`,
  ];
}

// Of twenty reasons for a stopped clock the usual ones stand here, and the others in a dialog.
function usualStops(open, { turn }, flag, view, how) {
  const usual = [...USUAL_STOPS].map(([reason, text]) => {
    const offer = open.find(({ event }) => event.reason === reason);
    const enter = () => how.answer(offer, flag, turn);
    return offer && offerButton({ ...offer, text }, view, flag.rule, enter, "button small");
  });
  return html`<div class="offers few">
    ${usual}
    ${button("Another reason…", () => how.explain(), { class: "button small plain", "data-offer": "explain" })}
  </div>`;
}

const briefs = new Map(); // the last of each answer

function answerButtons(open, { turn, level: grade }, flag, view, how) {
  const effects = new Map();
  const chosen = (offer) =>
    effects.has(offer) ? how.answer(offer, flag, turn, effects.get(offer)) : how.act(offer, flag, turn);
  const buttons = open.map((offer) => offerButton(offer, view, flag.rule, chosen));
  if (grade === "question" && how.preview) {
    // Nothing moves once it is known.
    for (const [at, { id, asks }] of open.entries())
      if (!asks.length)
        buttons[at].querySelector(".button").append(html`<i class="awaited">${briefs.get(id) ?? "…"}</i>`);
    foresee(open, how.preview, view, (offer, effect, brief) => {
      effects.set(offer, effect);
      briefs.set(offer.id, brief.textContent);
      buttons[open.indexOf(offer)].querySelector(".awaited").replaceWith(brief);
    });
  }
  return html`<div class="offers">${buttons}</div>`;
}

// The squares that somebody is asked about, for the board to show.
export function askedSquares(view) {
  const found = new Set();
  for (const holder of [...view.turns, view]) {
    for (const flag of openFlags(holder.flags)) for (const { square } of questions(flag.remedies)) found.add(square);
  }
  return found;
}
