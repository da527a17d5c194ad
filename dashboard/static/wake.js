// A screen that must not go dark: held while the page is seen, asked for again when it comes back.

// Whether that can be done at all: browsers let only pages of localhost and of https do it.
export function keepAwake() {
  if (!("wakeLock" in navigator)) return false;
  let lock = null;
  const ask = async () => {
    if (document.hidden || (lock && !lock.released)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      lock = null; // a low battery, or no touch yet: the next touch asks again
    }
  };
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask);
  ask();
  return true;
}
