"""One record of a log folded into its game, for whoever shows games and must never stop."""

from __future__ import annotations

import logging

from game.errors import TilewatchError
from game.events import Event, from_payload
from game.state.fold import GameState, apply
from record.chain import LoggedEvent

_LOG = logging.getLogger(__name__)


def step(state: GameState | None, logged: LoggedEvent) -> tuple[GameState | None, Event | None]:
    """The game after a record, and the record's event.

    What another version wrote and we cannot read, what a disk has spoilt and what cannot be at this
    point of the game is passed over: the game is then as it was, and the event None.
    """
    try:
        event = from_payload(logged.payload)
        return apply(state, event), event
    except TilewatchError as error:
        _LOG.warning("event %d of the log is passed over: %s", logged.seq, error)
    except Exception:  # a fault of ours: one record must not take a table's pages away for good
        _LOG.exception("event %d of the log is passed over", logged.seq)
    return state, None
