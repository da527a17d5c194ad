// One value of a game, in the look that the address asks for: bg, color, size, font, bold, speed
// (of last_play, pixels a second), padding, blank (colour of a blank's letter), wrap (letters a line).

import { asked, query } from "../asked.js";
import { html } from "../html.js";
import { sharedSource } from "../shared_source.js";

const { field, size, events } = document.body.dataset;
const content = document.querySelector("#content");

const number = (name, otherwise) => {
  const given = Number.parseFloat(asked.get(name));
  return Number.isFinite(given) && given >= 0 ? given : Number(otherwise);
};

document.body.style.background = asked.get("bg") ?? "transparent";
document.body.style.padding = `${number("padding", 8)}px`;
content.style.color = asked.get("color") ?? "black";
content.style.fontSize = `${number("size", size)}px`;
if (asked.has("font")) content.style.fontFamily = asked.get("font");
if (asked.has("align")) content.style.textAlign = asked.get("align");
if (asked.get("bold") === "0") content.style.fontWeight = "normal";
if (asked.has("blank")) content.style.setProperty("--blank", asked.get("blank"));

let rolling = null;

function wrapped(text, width) {
  if (!width) return text;
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines.join("\n");
}

function roll(text) {
  const line = html`<span class="line">${text}</span>`;
  content.replaceChildren(line);
  rolling?.cancel();
  const width = line.offsetWidth;
  rolling = line.animate([{ transform: "translateX(0)" }, { transform: "translateX(-100%)" }], {
    duration: (1000 * width) / Math.max(1, number("speed", 80)),
    iterations: Infinity,
  });
}

function show(text) {
  const lines = wrapped(text, number("wrap", 0));
  if (field === "last_play") {
    roll(lines);
  } else if (field === "blank1" || field === "blank2") {
    content.replaceChildren(
      ...[...lines].map(
        (letter) => html`<span class=${letter === letter.toUpperCase() ? null : "blank"}>${letter}</span>`,
      ),
    );
  } else {
    content.textContent = lines;
  }
}

function listen() {
  const who = new URLSearchParams(query).toString();
  const source = sharedSource(who ? `${events}?${who}` : events, ["message"]);
  source.addEventListener("message", (event) => {
    const value = JSON.parse(event.data)[field];
    if (value !== undefined) show(value);
  });
  source.addEventListener("error", async () => {
    // A browser comes back by itself, but not to a server that was full, or that refuses it.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, 5000);
    const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (answer && [400, 401, 403, 404].includes(answer.status)) show("");
  });
}

show(content.textContent);
listen();
