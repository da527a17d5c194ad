"""A table's log as the hub has it: read like the table's own."""

from __future__ import annotations

import threading
import time
from typing import Final

from hub.store import HubStore
from record.chain import ChainFault, LoggedEvent, first_fault

_LEAVE_S: Final = 0.05


class MirroredLog:
    """The records of one table in a hub's store. Safe to use from several threads."""

    trouble: str | None = None
    """Nothing of its own: the hub's disk is watched elsewhere."""

    def __init__(self, store: HubStore, table_id: str, upto: int | None = None) -> None:
        """With ``upto`` the log as it was when that was its newest sequence."""
        self._store, self._table, self._upto = store, table_id, upto
        self.path = store.path
        self._wakeup = threading.Condition()
        self._head = store.head(table_id)
        self._closed = False

    @property
    def last_seq(self) -> int:
        """Sequence of the newest event, 0 if there is none."""
        return self._head[0]

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest event; ``(0, 64 zeros)`` when there is none."""
        return self._head

    def grown(self) -> None:
        """Records came to the disk: wake whoever waits for them."""
        head = self._store.head(self._table)
        with self._wakeup:
            self._head = head
            self._wakeup.notify_all()

    def events(
        self, game_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> list[LoggedEvent]:
        """Events with a sequence above ``after``, oldest first, of one game or of all."""
        found = self._store.records(self._table, game_id, after, limit)
        upto = self._upto
        return found if upto is None else [one for one in found if one.seq <= upto]

    def game_ids(self) -> list[str]:
        """The games in the log, in order of their first events."""
        return self._store.games(self._table)

    def first_of(self, game_id: str) -> LoggedEvent | None:
        """The oldest event of a game; None if there is no such game."""
        found = self._store.records(self._table, game_id, limit=1)
        return found[0] if found else None

    def last_of(self, game_id: str) -> LoggedEvent | None:
        """The newest event of a game; None if there is no such game."""
        return self._store.last_of(self._table, game_id)

    def history(self) -> list[tuple[int, str, str]]:
        """Nothing: what happened to the table's file stays with the table."""
        return []

    def grew(self, after: int, timeout: float) -> bool:
        """Wait for an event above ``after``; False after ``timeout`` seconds, or once closed."""
        with self._wakeup:
            self._wakeup.wait_for(lambda: self._closed or self._head[0] > after, timeout)
            grew = self._head[0] > after and not self._closed
        if self._closed:
            time.sleep(min(_LEAVE_S, timeout))  # who waits in a loop is about to leave it
        return grew

    def verify(self) -> ChainFault | None:
        """Check the whole chain and every signature; return the first fault."""
        return first_fault(self.events())

    def close(self) -> None:
        """Wake whoever waits."""
        with self._wakeup:
            self._closed = True
            self._wakeup.notify_all()
