"""The messages between tables and hub: topics, envelopes, records, pictures."""
