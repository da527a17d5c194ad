// The Back key closes an open window, or leaves a mode by its button, and stays on the page: meanwhile the
// history has one entry more.
const shown = () => document.querySelector("dialog[open]") ?? document.querySelector(".picking:not([hidden]) > button");
const added = () => history.state?.window === true;
let leaving = false; // that entry, which takes a moment

function follow() {
  if (leaving) return;
  if (shown() && !added()) {
    history.scrollRestoration = "manual"; // what a window leads to stays in sight
    history.pushState({ window: true }, "");
  } else if (!shown() && added()) {
    leaving = true;
    history.back();
  }
}

addEventListener("popstate", () => {
  const open = leaving || added() ? null : shown();
  if (open?.close === undefined) open?.click();
  // As by Escape: what was typed may stop it.
  else if (open.dispatchEvent(new Event("cancel", { cancelable: true }))) open.close();
  leaving = false;
  if (!added()) history.scrollRestoration = "auto";
  follow();
  const { activeElement: focused } = document; // which a fragment in the address takes away
  setTimeout(() => focused.focus({ preventScroll: true }));
});
new MutationObserver(follow).observe(document, { subtree: true, attributeFilter: ["open", "hidden"] });
follow(); // the page may have been loaded again while a window was open
