"""Racks and clock times on the lines of a game record, where a table knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from game.gcg.record import TURN_KINDS, Entry, GameRecord, not_on_rack
from game.referee.turn import Turn


def enriched(
    record: GameRecord, turns: Sequence[Turn], held: Mapping[int, str], *, clocks: bool = False
) -> GameRecord:
    """Return a record whose lines have the racks that the turns were made from.

    Args:
        record: the record of the game with these turns.
        turns: all turns of the game.
        held: the racks by the turn's number, ``?`` for a blank. One that lacks the tiles of its
            line is left out: no reader takes it.
        clocks: also say in a note what the player's clock showed after the turn.
    """
    played = iter([turn for turn in turns if turn.kind != "undone"])
    lines: list[Entry] = []
    for entry in record.entries:
        line, turn = entry, next(played, None) if entry.kind in TURN_KINDS else None
        if turn is not None and held.get(turn.number):
            line = replace(entry, rack=held[turn.number])
            line = entry if not_on_rack(line) else line
        elif entry.kind == "withdrawn" and lines:
            line = replace(entry, rack=lines[-1].rack)
        if clocks and turn is not None and turn.clock_ns is not None:
            line = replace(line, notes=(*line.notes, f"Clock: {clock_text(turn.clock_ns)}"))
        lines.append(line)
    return replace(record, entries=tuple(lines))


def clock_text(ns: int) -> str:
    """Return a time on a clock as ``21:05``; overtime has a minus sign."""
    seconds = -(-abs(ns) // 1_000_000_000) if ns < 0 else ns // 1_000_000_000
    return f"{'-' if ns < 0 else ''}{seconds // 60}:{seconds % 60:02}"
