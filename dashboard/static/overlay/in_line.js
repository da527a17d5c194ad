// A name inside a line of other words and figures: one written from right to left would carry them along.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const inLine = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
