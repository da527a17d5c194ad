// The menu of a table's games, asked for anew when one has begun, was signed or has other names.
import { ask } from "./api.js";
import { html } from "./dom.js";

export class GameMenu {
  // `root` is where the table is asked of; `following`: the page shows whatever is on the table.
  constructor(select, root, following) {
    this.select = select;
    this.root = root;
    this.following = following;
    this.seen = null;
    this.asking = false;
    select.addEventListener("change", () =>
      location.assign(`${location.pathname}?game=${encodeURIComponent(select.value)}`),
    );
  }

  // The page shows game `shown`; `newest` is the one on the table.
  async see(shown, newest, { view: { players }, signed }) {
    const seen = JSON.stringify([shown, newest, players, signed !== null]);
    if (seen === this.seen || this.asking) return;
    this.asking = true;
    try {
      const { games } = await ask(`${this.root}/games`);
      this.draw(games, this.following ? games[0]?.game_id : shown);
      this.seen = seen;
    } catch {
      // The next look asks again.
    } finally {
      this.asking = false;
    }
  }

  draw(games, chosen) {
    this.select.replaceChildren(
      ...games.map(
        ({ game_id: id, begun, players, signed }, at) =>
          html`<option value=${id} selected=${id === chosen}>
            ${begun ? `${begun} ` : ""}${players}${at === 0 ? " (on the table)" : signed ? "" : " (not signed)"}
          </option>`,
      ),
    );
  }
}
