// A view with left and right exchanged: for a camera on the other side of the table.
const OTHER = { left: "right", right: "left" };
const NAMED = ["side", "on_turn", "winner", "running", "first"]; // fields that hold a side

export function exchanged(value, key = "") {
  if (typeof value === "string") return (NAMED.includes(key) && OTHER[value]) || value;
  if (Array.isArray(value)) return value.map((one) => exchanged(one));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [OTHER[name] ?? name, exchanged(one, name)]));
}
