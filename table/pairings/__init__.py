"""Reads the file of a tournament's pairings: a CSV, or TSH's ``tourney.js``.

In comes a file, by ``reading.read_pairings``. Out come ``details.EventDetails``: players, pairings,
results, and questions that the file leaves open. A table's own games (``table.coming_games``), the
hall's games (``hub.pairings``) and what overlays show (``dashboard.event``) are taken from these.
This package imports the rules of the game, and nothing of a running table.
"""
