// Elements from templates: html`<p class="note">${text}</p>`. Text is only ever set as text.
import htm from "./vendor/htm.js";

// A number after a name that is written from right to left stays on its right.
const marked = (text) => text.replace(/([\u0590-\u08ff])(?=[^\p{L}]*\d)/gu, "$1\u200e");

const isNothing = (value) => value === undefined || value === null || value === false;

function set(element, name, value) {
  if (isNothing(value)) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (typeof element[name] === "boolean") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

// Neighbouring texts are one: a name in one and a number in the next are marked, too.
function nodes(children) {
  const found = [];
  for (const child of children.flat(Infinity)) {
    if (isNothing(child) || child === "") continue;
    if (child instanceof Node) found.push(child);
    else if (typeof found.at(-1) === "string") found.push(found.pop() + child);
    else found.push(`${child}`);
  }
  return found.map((child) => (typeof child === "string" ? marked(child) : child));
}

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "image", "line", "path", "polyline", "rect", "text"]);

function make(tag, attributes, ...children) {
  this[0] = 3; // each use makes elements of its own
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

// An attribute that is false, null or undefined is left out, and so is such a child; a child may be a
// list. A function is an event's listener: onclick=${…}.
export const html = htm.bind(make);

// Put such children in the place of those that an element has.
export const fill = (element, ...children) => element.replaceChildren(...nodes(children));
