// How a picture lies in its viewer: upright and close to the board, until somebody turns, zooms or
// drags it. As long as it is fitted, the wheel and a finger scroll the page.

const MARGIN = 1.12; // of the board's side, so that its rim is seen
const MOST = 12;
const CLOSE = 2.5; // after a double press
const SIDES = ["right", "bottom", "left", "top"]; // clockwise

export class Pose {
  constructor(viewer, canvas) {
    Object.assign(this, { viewer, canvas, corners: null, quarter: 0, zoom: 1, x: 0, y: 0 });
    this.pressed = new Map(); // the mouse or the fingers on the picture: [x, y] by pointer
    const listen = (type, act) => viewer.addEventListener(type, act, { passive: false });
    listen("wheel", (event) => this.wheel(event));
    listen("touchstart", (event) => event.touches.length > 1 && event.cancelable && event.preventDefault());
    listen("dblclick", (event) => (this.fitted ? this.zoomBy(CLOSE, event) : this.fit()));
    listen("pointerdown", (event) => this.press(event));
    listen("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) listen(end, (event) => this.release(event));
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

  get fitted() {
    return this.zoom < 1.01 && !this.x && !this.y;
  }

  fit() {
    Object.assign(this, { zoom: 1, x: 0, y: 0 });
    this.apply();
  }

  // `at`: the point of the screen that stays where it is; without it the board's middle does.
  zoomBy(factor, at = null) {
    const before = this.zoom;
    this.zoom = Math.min(MOST, Math.max(0.2, this.zoom * factor));
    if (at) {
      const box = this.viewer.getBoundingClientRect();
      const [x, y] = [at.clientX - box.left - box.width / 2, at.clientY - box.top - box.height / 2];
      this.x = x - (x - this.x) * (this.zoom / before);
      this.y = y - (y - this.y) * (this.zoom / before);
    }
    this.apply();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, event);
  }

  press(event) {
    if (event.button !== 0) return;
    this.pressed.set(event.pointerId, [event.clientX, event.clientY]);
    if (event.pointerType === "touch" && this.fitted) return;
    this.viewer.setPointerCapture(event.pointerId);
    this.viewer.classList.add("dragged");
  }

  move(event) {
    const was = this.pressed.get(event.pointerId);
    if (!was) return;
    const now = [event.clientX, event.clientY];
    this.pressed.set(event.pointerId, now);
    const [other] = [...this.pressed].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (other) return this.pinch(was, now, other);
    if (event.pointerType === "touch" && this.fitted) return;
    this.x += now[0] - was[0];
    this.y += now[1] - was[1];
    this.apply();
  }

  // One of two fingers moves.
  pinch(was, now, other) {
    const apart = (at) => Math.max(1, Math.hypot(at[0] - other[0], at[1] - other[1]));
    const middle = { clientX: (now[0] + other[0]) / 2, clientY: (now[1] + other[1]) / 2 };
    this.zoomBy(apart(now) / apart(was), middle);
  }

  release(event) {
    const pinched = this.pressed.size > 1;
    this.pressed.delete(event.pointerId);
    if (!this.pressed.size) this.viewer.classList.remove("dragged");
    if (pinched && this.zoom <= 1) this.fit();
  }

  apply() {
    this.viewer.classList.toggle("moved", !this.fitted);
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
