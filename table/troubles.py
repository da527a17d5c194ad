"""Telling the director of trouble with the disk: once when it comes, once when it goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from table.log import EventLog
from table.pictures import PictureKeeper

_EVERY_S: Final = 1.0
"""How often what is held in memory is tried again."""


class Troubles:
    """Watches the log and the pictures of a running table.

    Args:
        log: the table's.
        say: told one line whenever what is wrong changes.
        clock: seconds, monotonic.
    """

    def __init__(
        self, log: EventLog, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._say, self._clock = log, say, clock
        self._next = 0.0
        self._said: dict[str, str | None] = {"log": log.trouble, "pictures": None}

    def look(self, pictures: PictureKeeper) -> None:
        """Try again what could not be written, and say what has changed; at most once a second."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EVERY_S
        if self._log.held:
            self._log.retry()
        for what, trouble in (("log", self._log.trouble), ("pictures", pictures.trouble)):
            if trouble != self._said[what]:
                self._said[what] = trouble
                self._say(trouble or f"the {what} can be written again")
