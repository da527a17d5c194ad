"""A task that a hub or a table's end of it repeats."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)


class Repeating:
    """Calls ``do`` at an interval in a thread of its own, and logs its exceptions."""

    def __init__(self, name: str, every_s: float, do: Callable[[], None]) -> None:
        self._every_s, self._do = every_s, do
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.start = self._thread.start

    @property
    def stopping(self) -> bool:
        """True once it was asked to stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Stop it, and wait until it has stopped."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stopping.wait(self._every_s):
            try:
                self._do()
            except (TilewatchError, OSError) as error:
                _LOG.error("%s: %s", self._thread.name, error)
            except Exception:  # it goes on, and does it again
                _LOG.exception("%s", self._thread.name)
