// What goes from the page's own address into everything that it asks for: the token, the delay, that it is a monitor.
export const asked = new URLSearchParams(location.search);

export const query = Object.fromEntries([...asked].filter(([name]) => ["token", "delay", "monitor"].includes(name)));
