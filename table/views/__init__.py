"""The views of a game, one for each audience."""
