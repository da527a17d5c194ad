// Elements from plain values. Text is only ever set as text.

// A number after a name that is written from right to left stays on its right.
const marked = (text) => `${text}`.replace(/([\u0590-\u08ff])(?=[^\p{L}]*\d)/gu, "$1\u200e");

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = marked(value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof element[name] === "boolean") element[name] = value;
    else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(typeof child === "string" ? marked(child) : child);
  return element;
}

// `more`: what else it is given.
export const button = (text, onclick, more = {}) => make("button", { className: "button", type: "button", text, onclick, ...more });

// A paragraph, where there is something to say.
export const line = (className, text) => (text ? make("p", { className, text }) : null);

export const $ = (selector) => document.querySelector(selector);

export function say(text) {
  const log = $("#say");
  log.append(make("span", { text: `${text} ` }));
  while (log.childElementCount > 20) log.firstElementChild.remove();
}

export const LEVELS = { trouble: "Trouble", question: "Question", flag: "Flag", note: "Note" };

export function level(name) {
  return make("span", { className: "level", data: { level: name }, text: LEVELS[name] });
}
