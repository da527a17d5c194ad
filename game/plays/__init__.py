"""Tiles on a board: what changed between two sightings, the play in it, its faults and its score.

From boards come a :class:`~game.plays.change.Change`, a :class:`~game.plays.play.Play`, flags and a
``Score``. The modules know no turns, players or clocks; of ``game`` they import only boards, tile
sets, rulebooks and flags.
"""
