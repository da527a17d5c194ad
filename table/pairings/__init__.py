"""Reads the file of a tournament's pairings: a CSV, or TSH's ``tourney.js``.

In comes a file, by ``reading.read_pairings``. Out come ``details.EventDetails``: players, pairings,
results, and questions that the file leaves open. A table's own games (``table.roster``), the hall's
games (``hub.pairings``) and the contents of overlays (``dashboard.event``) are taken from these.
This package imports the rules of the game, and nothing of a running table.
"""
