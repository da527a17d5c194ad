"""The event log: an append-only, hashed and signed SQLite file with a plain-text mirror."""
