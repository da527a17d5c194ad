// Whether no other machine can open an address.
const HERE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

export const onlyHere = (address) => HERE.test(new URL(address).hostname);
