"""Every raw edge of the clock's contacts in a file, so that a press can be argued about later."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final, TextIO

from sensors.debounce import ClockButton, Edge

MOST_BYTES: Final = 4_000_000
"""Some weeks of play. A fuller file is set aside under its name with ``.1``, in place of the last.
"""

_LOG = logging.getLogger(__name__)


class EdgeLog:
    """Appends ``t_ns,button,closed`` lines. Trouble with the disk is said and costs no press."""

    def __init__(self, path: Path) -> None:
        """Open it, or begin it anew. Raises ``OSError``."""
        self._path = path
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        self._file: TextIO | None = path.open("a", encoding="ascii", buffering=1)

    def write(self, edge: Edge[ClockButton]) -> None:
        """One more edge."""
        if self._file is None:
            return
        try:
            self._file.write(f"{edge.t_ns},{edge.button},{int(edge.closed)}\n")
        except OSError as error:
            _LOG.warning("%s: edges are no longer written (%s)", self._path, error.strerror)
            self.close()

    def close(self) -> None:
        """Write no more."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:  # what it still held is lost with the disk
                _LOG.warning("%s: %s", self._path, error.strerror)
