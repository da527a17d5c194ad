// The tiles that nobody has seen, where the event lets them be shown.

export function drawUnseen(list, unseen, order) {
  const known = Object.keys(order);
  const tiles = Object.entries(unseen)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => known.indexOf(a) - known.indexOf(b));
  list.replaceChildren(
    ...tiles.map(([tile, count]) => {
      const item = document.createElement("li");
      const letter = document.createElement("b");
      letter.textContent = tile;
      const many = document.createElement("span");
      many.textContent = count > 1 ? `×${count}` : "";
      many.setAttribute("aria-hidden", "true");
      const said = document.createElement("span");
      said.className = "sr";
      said.textContent = ` ${tile === "?" ? "blank, " : ""}${count} unseen`;
      item.append(letter, many, said);
      return item;
    }),
  );
  return tiles.reduce((sum, [, count]) => sum + count, 0);
}
