"""Threads of a hub and of a table's end of it: a task at an interval, and a bounded queue."""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

_FAULTS = (TilewatchError, OSError, sqlite3.Error)


class Repeating:
    """Calls ``do`` at an interval in a thread of its own, and logs its exceptions."""

    def __init__(self, name: str, every_s: float, do: Callable[[], None]) -> None:
        self._every_s, self._do = every_s, do
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.start = self._thread.start

    @property
    def stopping(self) -> bool:
        """True once :meth:`stop` was called."""
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
            except _FAULTS as error:
                _LOG.error("%s: %s", self._thread.name, error)
            except Exception:  # it goes on, and does it again
                _LOG.exception("%s", self._thread.name)


class Worker(Generic[_T]):
    """Calls ``do`` in a thread with what waits in a bounded queue, at most ``at_once`` items."""

    def __init__(
        self, name: str, size: int, do: Callable[[list[_T]], None], at_once: int = 1
    ) -> None:
        self._do, self._at_once = do, at_once
        self._queue: queue.Queue[_T | None] = queue.Queue(size)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.start = self._thread.start

    @property
    def waiting(self) -> int:
        """The number of items that wait."""
        return self._queue.qsize()

    def put(self, item: _T) -> bool:
        """Queue an item; return False if the queue is full, and drop it. Never waits."""
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            return False
        return True

    def stop(self) -> None:
        """Process the queued items, and stop."""
        with suppress(queue.Full):
            self._queue.put(None, timeout=2)
        if self._thread.ident is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            found = [self._queue.get()]
            with suppress(queue.Empty):
                while len(found) < self._at_once:
                    found.append(self._queue.get_nowait())
            items = [item for item in found if item is not None]
            try:
                if items:
                    self._do(items)
            except _FAULTS as error:
                _LOG.error("%s: %s", self._thread.name, error)
            except Exception:  # these items must not keep the others from being dealt with
                _LOG.exception("%s", self._thread.name)
            if None in found:
                return
