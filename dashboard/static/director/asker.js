// A question about one square: its crop, the best guesses, and one click or key to settle it.
import { symbolOf } from "../spelling.js";
import { button, make } from "./dom.js";
import { symbolText } from "./wording.js";

// `ask`: {key, square, crop (address or null), title, choices: [{symbol, sure, text}], empty, letter}
// `settle(symbol)` enters it. `letter`: only letters are asked for (a blank's).
export function asker(ask, settle, more) {
  const buttons = ask.choices.map((choice, at) =>
    make(
      "button",
      { className: "button", type: "button", onclick: () => settle(choice.symbol) },
      make("kbd", { text: at + 1, "aria-hidden": "true" }),
      make("span", { text: choice.text ?? symbolText(choice.symbol) }),
      choice.sure === undefined ? null : make("span", { className: "sure", text: `${Math.round(choice.sure * 100)}%` }),
    ),
  );
  if (more) buttons.push(button(ask.letter ? "Its letter…" : "Something else…", more));
  const how = ask.letter
    ? "Or type the letter."
    : "Or type the letter, with Shift for a blank.";
  const box = make(
    "div",
    { className: "asker", role: "group", tabindex: 0, data: { key: ask.key, square: ask.square }, "aria-label": `${ask.square}: ${ask.title}. ${how}` },
    ask.crop
      ? make("img", { className: "crop", src: ask.crop, alt: `${ask.square} as the camera saw it`, width: 64, height: 64 })
      : make("span", { className: "crop", text: "no picture" }),
    make("div", {}, make("p", { className: "what", text: `${ask.square}: ${ask.title}` }), make("div", { className: "choices" }, ...buttons)),
    make("p", { className: "how", "aria-hidden": "true", text: `${ask.choices.length ? "Number keys choose. " : ""}${how}` }),
  );
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const symbol = meant(event, ask);
    if (symbol === null) return;
    event.preventDefault();
    settle(symbol);
  });
  return box;
}

function meant(event, ask) {
  const { key } = event;
  if (/^[1-9]$/.test(key)) return ask.choices[Number(key) - 1]?.symbol ?? null;
  if (/^\p{L}$/u.test(key)) {
    const letter = symbolOf(key).toUpperCase();
    return event.shiftKey && !ask.letter ? letter.toLowerCase() : letter;
  }
  if (!ask.letter && (key === "?" || key === ".")) return key;
  return null;
}
