// What downloads the evidence of a game as one file. `path`: where the game is asked of.
import { post } from "./api.js";
import { make } from "./dom.js";

export function archive({ view, archive: kept }, path) {
  if (!kept) return null;
  const note = make("span", { className: "soft small", role: "status", text: view.status === "ended" ? "" : "The game goes on: the file has what there is so far." });
  const button = make("button", { className: "button small", type: "button", text: "Download the evidence" });
  button.onclick = async () => {
    const { save } = await import("./saving.js"); // little used
    save(button, note, { ask: () => post(`${path}/archive`), making: "Making the file…", about: "The evidence in one file", failed: "The file could not be made" });
  };
  return make("p", { className: "flow archive" }, button, note);
}
