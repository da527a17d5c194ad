"""What goes wrong with a table's own records."""

from __future__ import annotations

from game.errors import TilewatchError


class LogError(TilewatchError):
    """The event log cannot be opened, read or added to: one line with the remedy."""


class EvidenceError(TilewatchError):
    """An evidence picture cannot be kept or found: one line with the remedy."""
