// What changed between two pictures from one camera: blocks whose look differs by more than noise and a
// change of the light over the whole picture can make.
//
// Where the board was found in both, its squares are compared from straight above, however it lies in each
// picture; else the pictures themselves.
import { mapping } from "./picture.js";

const WIDE = 960; // pixels a side that are compared
const BLOCK = 8; // samples a side
const LEAST = 14; // of 255, mean over a block and its channels

const SQUARES = 15;
const PITCH = 40; // samples along a square's side
const SIDE = SQUARES * PITCH;
const PART = 0.36; // of a square's blocks that have to differ before the square counts as changed
const SHIFTS = [0, -1, 1, -2, 2, -3, 3]; // how far two boards that were found may be off each other, in samples

// The picture at another size: {width, height, data: RGBA}.
function scaled(image, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

// The board as seen from straight above, of SIDE × SIDE samples; bilinear.
function straight(image, corners) {
  const { width, height, data } = scaled(image, image.width, image.height);
  const at = mapping(corners);
  const within = (value, most) => Math.max(0, Math.min(most, value));
  const out = new Float32Array(SIDE * SIDE * 4);
  for (let to = 0; to < out.length; to += 4) {
    const sample = to / 4;
    const [x, y] = at(((sample % SIDE) + 0.5) / PITCH, (Math.floor(sample / SIDE) + 0.5) / PITCH);
    const left = Math.floor(within(x - 0.5, width - 2));
    const top = Math.floor(within(y - 0.5, height - 2));
    const u = within(x - 0.5 - left, 1);
    const v = within(y - 0.5 - top, 1);
    const from = (top * width + left) * 4;
    const below = from + width * 4;
    for (let channel = 0; channel < 3; channel += 1) {
      const upper = data[from + channel] * (1 - u) + data[from + 4 + channel] * u;
      const lower = data[below + channel] * (1 - u) + data[below + 4 + channel] * u;
      out[to + channel] = upper * (1 - v) + lower * v;
    }
  }
  return { width: SIDE, height: SIDE, data: out };
}

// The gain of each channel that makes the median of one picture that of the other.
function gains({ data: a }, { data: b }) {
  return [0, 1, 2].map((channel) => {
    const ratios = [];
    for (let at = channel; at < a.length; at += 4 * 997) if (a[at] > 12 && b[at] > 12) ratios.push(a[at] / b[at]);
    ratios.sort((x, y) => x - y);
    return ratios.length ? ratios[Math.floor(ratios.length / 2)] : 1;
  });
}

// The sum of the differences over a block, with the second picture moved by so many samples.
function blockSum({ width, height, data: a }, { data: b }, gain, row, column, dx, dy) {
  let sum = 0;
  for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 1) {
    const other = Math.max(0, Math.min(height - 1, y + dy)) * width;
    for (let x = column * BLOCK; x < (column + 1) * BLOCK; x += 1) {
      const p = (y * width + x) * 4;
      const q = (other + Math.max(0, Math.min(width - 1, x + dx))) * 4;
      for (let channel = 0; channel < 3; channel += 1) sum += Math.abs(a[p + channel] - b[q + channel] * gain[channel]);
    }
  }
  return sum;
}

// The blocks that differ wherever the second picture is moved to within `shifts`: {columns, rows, blocks, share}.
function changes(a, b, shifts) {
  const gain = gains(a, b);
  const moves = shifts.flatMap((dy) => shifts.map((dx) => [dx, dy]));
  const columns = Math.floor(a.width / BLOCK);
  const rows = Math.floor(a.height / BLOCK);
  const same =
    (row, column) =>
    ([dx, dy]) =>
      blockSum(a, b, gain, row, column, dx, dy) <= LEAST * BLOCK * BLOCK * 3;
  const blocks = Uint8Array.from({ length: columns * rows }, (_, at) =>
    Number(!moves.some(same(Math.floor(at / columns), at % columns))),
  );
  return { columns, rows, blocks, share: blocks.reduce((sum, one) => sum + one, 0) / blocks.length };
}

// The names of the squares that changed, in reading order.
function squaresOf({ columns, blocks }) {
  const within = PITCH / BLOCK;
  const found = new Uint8Array(SQUARES * SQUARES);
  blocks.forEach((changed, at) => {
    const square = Math.floor(at / columns / within) * SQUARES + Math.floor((at % columns) / within);
    found[square] += changed;
  });
  return [...found.keys()]
    .filter((square) => found[square] / (within * within) >= PART)
    .map((square) => `${Math.floor(square / SQUARES) + 1}${String.fromCharCode(65 + (square % SQUARES))}`);
}

// Two pictures of one size: {columns, rows, blocks: Uint8Array of 0 or 1, share: 0..1, point: (row, column) of a
// block to [x, y] in `one`}.
export function difference(one, other) {
  const scale = Math.min(1, WIDE / Math.max(one.width, one.height));
  const size = [one.width, one.height].map((side) => Math.max(BLOCK, Math.round(side * scale)));
  const found = changes(scaled(one, ...size), scaled(other, ...size), [0]);
  const point = (row, column) => [(column * one.width) / found.columns, (row * one.height) / found.rows];
  return { ...found, point };
}

// The boards in two pictures: the same, and `squares`, the names of those that changed.
export function boardDifference(one, corners, other, otherCorners) {
  const found = changes(straight(one, corners), straight(other, otherCorners), SHIFTS);
  const at = mapping(corners);
  const unit = SQUARES / found.columns;
  return { ...found, point: (row, column) => at(column * unit, row * unit), squares: squaresOf(found) };
}

// Darkens the picture that a canvas shows but for what changed, and frames that.
export function highlight(context, { columns, rows, blocks, point }) {
  const { width, height } = context.canvas;
  const is = (row, column) =>
    row >= 0 && column >= 0 && row < rows && column < columns && blocks[row * columns + column] === 1;
  const stayed = new Path2D();
  const edges = new Path2D();
  const line = (path, start, ...rest) => {
    path.moveTo(...start);
    for (const one of rest) path.lineTo(...one);
  };
  stayed.rect(0, 0, width, height);
  blocks.forEach((changed, index) => {
    if (!changed) return;
    const [row, column] = [Math.floor(index / columns), index % columns];
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
  });
  context.fillStyle = "#0009";
  context.fill(stayed, "evenodd");
  context.lineWidth = Math.max(2, width / 500);
  context.strokeStyle = "#ff2fd0";
  context.stroke(edges);
}
