"""The file of an event's pairings: a CSV, or TSH's ``tourney.js``. One reader for everybody.

In comes a file, by ``reading.read_pairings``. Out come ``details.EventDetails``: players, who meets
whom, results, and what the file leaves open. A table's own games (``table.roster``), the hall's
(``hub.pairings``) and what overlays show (``dashboard.event``) are taken from these. It imports the
rules of the game, and nothing of a running table.
"""
