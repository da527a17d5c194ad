"""The record of the game that a feed shows, as GCG."""

from __future__ import annotations

import contextlib

from dashboard.site import Table
from game.errors import TilewatchError
from game.gcg import write
from table.views.gcg import record_for
from table.views.views import Audience


def gcg_of(table: Table, audience: Audience) -> str | None:
    """The record of the game now shown to an audience, as far as it may know it by now.

    ``None`` if there is no game, or none that can be written down.
    """
    latest = table.feeds[audience].latest()
    if latest is None or table.folded is None:
        return None
    if audience == "director":  # it is whole: some facts, like an exchange's tiles, change no view
        game = table.folded.game(latest.view["game_id"])
        state = None if game is None else game.state
    else:
        state = table.folded.state_at(latest.view["game_id"], latest.seq)
    if state is None:
        return None
    with contextlib.suppress(TilewatchError):  # it began from a given position
        return write(record_for(state, audience, table.allowed))
    return None
