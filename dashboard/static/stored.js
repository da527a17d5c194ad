// What this browser keeps of a viewer's choices. In one that keeps nothing, a choice holds for the page alone.
export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

// `value`: a text; null for none.
export function store(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // As above.
  }
}
