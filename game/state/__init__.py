"""The state of a game as a fold over its events."""
