// Locks a camera to what its automatics have reached, as far as the browser lets a page do it.

const TRUSTED = 0.25; // a picture that gets so much brighter or darker was not locked, but upset

// Each: its name, the mode that locks it, and the value that the mode needs, of what the track has.
const PARTS = [
  ["exposure", "exposureMode", ["exposureTime", "iso"]],
  ["focus", "focusMode", ["focusDistance"]],
  ["white balance", "whiteBalanceMode", ["colorTemperature"]],
];

async function set(track, wanted) {
  try {
    await track.applyConstraints({ advanced: [wanted] });
    return true;
  } catch {
    return false;
  }
}

// What was locked. `brightness()` is that of the picture, `pause(ms)` waits.
export async function lock(track, brightness, pause) {
  const can = track.getCapabilities?.() ?? {};
  const locked = [];
  for (const [name, mode, values] of PARTS) {
    if (!can[mode]?.includes("manual")) continue;
    const now = track.getSettings();
    const wanted = { [mode]: "manual" };
    for (const value of values) if (can[value] && now[value] !== undefined) wanted[value] = now[value];
    const before = brightness();
    if (!(await set(track, wanted)) || track.getSettings()[mode] !== "manual") continue;
    if (name === "exposure") {
      await pause(1000);
      if (Math.abs(brightness() - before) > TRUSTED * before) {
        await set(track, { [mode]: "continuous" });
        continue;
      }
    }
    locked.push(name);
  }
  return locked;
}
