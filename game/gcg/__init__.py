"""Game records in GCG: read, write, check, and make one of a game."""

from game.gcg.from_game import (
    Entry,
    GameRecord,
    Mismatch,
    Player,
    Step,
    check,
    events_from_record,
    parse,
    possible_sets,
    record_from_game,
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
    "events_from_record",
    "parse",
    "possible_sets",
    "record_from_game",
    "replay",
    "require_complete",
    "write",
]
