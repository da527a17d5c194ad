"""A ``.gcg`` file that is rewritten after every change, for tools that watch one.

It is always whole: the new text is written beside it and takes its place in one step. It has what
goes out on a stream, so no racks before a game is settled; the public's delay is not in it, as it
lies with whoever runs the table.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from pathlib import Path
from typing import Final

from dashboard.site import Table
from game.errors import TilewatchError
from game.files import write_file
from game.gcg import write
from table.views.gcg import record_for

_LOG = logging.getLogger(__name__)

_STEP_S: Final = 1.0


class GcgFile:
    """Keeps ``path`` to the game now played at ``table``, in a thread of its own."""

    def __init__(self, table: Table, path: Path) -> None:
        self.path = path
        self._table = table
        self._feed = table.feeds["broadcast"]
        self._written: str | None = None
        self._failed = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gcg file", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write the newest record and stop."""
        self._stopping.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        seen: str | None = None
        while not self._stopping.is_set() and not self._feed.closed:
            messages = self._feed.since(seen, fresh=False)
            seen = messages[-1].id if messages else seen
            self._look()
            self._feed.wait(seen, _STEP_S)
        self._look()

    def _look(self) -> None:
        try:
            text = self._text()
        except TilewatchError as error:
            _LOG.error("the record is not written: %s", error)
            return
        if text is None or text == self._written:
            return
        try:
            write_file(self.path, text.encode(), durable=False)
        except OSError as error:
            if not self._failed:
                _LOG.error("%s: the record cannot be written (%s)", self.path, error.strerror)
            self._failed = True
            return
        self._written, self._failed = text, False

    def _text(self) -> str | None:
        """The record as it stands; ``None`` where there is none."""
        game = None if self._table.folded is None else self._table.folded.shown()
        if game is None:
            return None
        with contextlib.suppress(TilewatchError):  # it began from a given position
            return write(record_for(game.state, "broadcast", self._table.allowed))
        return None
