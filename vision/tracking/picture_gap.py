"""The newest stretch of time from which there is no picture."""

from __future__ import annotations

from typing import Final

from sensors.interfaces import Frame

LEAST_GAP_NS: Final = 2_500_000_000
"""Nobody makes a play within so short a time without pictures."""


class PictureGap:
    """The newest stretch of time from which there is no picture."""

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._from_ns, self._until_ns = 0, 0

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        if self._latest_ns is not None and frame.t_ns - self._latest_ns > LEAST_GAP_NS:
            self._from_ns, self._until_ns = self._latest_ns, frame.t_ns
        self._latest_ns = frame.t_ns

    def until(self, press_ns: int) -> int:
        """When the first picture after a press came, if it fell into the gap; else the press."""
        return self._until_ns if self._from_ns < press_ns < self._until_ns else press_ns
