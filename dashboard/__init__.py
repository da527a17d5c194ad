"""The pages: what spectators, players and directors see of a table."""
