// The clip of the last play or challenge: its pictures in sequence, once, and then the last of them.
const LONGEST_MS = 10000; // all of it, made faster where it took longer
const LEAST_MS = 120; // each picture

const loaded = (src) =>
  new Promise((resolve) => {
    const picture = new Image();
    picture.onload = () => resolve(picture);
    picture.onerror = () => resolve(null);
    picture.src = src;
  });

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function playClip(panel, path, query) {
  const words = new URLSearchParams(query).toString();
  const address = (src) => (words ? `${src}?${words}` : src);
  const answer = await fetch(address(path), { cache: "no-store" }).catch(() => null);
  const { pictures } = answer?.ok ? await answer.json() : { pictures: [] };
  const found = (
    await Promise.all(pictures.map(async ({ src, ms }) => ({ ms, shown: await loaded(address(src)) })))
  ).filter(({ shown }) => shown);
  if (!found.length) return;
  const speed = Math.max(1, (found.at(-1).ms - found[0].ms) / LONGEST_MS);
  panel.hidden = false;
  for (const [at, { ms, shown }] of found.entries()) {
    panel.querySelector("img").src = shown.src;
    if (at + 1 < found.length) await pause(Math.max(LEAST_MS, (found[at + 1].ms - ms) / speed));
  }
}
