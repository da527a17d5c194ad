// Light or dark: the viewer's choice if there was one, else the system's. Not a module, so that it
// runs before anything is drawn; "theme" in the address wins, for a screen that has no mouse.
(() => {
  const root = document.documentElement;
  const known = ["light", "dark"];
  const asked = new URLSearchParams(location.search).get("theme");
  let kept = null;
  try {
    kept = localStorage.getItem("theme");
  } catch {
    // A browser that keeps nothing still shows the page.
  }
  const choice = [asked, kept].find((value) => known.includes(value));
  if (choice) root.dataset.theme = choice;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("#theme");
    if (!button) return;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
    const draw = () => button.setAttribute("aria-pressed", String(dark()));
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // Then it holds for this page alone.
      }
      draw();
    });
    system.addEventListener("change", draw);
    draw();
  });
})();
