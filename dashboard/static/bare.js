// A name without the accents, which nobody types in a hurry; `folded` in event_names.py has the same.
const WHOLE = { ł: "l", ø: "o", đ: "d", æ: "ae", œ: "oe", ı: "i", þ: "th" };

export const bare = (name) =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[łøđæœıþ]/g, (letter) => WHOLE[letter]);
