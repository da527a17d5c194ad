// Undoes the turn of a phone's pictures. A phone that lies almost flat takes itself for turned at
// every push, and its browser turns the pictures with the screen. The camera has not moved.

import { store, stored } from "../stored.js";

const FOLLOWS_MS = 2000; // the pictures have turned with the screen by then, or never will

// How the screen was turned when the phone was paired, and whether the pictures were wide then.
export class Upright {
  constructor(key) {
    this.key = key;
    this.unlike = null; // since when the pictures are of another shape than the screen's turn tells
    this.first = JSON.parse(stored(key));
  }

  // Another phone, or the same in another place: the next picture is upright.
  forget() {
    this.learn(null);
  }

  learn(first) {
    this.first = first;
    this.unlike = null;
    store(this.key, JSON.stringify(first));
  }

  // By how many quarter turns, counter-clockwise, a picture of this size is turned; `null` where it
  // is not known yet.
  turns(width, height) {
    if (!width) return null;
    const angle = screen.orientation?.angle ?? window.orientation ?? 0;
    const wide = width > height;
    if (!this.first) this.learn({ angle, wide });
    const turns = ((((angle - this.first.angle) / 90) % 4) + 4) % 4;
    if (width === height || (turns % 2 === 1) === (wide !== this.first.wide)) {
      this.unlike = null;
      return turns;
    }
    if (turns % 2) return 0; // not turned with the screen: not yet, or never in this browser
    this.unlike ??= performance.now();
    if (performance.now() - this.unlike < FOLLOWS_MS) return null;
    this.learn({ angle, wide });
    return 0;
  }
}

// Draw a picture upright into a canvas, which takes the size of the upright picture.
export function drawUpright(canvas, picture, width, height, turns) {
  [canvas.width, canvas.height] = turns % 2 ? [height, width] : [width, height];
  const context = canvas.getContext("2d");
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(picture, -width / 2, -height / 2, width, height);
}

// A point of the upright picture as it lies in the turned one; both in shares of the sides.
export function turnedPoint([x, y], turns) {
  return [
    [x, y],
    [y, 1 - x],
    [1 - x, 1 - y],
    [1 - y, x],
  ][turns];
}
