import { files, Reopened } from "./stream.js";

// The lines of all tables, each as it changes. `more`: what takes its other kinds of events.
export class RowStream extends Reopened {
  constructor(address, onRows, onState, more = {}) {
    const rows = ({ lastEventId, data }) => {
      this.id = lastEventId;
      onRows(JSON.parse(data));
    };
    super({ rows, ...more }, onState);
    this.address = address;
    this.open();
  }

  connect() {
    if (files) {
      const whole = new URL("rows.json", new URL(this.address, location));
      return new files.FileSource(this.address, files.hallFile(whole));
    }
    return new EventSource(`${this.address}${this.id ? `?after=${encodeURIComponent(this.id)}` : ""}`);
  }
}
