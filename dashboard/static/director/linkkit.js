// What the sections of the links' page share.
import { onlyHere } from "../only_here.js";
import { ask } from "./api.js";
import { $, button, fill, html, say } from "./dom.js";

export { $ };

function fault(error) {
  $("#fault").textContent = error?.message ?? "";
  $("#fault").hidden = !error;
  if (error) $("#fault").scrollIntoView({ block: "nearest" });
}

// Do something, and say that it is done or why not.
export async function doing(what, outcome) {
  try {
    fault(null);
    const answer = await what();
    if (outcome) {
      say(outcome);
      drawDone().catch(() => {});
    }
    return answer;
  } catch (error) {
    fault(error);
    return null;
  }
}

// An address with a path that other machines can open too, where the server knows one: `served`.
// Whoever came by the machine's own name has the address of this page.
export function whole(path, served) {
  return new URL(path, onlyHere(location.origin) && served ? served : location.origin).href;
}

export const day = (s) =>
  s === null
    ? "never"
    : new Date(s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

// The clipboard is only for secure pages; elsewhere the text is selected, to be copied by hand.
// `of` says for a screen reader what is copied.
export function copier(text, of = "") {
  const copy = async ({ target }) => {
    try {
      await navigator.clipboard.writeText(await text());
      say("Copied.");
      target.textContent = "Copied";
      setTimeout(() => fill(target, "Copy"), 1500);
    } catch {
      const code = target.closest("td, li, .address")?.querySelector("code") ?? $("#preview-address");
      getSelection().selectAllChildren(code);
      say("Selected, to be copied by hand.");
    }
  };
  return button("Copy", copy, { class: "button small", "aria-label": of ? `Copy ${of}` : null });
}

// A button that ends something for good.
export function ender(text, name, path, after) {
  const end = async () => {
    await doing(() => remove(path), `${name} has ended.`);
    after();
  };
  return button(text, end, { class: "button small danger", "aria-label": `${text} ${name}` });
}

// The reason that is kept with whatever is done on this page.
export const why = () => $("#why").value;

// What was done here before, newest first.
export async function drawDone() {
  const { done } = await ask("/director/api/journal");
  const items = done.map(
    (one) =>
      html`<li><span>${one.what}</span><span class="soft small"> ${one.by} · ${one.why} · ${day(one.at_s)}</span></li>`,
  );
  fill($("#done-list"), items.length ? items : html`<li class="soft">Nothing yet.</li>`);
}

async function remove(path) {
  const answer = await fetch(path, {
    method: "DELETE",
    headers: {
      Accept: "application/json",
      "X-CSRF-Token": $("meta[name=csrf-token]").content,
      "X-Why": encodeURIComponent(why()),
    },
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

export function nothing(columns, text) {
  return html`<tr><td colspan=${columns} class="soft">${text}</td></tr>`;
}

// A secret that is shown this once.
export function reveal(box, text) {
  box.querySelector("code").textContent = text;
  box.hidden = false;
  const copy = box.querySelector(".copy");
  if (copy) copy.replaceWith(copier(() => box.querySelector("code").textContent));
}
