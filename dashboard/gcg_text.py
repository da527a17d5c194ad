"""The record of the game that a feed shows, as GCG."""

from __future__ import annotations

import contextlib

from dashboard.site import Table
from game.errors import TilewatchError
from game.gcg import write
from game.state.fold import GameState
from record.log.reader import LogReader
from table.folding import step
from table.views.gcg import record_for
from table.views.views import Audience


def gcg_of(table: Table, audience: Audience) -> str | None:
    """The record of the game now shown to an audience, as far as it may know it by now.

    ``None`` where there is no game, or none that can be written down.
    """
    latest = table.feeds[audience].latest()
    if latest is None or table.log is None:
        return None
    # The director's is whole: some facts, like the tiles of an exchange, change no view.
    until = None if audience == "director" else latest.seq
    state = state_at(table.log, latest.view["game_id"], until)
    if state is None:
        return None
    with contextlib.suppress(TilewatchError):  # it began from a given position
        return write(record_for(state, audience, table.allowed))
    return None


def state_at(log: LogReader, game_id: str, seq: int | None = None) -> GameState | None:
    """A game as it stood after the log's event ``seq``, or as it stands."""
    state: GameState | None = None
    for logged in log.events(game_id):
        if seq is not None and logged.seq > seq:
            break
        state, _ = step(state, logged)
    return state
