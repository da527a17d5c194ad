"""Event streams over HTTP: connections and their limits, compression, sending."""
