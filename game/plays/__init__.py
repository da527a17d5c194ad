"""Tiles on a board: what changed between two sightings, the play in it, its faults and its score.

Boards come in, a :class:`~game.plays.change.Change`, a :class:`~game.plays.play.Play`, flags and a
``Score`` go out. No turns, players or clocks are known here, and of ``game`` only boards, tile
sets, rulebooks and flags are imported.
"""
