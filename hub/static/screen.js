// All tables on one screen, as large as they go: with their boards where these can be seen, else the scores alone.
// Where they would be too small to be read from the back of the hall, page after page.

import { fold } from "../overlay/fold.js";
import { gettext } from "../texts.js";

const GAP = 10;
const SMALLEST = { width: 210, height: 88 }; // in px: a card below that is not read from afar
const PLAIN = { text: (w, h) => Math.min(h / 5.2, w / 14.5), flattest: 0.62 };
const BOARDS = { text: (w, h) => Math.min(h / 8.4, (w - h) / 14), flattest: 0.5 }; // the board is as wide as high
const LEAST_TEXT = 14; // in px: with smaller text there are no boards
const SMALLEST_NAME = 0.7; // of the others' size, before a long name is folded
const SMALLEST_FOLDED = 0.6; // before it is given a third line, or cut off
const TURN_MS = 12000;

const list = document.querySelector("#rows");
const pageNo = document.querySelector("#page-no");
let page = 0;

// The columns and rows in which `count` cards come out largest: by how large their text can be.
function layout(count, width, height, shape) {
  const most = {
    columns: Math.max(1, Math.floor((width + GAP) / (SMALLEST.width + GAP))),
    rows: Math.max(1, Math.floor((height + GAP) / (SMALLEST.height + GAP))),
  };
  const each = Math.ceil(count / Math.max(1, Math.ceil(count / (most.columns * most.rows))));
  let best = null;
  for (let columns = 1; columns <= most.columns; columns += 1) {
    const rows = Math.max(1, Math.ceil(each / columns));
    if (rows > most.rows && columns < most.columns) continue;
    const w = (width - GAP * (columns - 1)) / columns;
    const h = Math.min((height - GAP * (rows - 1)) / rows, w * shape.flattest);
    const found = { columns, rows, width: w, height: h, text: shape.text(w, h) };
    if (!best || found.text > best.text) best = found;
  }
  return best;
}

const EDGE = 6; // in px, of a card: nothing stands closer to it

function overflows(card) {
  return (
    card.querySelector("header").offsetHeight + card.querySelector(".pair").offsetHeight > card.clientHeight - EDGE
  );
}

// The names of a card, each as large as it can be: a long one does not make its opponent's small.
function place(card) {
  const names = [...card.querySelectorAll(".who")];
  for (const name of names) {
    name.style.webkitLineClamp = "";
    fold(name, SMALLEST_NAME, SMALLEST_FOLDED);
  }
  const folded = names.filter((name) => name.classList.contains("folded"));
  for (const name of folded) {
    if (name.scrollHeight > name.clientHeight + 4) name.style.webkitLineClamp = 3;
  }
  for (let step = 0; step < 5 && folded.length && overflows(card); step += 1) {
    for (const name of folded) name.style.fontSize = `${parseFloat(getComputedStyle(name).fontSize) * 0.94}px`;
  }
  if (overflows(card)) for (const name of folded) name.style.webkitLineClamp = "";
}

function arrange() {
  const cards = [...list.children];
  if (!cards.length) return;
  const box = list.getBoundingClientRect();
  const boards = layout(cards.length, box.width, box.height, BOARDS);
  const all = boards.columns * boards.rows >= cards.length;
  const found = all && boards.text >= LEAST_TEXT ? boards : layout(cards.length, box.width, box.height, PLAIN);
  const each = found.columns * found.rows;
  const pages = Math.ceil(cards.length / each);
  page %= pages;
  list.classList.toggle("boards", found === boards);
  list.style.setProperty("--card-w", `${Math.floor(found.width)}px`);
  list.style.setProperty("--card-h", `${Math.floor(found.height)}px`);
  list.style.setProperty("--text", `${found.text}px`);
  cards.forEach((card, at) => {
    card.hidden = Math.floor(at / each) !== page;
  });
  for (const card of list.querySelectorAll(":scope > :not([hidden])")) {
    if (card.querySelector(".pair")) place(card);
  }
  pageNo.textContent = pages > 1 ? gettext("Page %(page)s of %(pages)s", { page: page + 1, pages }) : "";
}

if (list) {
  document.body.addEventListener("hall", arrange);
  addEventListener("resize", arrange);
  setInterval(() => {
    page += 1;
    arrange();
  }, TURN_MS);
  arrange();
}
