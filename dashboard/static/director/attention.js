// What needs somebody: each flag with its rule, its remedies as buttons, and its squares to settle.
import { spelled } from "../spelling.js";
import { asker } from "./asker.js";
import { button, level, line, make } from "./dom.js";
import { foresee } from "./brief.js";
import { USUAL_STOPS } from "./rulings.js";
import { capital, symbolText } from "./wording.js";

const WHO = { opponent: "the opponent’s right", player: "the player’s", either: "either player’s", director: "the director’s" };

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
    const at = left.findIndex(({ flag, turn }) => flag.code === concern.code && turn === concern.turn && flag.message === concern.text);
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
  return make(
    "div",
    { className: "offer" },
    button(capital(offer.text), () => act(offer), { className: look, "aria-describedby": text ? id : null, data: { offer: offer.id } }),
    text ? make("span", { className: "terms", id, text }) : null,
  );
}

const callsReader = (offer, view, rule) => !offer.event && offer.id.endsWith(":call_director") && !terms(offer, view, rule);

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

function choices(question, flag, turn, record) {
  const { square, field } = question;
  if (field === "letter") return (record.view.suggestions?.[square] ?? []).slice(0, 9).map((symbol) => ({ symbol, text: `${spelled(symbol)} by the word list` }));
  const guesses = record.guesses[`${turn}:${square}`] ?? [];
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
// crop(turn, square), picture(sha256), turn(number), setUp: the address of its calibration or null}
export function card({ concern, flag }, record, how) {
  const { view } = record;
  const { turn } = concern;
  const box = make("article", { className: "concern", data: { level: concern.level, code: concern.code, row: `${turn} ${concern.text}` } });
  const about = make("p", { className: "about" }, level(concern.level), make("span", { text: concern.label }));
  if (turn) {
    const number = concern.about;
    about.append(make("span", { text: `Turn ${number}, ${view.players[view.turns[number - 1].side].name}` }));
    for (const one of new Set([number, turn])) about.append(make("a", { href: how.turn(one), text: `Pictures of turn ${one}` }));
  }
  if (concern.rule) about.append(make("span", { className: "rule", text: `Rule ${concern.rule}` }));
  box.append(about, make("h3", { text: unguessed(concern.text) }));
  if (concern.remedy) {
    const where = concern.sets_up && how.setUp ? [" ", make("a", { href: how.setUp, text: "Calibrate it" })] : [];
    box.append(make("p", { className: "remedy" }, concern.remedy, ...where));
  }
  if (concern.attend) {
    box.append(make("div", { className: "offers" }, button("Seen to", () => how.attend(concern))));
  }
  if (!flag) return box;
  const pictures = asksWhatWas(flag) && record.pictures?.[concern.about];
  if (pictures) {
    const holder = box.appendChild(make("div", { className: "evidences" }));
    import("./turn_pictures.js").then(({ turnPictures }) => holder.append(...turnPictures(pictures, how.picture, how.turn(concern.about))));
  }
  for (const question of questions(flag.remedies)) {
    const { offer, square, field } = question;
    const blank = field === "letter";
    const options = choices(question, flag, turn, record);
    box.append(
      asker(
        {
          key: question.key,
          square,
          crop: how.crop(turn ?? view.squares[square]?.turn, square) ?? how.crop(view.squares[square]?.turn, square),
          title: blank ? "which letter is the blank?" : "what lay there?",
          choices: options,
          letter: blank,
        },
        (symbol) => how.settle({ ...offer.event, [field]: symbol }, square, symbol, { turn, code: flag.code, message: flag.message }),
        () => how.other(question),
      ),
    );
  }
  const rest = flag.remedies.filter((offer) => asked(offer) === null && !callsReader(offer, view, flag.rule));
  const open = rest.filter((offer) => offer.open && offer.event);
  const byHand = rest.filter((offer) => offer.open && !offer.event);
  const gone = rest.filter((offer) => !offer.open);
  if (concern.code === "clock_stopped" && open.length) {
    // Of twenty reasons the usual ones stand here, and the others in a dialog.
    const usual = [...USUAL_STOPS.keys()].flatMap((reason) => open.find(({ event }) => event.reason === reason) ?? []);
    const others = button("Another reason…", () => how.explain(), { className: "button small plain", data: { offer: "explain" } });
    box.append(make("div", { className: "offers few" }, ...usual.map((offer) => offerButton({ ...offer, text: USUAL_STOPS.get(offer.event.reason) }, view, flag.rule, () => how.answer(offer, flag, turn), "button small")), others));
  } else if (open.length) {
    const effects = new Map();
    const chosen = (offer) => (effects.has(offer) ? how.answer(offer, flag, turn, effects.get(offer)) : how.act(offer, flag, turn));
    const buttons = open.map((offer) => offerButton(offer, view, flag.rule, chosen));
    box.append(make("div", { className: "offers" }, ...buttons));
    if (concern.level === "question" && how.preview) {
      foresee(open, how.preview, view, (offer, effect, brief) => {
        effects.set(offer, effect);
        buttons[open.indexOf(offer)].querySelector(".button").append(brief);
      });
    }
  }
  if (byHand.length) box.append(make("ul", { className: "byhand" }, ...byHand.map((offer) => make("li", { text: byHandWords(offer, view) }))));
  if (gone.length) {
    box.append(
      make("details", {}, make("summary", { text: `No longer open (${gone.length})` }),
        make("div", { className: "offers" }, ...gone.map((offer) => (offer.event ? offerButton(offer, view, flag.rule, (one) => how.act(one, flag, turn)) : line("terms", byHandWords(offer, view)))))),
    );
  }
  return box;
}

// The squares that somebody is asked about, for the board to show.
export function askedSquares(view) {
  const found = new Set();
  for (const holder of [...view.turns, view]) {
    for (const flag of openFlags(holder.flags)) for (const { square } of questions(flag.remedies)) found.add(square);
  }
  return found;
}
