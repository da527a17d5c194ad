// Whether no other machine can open an address.
const HERE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

// What then helps, in the same words wherever an address stands.
export const ONLY_HERE =
  "No other machine can open this address. Open this page by the machine’s name or its network address; " +
  "if that does not open either, start tilewatch with --host 0.0.0.0.";

export const onlyHere = (address) => HERE.test(new URL(address).hostname);
