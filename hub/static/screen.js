// All tables on one screen, as large as they go: with boards where these can be seen, else the scores alone.
// Where they would be too small to be read, page after page.

import { fold } from "../overlay/fold.js";
import { gettext } from "../texts.js";

const GAP = 10;
const SMALLEST = { width: 210, height: 88 }; // in px: to be read from afar
const PLAIN = { text: (w, h) => Math.min(h / 5.2, w / 14.5), flattest: 0.62 };
const BOARDS = { text: (w, h) => Math.min(h / 8.4, (w - h) / 14), flattest: 0.5 }; // the board is as wide as high
const LEAST_TEXT = 14; // in px: with boards
const SMALLEST_NAME = 0.7; // of its size, before a name is folded
const SMALLEST_FOLDED = 0.6; // before it has a third line, or is cut off
const TURN_MS = 12000;

const list = document.querySelector("#rows");
const pageNo = document.querySelector("#page-no");
let page = 0;

// The columns and rows in which `count` cards have the largest text.
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
    const found = { each: columns * rows, width: w, height: h, text: shape.text(w, h) };
    if (!best || found.text > best.text) best = found;
  }
  return best;
}

const overflows = (card) => card.scrollHeight > card.clientHeight + 1;

const isCut = (name) => name.scrollHeight > name.clientHeight + 4;
const sizeOf = (name) => parseFloat(getComputedStyle(name).fontSize);

// The names, all as large as the longest in one line may be; folded ones may be smaller.
function place(cards) {
  const names = cards.flatMap((card) => [...card.querySelectorAll(".who")]);
  for (const name of names) {
    name.style.webkitLineClamp = "";
    fold(name, SMALLEST_NAME, SMALLEST_FOLDED);
  }
  const common = Math.min(...names.filter((name) => !name.matches(".folded")).map(sizeOf));
  for (const name of names) name.style.fontSize = `${Math.min(common, sizeOf(name))}px`;
  cards.forEach(squeeze);
}

function squeeze(card) {
  const folded = [...card.querySelectorAll(".folded")];
  for (const name of folded) if (isCut(name)) name.style.webkitLineClamp = 3;
  for (let step = 0; step < 5 && (overflows(card) || folded.some(isCut)); step += 1)
    for (const name of folded) name.style.fontSize = `${sizeOf(name) * 0.94}px`;
  if (overflows(card)) for (const name of folded) name.style.webkitLineClamp = "";
}

function arrange() {
  const cards = [...list.children];
  if (!cards.length) return;
  const box = list.getBoundingClientRect();
  const boards = layout(cards.length, box.width, box.height, BOARDS);
  const large = boards.each >= cards.length && boards.text >= LEAST_TEXT;
  const found = large ? boards : layout(cards.length, box.width, box.height, PLAIN);
  const { each } = found;
  const pages = Math.ceil(cards.length / each);
  page %= pages;
  list.classList.toggle("boards", large);
  list.style.setProperty("--card-w", `${Math.floor(found.width)}px`);
  list.style.setProperty("--card-h", `${Math.floor(found.height)}px`);
  list.style.setProperty("--text", `${found.text}px`);
  cards.forEach((card, at) => {
    card.hidden = Math.floor(at / each) !== page;
  });
  place([...list.querySelectorAll(":scope > :not([hidden])")]);
  pageNo.dataset.round = document.querySelector("#round:not(.sr)")?.textContent ?? "";
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
