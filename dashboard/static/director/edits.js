// A field's value is changed by typing, a list, a driver or an assistive tool; some tell it by `input`, some
// by `change`, some not at all. So what the form holds is compared with what it held. `edited`, with the
// names, is for what depends on it.
export class Edits {
  // `heard(names)` is called last.
  constructor(form, heard) {
    this.form = form;
    this.heard = heard;
    this.settle();
    for (const type of ["input", "change"]) form.addEventListener(type, () => this.notice());
  }

  // What is shown is of what the form holds now.
  settle() {
    this.held = held(this.form);
  }

  // True if something changed since.
  notice() {
    const now = held(this.form);
    const names = new Set([...this.held.keys(), ...now.keys()].filter((name) => this.held.get(name) !== now.get(name)));
    if (!names.size) return false;
    this.held = now;
    this.form.dispatchEvent(new CustomEvent("edited", { detail: names }));
    this.settle();
    this.heard(names);
    return true;
  }
}

// Call `follow` when a list has another value.
export function withLists(form, follow) {
  form.addEventListener(
    "edited",
    ({ detail: names }) => [...names].some((name) => form.elements[name]?.tagName === "SELECT") && follow(),
  );
}

function held(form) {
  return new Map([...new FormData(form)]);
}
