"""Every raw edge of the clock's contacts in a file, so that a press can be argued about later."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final, TextIO

from sensors.debounce import ClockButton, Edge

MOST_BYTES: Final = 4_000_000
"""Some weeks of play. A larger file is set aside as ``….1``, in place of the one before."""

_LOG = logging.getLogger(__name__)


class EdgeLog:
    """Appends ``t_ns,button,closed`` lines. A failing disk is logged and costs no press."""

    def __init__(self, path: Path) -> None:
        """Open it, or begin it anew. Raises ``OSError``."""
        self._path = path
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        self._file: TextIO | None = path.open("a", encoding="ascii", buffering=1)

    def write(self, edge: Edge[ClockButton]) -> None:
        """Append an edge."""
        if self._file is None:
            return
        try:
            self._file.write(f"{edge.t_ns},{edge.button},{int(edge.closed)}\n")
        except OSError as error:
            _LOG.warning("%s: edges are no longer written (%s)", self._path, error.strerror)
            self.close()

    def close(self) -> None:
        """Close the file; later edges are dropped."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:  # what was buffered is lost with the disk
                _LOG.warning("%s: %s", self._path, error.strerror)
