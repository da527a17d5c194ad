// Sharing a game, or the turn that is shown: an address to copy, and what another site puts in.
import { html } from "./html.js";
import "./back.js"; // the Back key closes its window
import { ONLY_HERE, onlyHere } from "./only_here.js";
import { file, page, published } from "./site.js";
import { gettext } from "./texts.js";

export class Share {
  // `address` gives the path of the game that is shown, `turn` the turn, or null for the newest.
  constructor(root, address, turn) {
    if (!root) return;
    this.dialog = root;
    this.address = address;
    this.turn = turn;
    this.link = root.querySelector("#share-link");
    this.code = root.querySelector("#share-embed");
    this.qr = root.querySelector("#share-code");
    this.qr.addEventListener("load", () => (this.qr.hidden = false));
    this.status = root.querySelector("[role=status]");
    document.querySelector("#share-open").addEventListener("click", () => this.open());
    const close = root.querySelector(".close");
    close.addEventListener("click", () => root.close());
    if (navigator.share) close.before(this.sender()); // not on a page that came without encryption
    root.addEventListener("click", (event) => {
      const field = event.target.dataset?.copy && root.querySelector(event.target.dataset.copy);
      if (field) this.copy(field);
    });
  }

  open() {
    const at = this.turn();
    const path = this.address();
    this.dialog.querySelector("label[for=share-link]").textContent =
      at === null
        ? gettext("The address of this game")
        : gettext("The address of this game, at turn %(number)s", { number: at });
    this.link.value = new URL(page(path) + (at === null ? "" : `#turn=${at}`), location).href;
    this.dialog.querySelector("#share-picture").href = file(`${path}/picture.png`);
    this.qr.hidden = true; // until it shows this address
    if (!published) this.qr.src = `/share-code.svg?address=${encodeURIComponent(this.link.value)}`;
    if (this.code) {
      const frame = document.createElement("iframe");
      frame.src = `${location.origin}/embed${path}`;
      frame.title = document.title;
      frame.width = "100%";
      frame.height = "680"; // the least in which the page fills its frame and does not scroll
      frame.style.border = "0";
      this.code.value = frame.outerHTML;
    }
    this.status.textContent = onlyHere(this.link.value) ? ONLY_HERE : "";
    this.dialog.showModal();
    this.link.setSelectionRange(0, this.link.value.length, "backward"); // a long address shows its start
    this.link.focus();
    this.link.scrollLeft = 0;
  }

  // The button for the phone's own way of passing an address on.
  sender() {
    return html`<button type="button" class="send" onclick=${() => this.send()}>${gettext("Send…")}</button>`;
  }

  async send() {
    try {
      await navigator.share({ title: document.title, url: this.link.value });
      this.dialog.close();
    } catch {
      // Thought better of: the address still stands there.
    }
  }

  // Pages that came without encryption have no clipboard of their own.
  async copy(field) {
    field.select();
    let copied = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      copied = document.execCommand("copy");
    }
    const byHand = matchMedia("(pointer: coarse)").matches
      ? field === this.link
        ? gettext("Hold the address and choose Copy.")
        : gettext("Hold the line and choose Copy.")
      : gettext("Selected: copy it with the keyboard.");
    this.status.classList.toggle("copied-it", copied);
    this.status.textContent = copied ? gettext("Copied.") : byHand;
  }
}
