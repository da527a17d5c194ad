"""Game records in GCG: what a file says, what the referee makes of it, and a game as a record.

``reader`` turns text into a :class:`GameRecord`, ``writer`` a record into text. ``check`` scores
each line again; ``to_events`` turns a record into the events of a game, ``from_game`` a game into a
record. The modules may import everything of ``game`` but the library (``game.game``) and
``game.adjudication``.
"""

from game.gcg.check import Mismatch, Step, check, replay, require_complete
from game.gcg.from_game import record_from_game
from game.gcg.reader import parse
from game.gcg.record import Entry, GameRecord, Player, possible_sets
from game.gcg.to_events import events_from_record
from game.gcg.writer import write

__all__ = [
    "Entry",
    "GameRecord",
    "Mismatch",
    "Player",
    "Step",
    "check",
    "events_from_record",
    "parse",
    "possible_sets",
    "record_from_game",
    "replay",
    "require_complete",
    "write",
]
