"""The reading half of an event log: a table's own, or a hub's copy."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from record.chain import ChainFault, LoggedEvent


class LogReader(Protocol):
    """Reads what an :class:`~record.log.event_log.EventLog` holds; safe for several threads."""

    @property
    def path(self) -> Path:
        """The file that it is in."""

    @property
    def last_seq(self) -> int:
        """Sequence of the newest event, 0 if there is none."""

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest event; ``(0, 64 zeros)`` when there is none."""

    @property
    def trouble(self) -> str | None:
        """A line for the director about its storage; None if all is well."""

    def events(
        self, game_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> list[LoggedEvent]:
        """Events with a sequence above ``after``, oldest first, of one game or of all."""

    def game_ids(self) -> list[str]:
        """The games in the log, in order of their first events."""

    def first_of(self, game_id: str) -> LoggedEvent | None:
        """The oldest event of a game; None if there is no such game."""

    def last_of(self, game_id: str) -> LoggedEvent | None:
        """The newest event of a game; None if there is no such game."""

    def history(self) -> list[tuple[int, str, str]]:
        """Repairs of the file itself: (wall time in ns, what, detail as JSON)."""

    def grew(self, after: int, timeout: float) -> bool:
        """Wait for an event above ``after``; False after ``timeout`` seconds, or once closed."""

    def verify(self) -> ChainFault | None:
        """Check the whole chain and every signature; the first place that does not hold."""
