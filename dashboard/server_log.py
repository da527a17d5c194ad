"""What waitress says in its log, in the measure that helps whoever runs a table.

A server whose places for pages are all taken says so at every connection that frees one and takes
it again, many times a second on a busy evening. It is logged once, in our words, and again after
some minutes, with how often it was so since.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

EVERY_S: Final = 300.0

_FULL: Final = "total open connections reached"
_ROOM: Final = "total open connections dropped"


class RepeatFilter(logging.Filter):
    """Lets word of a full server through once in :data:`EVERY_S`. Safe to use from any thread."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._places, self._clock = places, clock
        self._last_logged: float | None = None
        self._since = 0
        self._counting = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a record is to be logged; that of a full server is reworded."""
        text = record.getMessage()
        if text.startswith(_ROOM):
            return False
        if not text.startswith(_FULL):
            return True
        with self._counting:
            now = self._clock()
            self._since += 1
            if self._last_logged is not None and now - self._last_logged < EVERY_S:
                return False
            again = self._last_logged is not None
            often = f" ({self._since} times since this was last logged)" if again else ""
            self._last_logged, self._since = now, 0
        record.msg = (
            f"all {self._places} places for pages are taken at this moment{often}; "
            "browsers wait their turn, and live pages go on"
        )
        record.args = ()
        return True


def install_log_filter(places: int) -> None:
    """Have waitress's log filtered so, once in a process; ``places`` is its connection limit."""
    log = logging.getLogger("waitress")
    for known in [one for one in log.filters if isinstance(one, RepeatFilter)]:
        log.removeFilter(known)
    log.addFilter(RepeatFilter(places))
    # Requests that wait a moment for a thread are no news to whoever runs a table.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
