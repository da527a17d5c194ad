"""The error of this room."""

from __future__ import annotations

from game.errors import TilewatchError


class SensorError(TilewatchError):
    """A camera, a button or a recording that cannot be used: one line with the remedy."""
