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

// Whether one part was locked, and the picture stayed as bright as it was.
async function lockPart(track, can, [name, mode, values], brightness, pause) {
  if (!can[mode]?.includes("manual")) return false;
  const now = track.getSettings();
  const known = values.filter((value) => can[value] && now[value] !== undefined).map((value) => [value, now[value]]);
  const before = brightness();
  if (!(await set(track, { [mode]: "manual", ...Object.fromEntries(known) }))) return false;
  if (track.getSettings()[mode] !== "manual") return false;
  if (name !== "exposure") return true;
  await pause(1000);
  if (Math.abs(brightness() - before) <= TRUSTED * before) return true;
  await set(track, { [mode]: "continuous" });
  return false;
}

// What was locked. `brightness()` is that of the picture, `pause(ms)` waits.
export async function lock(track, brightness, pause) {
  const can = track.getCapabilities?.() ?? {};
  const locked = [];
  for (const part of PARTS) if (await lockPart(track, can, part, brightness, pause)) locked.push(part[0]);
  return locked;
}
