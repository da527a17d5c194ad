// What changed between two pictures from one camera: blocks whose look differs by more than noise
// and a change of the light over the whole picture can make.

import { mapping } from "./picture.js";

const WIDE = 960; // pixels a side that are compared
const BLOCK = 8;
const LEAST = 14; // of 255, mean over a block and its channels

function pixels(image, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

// The gain of each channel that makes the middle of one picture that of the other.
function gains(a, b) {
  return [0, 1, 2].map((channel) => {
    const ratios = [];
    for (let at = channel; at < a.length; at += 4 * 997) if (a[at] > 12 && b[at] > 12) ratios.push(a[at] / b[at]);
    ratios.sort((x, y) => x - y);
    return ratios.length ? ratios[Math.floor(ratios.length / 2)] : 1;
  });
}

function blockSum(a, b, gain, width, row, column) {
  let sum = 0;
  for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 1) {
    const start = (y * width + column * BLOCK) * 4;
    for (let at = start; at < start + BLOCK * 4; at += 4) {
      for (let channel = 0; channel < 3; channel += 1)
        sum += Math.abs(a[at + channel] - b[at + channel] * gain[channel]);
    }
  }
  return sum;
}

// {columns, rows, blocks: Uint8Array of 0 or 1, share: 0..1}
export function difference(one, other) {
  const scale = Math.min(1, WIDE / Math.max(one.width, one.height));
  const width = Math.max(BLOCK, Math.round(one.width * scale));
  const height = Math.max(BLOCK, Math.round(one.height * scale));
  const a = pixels(one, width, height);
  const b = pixels(other, width, height);
  const gain = gains(a, b);
  const columns = Math.floor(width / BLOCK);
  const rows = Math.floor(height / BLOCK);
  const blocks = new Uint8Array(columns * rows);
  let changed = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (blockSum(a, b, gain, width, row, column) / (BLOCK * BLOCK * 3) <= LEAST) continue;
      blocks[row * columns + column] = 1;
      changed += 1;
    }
  }
  return { columns, rows, blocks, share: changed / blocks.length };
}

// Darkens what stayed and frames what changed, over a canvas that shows the picture.
export function highlight(context, { columns, rows, blocks }, width, height) {
  const w = width / columns;
  const h = height / rows;
  const is = (row, column) =>
    row >= 0 && column >= 0 && row < rows && column < columns && blocks[row * columns + column] === 1;
  const edges = new Path2D();
  const stayed = new Path2D(); // one path, so that neighbours do not darken each other's rims
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const x = column * w;
      const y = row * h;
      if (!is(row, column)) {
        stayed.rect(x, y, w, h);
        continue;
      }
      for (const [near, x0, y0, x1, y1] of [
        [is(row - 1, column), x, y, x + w, y],
        [is(row + 1, column), x, y + h, x + w, y + h],
        [is(row, column - 1), x, y, x, y + h],
        [is(row, column + 1), x + w, y, x + w, y + h],
      ]) {
        if (near) continue;
        edges.moveTo(x0, y0);
        edges.lineTo(x1, y1);
      }
    }
  }
  context.fillStyle = "#0009";
  context.fill(stayed);
  context.lineWidth = Math.max(2, width / 500);
  context.strokeStyle = "#ff2fd0";
  context.stroke(edges);
}

// --- of two boards, however each lies in its picture ---

const SQUARES = 15;
const PITCH = 40; // samples along a square's side
const SIDE = SQUARES * PITCH;
const SHIFTS = [0, -1, 1, -2, 2, -3, 3]; // how far the two may be off each other, in samples
const PART = 0.36; // of a square's blocks that have to differ before the square counts as changed

// The board as seen from straight above: Float32Array of SIDE × SIDE × 3.
function straight(image, corners) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const at = mapping(corners);
  const out = new Float32Array(SIDE * SIDE * 3);
  for (let row = 0; row < SIDE; row += 1) {
    for (let column = 0; column < SIDE; column += 1) {
      const [x, y] = at((column + 0.5) / PITCH, (row + 0.5) / PITCH);
      const left = Math.max(0, Math.min(image.width - 2, Math.floor(x - 0.5)));
      const top = Math.max(0, Math.min(image.height - 2, Math.floor(y - 0.5)));
      const u = Math.max(0, Math.min(1, x - 0.5 - left));
      const v = Math.max(0, Math.min(1, y - 0.5 - top));
      const from = (top * image.width + left) * 4;
      const below = from + image.width * 4;
      for (let channel = 0; channel < 3; channel += 1) {
        const upper = data[from + channel] * (1 - u) + data[from + 4 + channel] * u;
        const lower = data[below + channel] * (1 - u) + data[below + 4 + channel] * u;
        out[(row * SIDE + column) * 3 + channel] = upper * (1 - v) + lower * v;
      }
    }
  }
  return out;
}

