// A round's scores as they change. Where a game begins or ends, the page is asked for again.
import { RowStream } from "../row_stream.js";

const root = document.querySelector("[data-stream]");
const AGAIN_MS = Number(root.dataset.againMs ?? 10000);
const known = new Map(); // how far each table was, by its id
let asking = 0;

function scores(row) {
  const line = document.querySelector(`tr[data-table="${CSS.escape(row.id)}"]`);
  if (!line || !row.players || row.withheld) return;
  const sides = "turned" in line.dataset ? ["right", "left"] : ["left", "right"];
  const [one, other] = sides.map((side) => row.players[side].score);
  line.querySelectorAll(".points").forEach((cell, at) => {
    const [own, against] = at ? [other, one] : [one, other];
    if (cell.textContent !== String(own)) cell.textContent = own;
    cell.classList.toggle("leads", own > against);
  });
}

// Games end one after the other, and many pages look on.
function askAgain() {
  if (asking) return;
  asking = setTimeout(
    async () => {
      asking = 0;
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const main = document.querySelector("main");
        if (!main.contains(document.activeElement)) main.replaceChildren(...page.querySelector("main").childNodes);
      } catch {
        // the next change asks again
      }
    },
    AGAIN_MS * (0.5 + Math.random()),
  );
}

function take(rows) {
  for (const row of rows) {
    const now = `${row.status} ${row.final} ${row.provisional}`;
    if (known.has(row.id) && known.get(row.id) !== now) askAgain();
    known.set(row.id, now);
    scores(row);
  }
}

new RowStream(root.dataset.stream, take, () => {}, { beat: () => {} });
