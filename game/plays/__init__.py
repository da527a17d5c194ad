"""Plays: what changed on the board, the play in it, where it lies and what it scores."""
