"""Game records in GCG: read, write, check, and make one of a game."""

from game.gcg.from_game import (
    Entry,
    GameRecord,
    Mismatch,
    Player,
    Step,
    check,
    events_of,
    parse,
    possible_sets,
    record_of,
    replay,
    require_complete,
    write,
)

__all__ = [
    "Entry",
    "GameRecord",
    "Mismatch",
    "Player",
    "Step",
    "check",
    "events_of",
    "parse",
    "possible_sets",
    "record_of",
    "replay",
    "require_complete",
    "write",
]
