// What changed between two pictures from one camera: blocks whose look differs by more than noise
// and a change of the light over the whole picture can make.

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
      let sum = 0;
      for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 1) {
        let at = (y * width + column * BLOCK) * 4;
        for (let x = 0; x < BLOCK; x += 1, at += 4) {
          for (let channel = 0; channel < 3; channel += 1) sum += Math.abs(a[at + channel] - b[at + channel] * gain[channel]);
        }
      }
      if (sum / (BLOCK * BLOCK * 3) > LEAST) {
        blocks[row * columns + column] = 1;
        changed += 1;
      }
    }
  }
  return { columns, rows, blocks, share: changed / blocks.length };
}

// Darkens what stayed and frames what changed, over a canvas that shows the picture.
export function highlight(context, { columns, rows, blocks }, width, height) {
  const w = width / columns;
  const h = height / rows;
  const is = (row, column) => row >= 0 && column >= 0 && row < rows && column < columns && blocks[row * columns + column] === 1;
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
        [is(row - 1, column), x, y, x + w, y], [is(row + 1, column), x, y + h, x + w, y + h],
        [is(row, column - 1), x, y, x, y + h], [is(row, column + 1), x + w, y, x + w, y + h],
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
