// The pictures beside a question what a turn was: the board before and after, cut to the tiles in question.
import { html } from "./dom.js";

// One of the `pictures` that a record has of a turn, upright where it is known how the board lies in it.
function picture({ sha256, caption, matrix }, { squares, frame }, address) {
  const source = address(sha256);
  if (!matrix) return html`<img src=${source} alt=${caption} />`;
  return html`<svg viewBox=${frame.join(" ")} role="img" aria-label=${caption}>
    <image href=${source} transform="matrix(${matrix})" />
    ${squares.map(([x, y]) => html`<rect x=${x} y=${y} width="1" height="1" />`)}
  </svg>`;
}

// `address(sha256)`: where a picture is; `page`: the turn's own.
export const turnPictures = (pictures, address, page) =>
  pictures.shown.map(
    (one) =>
      html`<a href=${page}>
        <figure>${picture(one, pictures, address)}<figcaption>${one.caption}</figcaption></figure>
      </a>`,
  );
