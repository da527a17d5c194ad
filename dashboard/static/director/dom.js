// Elements from plain values. Text is only ever set as text.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof element[name] === "boolean") element[name] = value;
    else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function say(text) {
  const log = document.querySelector("#say");
  log.append(make("span", { text: `${text} ` }));
  while (log.childElementCount > 20) log.firstElementChild.remove();
}

export const LEVELS = { trouble: "Trouble", question: "Question", flag: "Flag", note: "Note" };

export function level(name) {
  return make("span", { className: "level", data: { level: name }, text: LEVELS[name] });
}
