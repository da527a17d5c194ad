"""Errors of calibrations."""

from __future__ import annotations

from game.errors import TilewatchError


class CalibrationError(TilewatchError):
    """A calibration that is damaged, of another version, or cannot be made; in one line."""