function middles(a, b) {
  return [0, 1, 2].map((channel) => {
    const ratios = [];
    for (let at = channel; at < a.length; at += 3 * 499) if (a[at] > 12 && b[at] > 12) ratios.push(a[at] / b[at]);
    ratios.sort((x, y) => x - y);
    return ratios.length ? ratios[Math.floor(ratios.length / 2)] : 1;
  });
}

function blockDiffers(a, b, gain, row, column) {
  let least = Infinity;
  for (const dy of SHIFTS) {
    for (const dx of SHIFTS) {
      let sum = 0;
      for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 1) {
        const other = Math.max(0, Math.min(SIDE - 1, y + dy)) * SIDE;
        for (let x = column * BLOCK; x < (column + 1) * BLOCK; x += 1) {
          const p = (y * SIDE + x) * 3;
          const q = (other + Math.max(0, Math.min(SIDE - 1, x + dx))) * 3;
          sum +=
            Math.abs(a[p] - b[q] * gain[0]) +
            Math.abs(a[p + 1] - b[q + 1] * gain[1]) +
            Math.abs(a[p + 2] - b[q + 2] * gain[2]);
        }
      }
      least = Math.min(least, sum);
      if (least <= LEAST * BLOCK * BLOCK * 3) return false;
    }
  }
  return true;
}

// {count, blocks, share, squares: names of the squares that changed, in reading order}
export function boardDifference(one, corners, other, otherCorners) {
  const a = straight(one, corners);
  const b = straight(other, otherCorners);
  const gain = middles(a, b);
  const count = SIDE / BLOCK;
  const blocks = new Uint8Array(count * count);
  const perSquare = new Map();
  const within = PITCH / BLOCK;
  let changed = 0;
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!blockDiffers(a, b, gain, row, column)) continue;
      blocks[row * count + column] = 1;
      changed += 1;
      const key = Math.floor(row / within) * SQUARES + Math.floor(column / within);
      perSquare.set(key, (perSquare.get(key) ?? 0) + 1);
    }
  }
  const squares = [...perSquare]
    .filter(([, found]) => found / (within * within) >= PART)
    .map(([key]) => key)
    .sort((x, y) => x - y)
    .map((key) => `${Math.floor(key / SQUARES) + 1}${String.fromCharCode(65 + (key % SQUARES))}`);
  return { count, blocks, share: changed / blocks.length, squares };
}

// Darkens the picture but for what changed on the board, and frames that.
export function highlightBoard(context, { count, blocks }, corners, width, height) {
  const at = mapping(corners);
  const unit = SQUARES / count;
  const is = (row, column) =>
    row >= 0 && column >= 0 && row < count && column < count && blocks[row * count + column] === 1;
  const stayed = new Path2D();
  const edges = new Path2D();
  const point = (row, column) => at(column * unit, row * unit);
  const line = (path, start, ...rest) => {
    path.moveTo(...start);
    for (const one of rest) path.lineTo(...one);
  };
  stayed.rect(0, 0, width, height);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!is(row, column)) continue;
      const [a, b] = [point(row, column), point(row, column + 1)];
      const [d, c] = [point(row + 1, column), point(row + 1, column + 1)];
      line(stayed, a, b, c, d, a);
      for (const [isToo, from, to] of [
        [is(row - 1, column), a, b],
        [is(row, column + 1), b, c],
        [is(row + 1, column), c, d],
        [is(row, column - 1), d, a],
      ])
        if (!isToo) line(edges, from, to);
    }
  }
  context.fillStyle = "#000a";
  context.fill(stayed, "evenodd");
  context.lineWidth = Math.max(2, width / 500);
  context.strokeStyle = "#ff2fd0";
  context.stroke(edges);
}
