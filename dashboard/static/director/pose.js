// How a picture lies in its viewer: upright and close to the board, until somebody turns, zooms or
// drags it.

const MARGIN = 1.12; // of the board's side, so that its rim is seen
const MOST = 12;
const SIDES = ["right", "bottom", "left", "top"]; // clockwise

export class Pose {
  constructor(viewer, canvas) {
    Object.assign(this, { viewer, canvas, corners: null, quarter: 0, zoom: 1, x: 0, y: 0 });
    viewer.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2);
      },
      { passive: false },
    );
    viewer.addEventListener("pointerdown", (event) => this.drag(event));
    new ResizeObserver(() => this.apply()).observe(viewer);
  }

  // corners: of the board, clockwise from the one that is top-left when the letters read upright.
  set(corners) {
    this.corners = corners;
    this.apply();
  }

  reset() {
    Object.assign(this, { quarter: 0, zoom: 1, x: 0, y: 0 });
    this.apply();
  }

  turn() {
    this.quarter = (this.quarter + 1) % 4;
    this.apply();
  }

  zoomBy(factor) {
    this.zoom = Math.min(MOST, Math.max(0.2, this.zoom * factor));
    this.apply();
  }

  drag(event) {
    if (event.button !== 0) return;
    this.viewer.setPointerCapture(event.pointerId);
    this.viewer.classList.add("dragged");
    const move = (moved) => {
      this.x += moved.movementX;
      this.y += moved.movementY;
      this.apply();
    };
    this.viewer.addEventListener("pointermove", move);
    const end = () => {
      this.viewer.removeEventListener("pointermove", move);
      this.viewer.classList.remove("dragged");
    };
    this.viewer.addEventListener("pointerup", end, { once: true });
    this.viewer.addEventListener("pointercancel", end, { once: true });
  }

  apply() {
    const { width, height } = this.canvas;
    const box = this.viewer.getBoundingClientRect();
    let centre = [width / 2, height / 2];
    let angle = (this.quarter * Math.PI) / 2;
    let scale;
    if (this.corners) {
      const [[x0, y0], [x1, y1]] = this.corners;
      angle -= Math.atan2(y1 - y0, x1 - x0);
      centre = [0, 1].map((axis) => this.corners.reduce((sum, corner) => sum + corner[axis], 0) / 4);
      const side = Math.max(
        ...this.corners.map((corner, at) =>
          Math.hypot(corner[0] - this.corners[(at + 1) % 4][0], corner[1] - this.corners[(at + 1) % 4][1]),
        ),
      );
      scale = Math.min(box.width, box.height) / (side * MARGIN);
    } else {
      const [w, h] = this.quarter % 2 ? [height, width] : [width, height];
      scale = Math.min(box.width / w, box.height / h);
    }
    scale *= this.zoom;
    const quarters = Math.round(angle / (Math.PI / 2)) + 8;
    for (const seat of this.viewer.querySelectorAll(".seat"))
      seat.dataset.side = SIDES[(SIDES.indexOf(seat.dataset.edge) + quarters) % 4];
    this.canvas.style.transform =
      `translate(${box.width / 2 + this.x}px, ${box.height / 2 + this.y}px) rotate(${angle}rad) ` +
      `scale(${scale}) translate(${-centre[0]}px, ${-centre[1]}px)`;
  }
}
