// The addresses of public pages: the site's own, or of the files to which it was published (hub/publish/names.py).
const { files } = document.documentElement.dataset; // the way from this page's file to the site's folder
export const published = files !== undefined;

const plain = (name) =>
  [...name.normalize("NFC")]
    .map((letter) => (letter === "ı" ? letter : letter.toUpperCase().toLowerCase())) // as Python folds case
    .join("")
    .split(/\s+/u)
    .filter(Boolean)
    .join(" ");

function fileName(segment) {
  const name = decodeURIComponent(segment).replace(/[^\p{L}\p{N}.-]|^\./gu, (one) =>
    one === " " ? "_" : `~${one.codePointAt(0).toString(16)}~`,
  );
  return encodeURIComponent(name);
}

// A file of the site, such as /tables/1/picture.png.
export const file = (path) => (published ? files + path.slice(1).split("/").map(fileName).join("/") : path);
export const page = (path) => (published ? `${file(path).replace(/\/$/, "")}/index.html` : path);
export const data = (path) => (published ? `${file(path)}.json` : path);

export function playerPage(name) {
  const key = (published ? plain(name) : name).split("/").map(encodeURIComponent).join("/");
  return page(`/event/players/${key}`);
}
