// The texts of public pages in the page's language. The server puts the translations of all scripts' messages into
// the page (dashboard/languages.py); where it puts none, the messages stand as they are, in English.
// Messages are taken from here by `python -m tools.catalogue`: each call has its message as a plain string.
const { messages = {}, plural = "" } = JSON.parse(document.querySelector("#texts")?.textContent ?? "{}");

const LAST_DIGITS = 100;

function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => values[name] ?? whole);
}

export function gettext(message, values = {}) {
  return filled(messages[message] ?? message, values);
}

// The form for a number, which the text may name %(num)s.
export function ngettext(one, more, number, values = {}) {
  const forms = messages[one];
  const at = number < plural.length ? number : LAST_DIGITS + (number % LAST_DIGITS);
  const text = forms ? forms[plural[at]] : number === 1 ? one : more;
  return filled(text, { num: number, ...values });
}
