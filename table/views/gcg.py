"""A game's record as an audience may have it.

What lay on a rack stays out of it until the view of that audience tells it too: the tiles of an
exchange, a rack that was reported, and the racks at the end, with their points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from game.gcg import record_from_game
from game.gcg.record import Entry, GameRecord
from game.state.fold import GameState
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.views import Audience

_RACKS: Final = ("end_rack", "end_rack_penalty")


def record_for(
    state: GameState, audience: Audience, public: PublicPolicy = FULLY_OPEN
) -> GameRecord:
    """The record of a game for an audience; ``public`` is what the event lets everybody see.

    Raises ``TilewatchError`` where GCG has no form for the game.
    """
    racks_shown = state.settled and (audience == "broadcast" or public.racks == "after")
    if audience == "director" or racks_shown:
        return record_from_game(state)
    lines = tuple(line for line in state.adjustments if line.kind not in _RACKS)
    outcome = state.outcome if state.final else None
    record = record_from_game(replace(state, adjustments=lines, outcome=outcome))
    return replace(record, entries=tuple(_without_racks(record.entries)))


def _without_racks(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The lines with the tiles that the board shows alone."""
    rack: str | None = None
    for entry in entries:
        if entry.kind == "play":
            rack = "".join(sorted("?" if s.islower() else s for s in entry.placed().values()))
        yield replace(
            entry,
            rack=rack if entry.kind in ("play", "withdrawn") else None,
            exchanged=_number(entry.exchanged),
        )


def _number(exchanged: str) -> str:
    """The number of tiles exchanged; empty if that is not known."""
    known = exchanged.isdecimal() or not exchanged
    return exchanged if known else str(len(exchanged))
