// The Back key closes an open window and stays on the page: while one is open, the history has one entry more.
const shown = () => document.querySelector("dialog[open]");
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
  const dialog = shown();
  // As by Escape: what was typed may stop it.
  if (dialog && !leaving && !added() && dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
  leaving = false;
  if (!added()) history.scrollRestoration = "auto";
  follow();
  const { activeElement: focused } = document; // which a fragment in the address takes away
  setTimeout(() => focused.focus({ preventScroll: true }));
});
new MutationObserver(follow).observe(document, { subtree: true, attributeFilter: ["open"] });
follow(); // the page may have been loaded again while a window was open
