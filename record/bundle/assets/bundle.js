"use strict";
// One turn at a time, with the arrow keys. Without this script the page shows all of them.
(() => {
  const turns = [...document.querySelectorAll(".turn")];
  const links = [...document.querySelectorAll(".turns a")];
  const earlier = document.getElementById("earlier");
  const later = document.getElementById("later");
  const where = document.getElementById("where");
  let at = 0;

  const show = (number, from) => {
    at = Math.max(0, Math.min(turns.length - 1, number));
    turns.forEach((turn, place) => turn.classList.toggle("shown", place === at));
    links.forEach((link, place) => {
      if (place === at) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    earlier.disabled = at === 0;
    later.disabled = at === turns.length - 1;
    where.textContent = `${turns[at].dataset.name} of ${turns.length}`;
    const link = links[at];
    const list = link.closest("ol");
    if (link.offsetTop < list.scrollTop || link.offsetTop + link.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = link.offsetTop - list.clientHeight / 2;
    }
    if (from !== "address") history.replaceState(null, "", `#${turns[at].id}`);
  };

  const fromAddress = () => {
    const place = turns.findIndex((turn) => `#${turn.id}` === location.hash);
    if (place >= 0) show(place, "address");
  };

  if (turns.length) {
    document.documentElement.classList.add("script");
    earlier.addEventListener("click", () => show(at - 1));
    later.addEventListener("click", () => show(at + 1));
    links.forEach((link, place) => link.addEventListener("click", (event) => {
      event.preventDefault();
      show(place);
    }));
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: turns.length - 1 };
      if (event.key in steps) {
        event.preventDefault();
        show(steps[event.key]);
      }
    });
    window.addEventListener("hashchange", fromAddress);
    show(turns.length - 1, "address");
    fromAddress();
    // The address has led to the turn already; it need not hide the head of the page.
    history.scrollRestoration = "manual";
    requestAnimationFrame(() => window.scrollTo(0, 0));
  }

  const absent = () => document.getElementById("absent").classList.add("shown");
  for (const picture of document.images) {
    picture.addEventListener("error", absent);
    if (picture.complete && picture.naturalWidth === 0 && picture.loading !== "lazy") absent();
  }
})();
