"""What tables and hub send each other: topics, envelopes, records, pictures."""
