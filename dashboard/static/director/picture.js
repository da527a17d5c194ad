// The live picture, and over it what was read: each tile's square with its letter.
import { spelled } from "../spelling.js";

const EVERY_MS = 1000;
const SIZE = 15;

// The projective map from board units (x right, y down, 0..15) to pixels, by the four corners.
export function mapping(corners) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
  const dx1 = x1 - x2,
    dx2 = x3 - x2,
    dx3 = x0 - x1 + x2 - x3;
  const dy1 = y1 - y2,
    dy2 = y3 - y2,
    dy3 = y0 - y1 + y2 - y3;
  const by = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / by;
  const h = (dx1 * dy3 - dx3 * dy1) / by;
  const a = x1 - x0 + g * x1,
    b = x3 - x0 + h * x3;
  const d = y1 - y0 + g * y1,
    e = y3 - y0 + h * y3;
  return (col, row) => {
    const u = col / SIZE,
      v = row / SIZE,
      w = g * u + h * v + 1;
    return [(a * u + b * v + x0) / w, (d * u + e * v + y0) / w];
  };
}

// How a symbol that was read is written over its square.
function marking(symbol) {
  if (symbol === "~" || symbol === "#") return { text: symbol === "~" ? "?!" : "▒", line: "#ff5a4d", ink: "#ffb3ad" };
  const blank = symbol !== symbol.toUpperCase();
  return { text: spelled(symbol.toUpperCase()), line: "#35e08e", ink: blank ? "#ffe08a" : "#d8ffe9" };
}

export function drawReading(context, { corners, rows, width }) {
  if (!corners || !rows) return;
  const at = mapping(corners);
  const line = Math.max(1, width / 640);
  const path = (points) => {
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y); // the first one begins the path
    context.closePath();
  };
  context.lineWidth = line * 1.5;
  context.strokeStyle = "#35e08e";
  path([at(0, 0), at(SIZE, 0), at(SIZE, SIZE), at(0, SIZE)]);
  context.stroke();
  const [ax, ay] = at(7, 7),
    [bx, by] = at(8, 7);
  const size = Math.hypot(bx - ax, by - ay);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `800 ${Math.max(9, size * 0.5)}px system-ui, sans-serif`;
  const symbols = rows.flatMap((row, r) => [...row].map((symbol, c) => ({ symbol, r, c })));
  for (const { symbol, r, c } of symbols.filter((one) => one.symbol !== ".")) {
    const { text, line: rim, ink } = marking(symbol);
    context.strokeStyle = rim;
    context.lineWidth = line;
    path([at(c + 0.06, r + 0.06), at(c + 0.94, r + 0.06), at(c + 0.94, r + 0.94), at(c + 0.06, r + 0.94)]);
    context.stroke();
    const [x, y] = at(c + 0.5, r + 0.12);
    context.lineWidth = line * 2.5;
    context.strokeStyle = "#000c";
    context.strokeText(text, x, y);
    context.fillStyle = ink;
    context.fillText(text, x, y);
  }
}

export class LivePicture {
  constructor(table, { canvas, none, age, over }) {
    this.address = `/director/tables/${encodeURIComponent(table)}/picture.jpg`;
    Object.assign(this, { canvas, none, age, over });
    this.shown = null;
    over.addEventListener("change", () => this.draw());
    this.look();
  }

  async look() {
    if (!document.hidden) {
      try {
        await this.fetch();
      } catch {
        this.age.textContent = "The picture cannot be had.";
      }
    }
    setTimeout(() => this.look(), EVERY_MS);
  }

  async fetch() {
    const answer = await fetch(this.address, { cache: "no-store" });
    if (answer.status !== 200) {
      this.none.hidden = this.shown !== null;
      return;
    }
    const about = JSON.parse(answer.headers.get("X-Tilewatch-Read"));
    // By this page's own time: it goes on where the table's stands.
    const same = this.shown?.about.read_ns === about.read_ns;
    const read = same ? this.shown.read : performance.now() - (about.now_ns - about.read_ns) / 1e6;
    this.shown = { about, read, image: await createImageBitmap(await answer.blob()) };
    this.none.hidden = true;
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const { about, image } = this.shown;
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
    }
    const context = this.canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    if (this.over.checked) drawReading(context, about);
    const tiles = (about.rows ?? []).join("").replaceAll(".", "").length;
    const old = (about.now_ns - about.t_ns) / 1e9;
    const unread = about.looked ? "no board found" : "not read while something moves";
    this.canvas.setAttribute(
      "aria-label",
      about.corners ? `The table now: a board with ${tiles} tiles read` : `The table now, ${unread}`,
    );
    const read =
      about.read_ns === about.t_ns
        ? "read"
        : `read ${Math.max(0, (performance.now() - this.shown.read) / 1e3).toFixed(0)} s ago; nothing has moved since`;
    const hidden = (about.rows ?? []).join("").split("~").length - 1;
    const covered =
      about.corners && hidden
        ? `; ${hidden === 1 ? "1 square is" : `${hidden} squares are`} covered or unreadable`
        : "";
    const age = old < 2 ? "Live" : `${old.toFixed(0)} s old`;
    this.age.textContent = `${age}, ${about.corners ? read : unread}${covered}`;
  }
}
