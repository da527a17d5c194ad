"""Which frames show the board at rest, and what several of them say together."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from game.board import SIZE, UNREADABLE, Square
from sensors.interfaces import Frame
from vision.decode import SYMBOL_ORDER
from vision.reader import UNCERTAIN
from vision.reading import Reading
from vision.rectify import Corners
from vision.tracking import belief
from vision.tracking.motion import MotionDetector

SETTLE_NS: Final = 150_000_000
"""The board is at rest when nothing has moved for this long."""

STALE_NS: Final = 1_000_000_000
"""A frame older than this says nothing about now: the camera may have stalled."""

_SPACING_NS: Final = 100_000_000
"""Frames kept are at least this far apart: neighbours share their noise and their flicker."""

_KEEP: Final = 3

_GUESSES: Final = 3


class MotionGate:
    """Watches a stream of video frames and keeps the last few that show the board at rest.

    A *stretch* is a run of frames between which nothing moved. All frames of one stretch show the
    same board, so what is unclear in one may be clear in another (``combine_readings``).
    """

    def __init__(self) -> None:
        self._watch = MotionDetector()
        self._stretch: deque[Frame] = deque(maxlen=_KEEP)
        self._still_from: int | None = None
        self._latest: int | None = None
        self.stretches = 0
        """How many stretches have begun: a new number means that something moved in between."""

    def set_roi(self, corners: Corners | None) -> None:
        """Watch the board alone; ``corners`` float32 (4, 2) in pixels, as a reading gives them.

        Aiming anew costs one frame of certainty, so a board that has not moved is left alone.
        """
        if corners is not None and self._watch.corners is not None:
            side = float(np.linalg.norm(corners[1] - corners[0])) / SIZE
            # The order of the corners does not matter here: motion has no upright.
            apart = min(
                float(np.abs(np.roll(corners, turn, axis=0) - self._watch.corners).max())
                for turn in range(4)
            )
            if apart < side / 4:
                return
        self._watch.corners = corners

    @property
    def aimed(self) -> bool:
        """Whether it knows where the board is."""
        return self._watch.corners is not None

    def add(self, frame: Frame) -> bool:
        """Take the next frame; whether something moved since the one before it."""
        moved = self._watch.see(frame.image).moved
        if moved or self._latest is None or frame.t_ns - self._latest > STALE_NS:
            self._stretch.clear()
            self._still_from = frame.t_ns
            self.stretches += 1
        self._latest = frame.t_ns
        if not self._stretch or frame.t_ns - self._stretch[-1].t_ns >= _SPACING_NS:
            self._stretch.append(frame)
        return moved

    @property
    def still_from_ns(self) -> int | None:
        """When the present stretch began."""
        return self._still_from

    @property
    def still_ns(self) -> int | None:
        """When the newest frame was taken, if nothing had moved since the one before it."""
        return self._latest if self._latest != self._still_from else None

    def settled(self, at_ns: int, for_ns: int = SETTLE_NS) -> bool:
        """Whether the board was at rest at ``at_ns``, for long enough as is known by now."""
        return (
            self._still_from is not None
            and self._latest is not None
            and self._still_from <= at_ns
            and self._latest - self._still_from >= for_ns
            and at_ns - self._latest <= STALE_NS
        )

    def frames(self) -> tuple[Frame, ...]:
        """The kept frames of the present stretch, newest first."""
        return tuple(reversed(self._stretch))


def combine_readings(readings: Sequence[Reading]) -> Reading:
    """What several readings of one and the same board say together.

    Square by square, the symbol with the highest mean probability over the readings. Findings,
    pose and directions are those of the first, but for squares that the others settled.
    """
    first = readings[0]
    if len(readings) == 1:
        return first
    mean = np.mean([belief.whole(reading) for reading in readings], axis=0)
    best = mean.argmax(axis=-1)
    sure = mean.max(axis=-1)
    rows: list[str] = []
    guesses: dict[Square, tuple[tuple[str, float], ...]] = {}
    settled: set[str] = set()
    for row in range(SIZE):
        line = ""
        for col in range(SIZE):
            square = Square(row, col)
            symbol = SYMBOL_ORDER[best[square]]
            if sure[square] < UNCERTAIN or symbol == UNREADABLE:
                symbol = UNREADABLE
                likeliest = np.argsort(-mean[square])[:_GUESSES]
                guesses[square] = tuple(
                    (SYMBOL_ORDER[at], round(float(mean[square][at]), 4))
                    for at in likeliest
                    if SYMBOL_ORDER[at] != UNREADABLE
                )
            elif first.symbol(square) == UNREADABLE:
                settled.add(square.name)
            line += symbol
        rows.append(line)
    return replace(
        first,
        rows=tuple(rows),
        confidence=sure.astype(np.float32),
        guesses=guesses,
        findings=tuple(f for f in first.findings if f.square not in settled),
        posterior=mean.astype(np.float32),
    )
