"""The file of an event's pairings: a CSV, or TSH's ``tourney.js``. One reader for everybody.

``reading`` is the way in; it gives ``EventDetails``. A table's own games (``table.roster``), the
hall's (``hub.pairings``) and what overlays show (``dashboard.event``) are taken from these.
"""
