// Sharing a game, or the turn that is shown: an address to copy, and what another site puts in.

export class Share {
  // `address` gives the path of the game that is shown, `turn` the turn, or null for the newest.
  constructor(root, address, turn) {
    if (!root) return;
    this.dialog = root;
    this.address = address;
    this.turn = turn;
    this.link = root.querySelector("#share-link");
    this.code = root.querySelector("#share-embed");
    this.status = root.querySelector("[role=status]");
    document.querySelector("#share-open").addEventListener("click", () => this.open());
    root.querySelector(".close").addEventListener("click", () => root.close());
    root.addEventListener("click", (event) => {
      const field = event.target.dataset?.copy && root.querySelector(event.target.dataset.copy);
      if (field) this.copy(field);
    });
  }

  open() {
    const at = this.turn();
    const path = this.address();
    this.dialog.querySelector("label[for=share-link]").textContent = at === null ? "The address of this game" : `The address of this game, at turn ${at}`;
    this.link.value = `${location.origin}${path}${at === null ? "" : `#turn=${at}`}`;
    if (this.code) {
      const frame = document.createElement("iframe");
      frame.src = `${location.origin}/embed${path}`;
      frame.title = document.title;
      frame.width = "100%";
      frame.height = "640";
      frame.style.border = "0";
      this.code.value = frame.outerHTML;
    }
    this.status.textContent = "";
    this.dialog.showModal();
    this.link.select();
  }

  // Pages that came without encryption have no clipboard of their own.
  async copy(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      this.status.textContent = "Copied.";
    } catch {
      this.status.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
    }
  }
}
