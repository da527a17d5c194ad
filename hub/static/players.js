// The list of players on a site of files, where no server searches: who is wanted in the address is what is shown.
import { published } from "../site.js";

const bare = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
const wanted = published ? (new URLSearchParams(location.search).get("q") ?? "").trim() : "";
if (wanted) {
  for (const one of document.querySelectorAll(".names > li"))
    one.hidden = !bare(wanted)
      .split(/\s+/)
      .every((word) => bare(one.textContent).includes(word));
  const field = document.querySelector("[type=search]");
  if (field) field.value = wanted;
}
