// The pictures beside a question what a turn was: the board before and after, cut to the tiles in question.
import { html } from "./dom.js";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// One of the `pictures` that a record has of a turn, upright where it is known how the board lies in it.
function picture({ sha256, caption, matrix }, { squares, frame }, address) {
  const source = address(sha256);
  if (!matrix) return html`<img src=${source} alt=${caption} />`;
  const marks = squares.map(([x, y]) => svg("rect", { x, y, width: 1, height: 1 }));
  return svg(
    "svg",
    { viewBox: frame.join(" "), role: "img", "aria-label": caption },
    svg("image", { href: source, transform: `matrix(${matrix})` }),
    ...marks,
  );
}

// `address(sha256)`: where a picture is; `page`: the turn's own.
export const turnPictures = (pictures, address, page) =>
  pictures.shown.map(
    (one) =>
      html`<a href=${page}>
        <figure>${picture(one, pictures, address)}<figcaption>${one.caption}</figcaption></figure>
      </a>`,
  );
