"""Keeps the frames that show the board at rest, and combines their readings."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, UNREADABLE, Square
from sensors.interfaces import Frame
from vision.assembling import UNCERTAIN
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading
from vision.rectify import Corners, Image, pixels_per_square, turned
from vision.tracking.belief import posterior_of
from vision.tracking.motion import MotionDetector
from vision.tracking.small_pictures import SmallPictures
from vision.tracking.square_history import SquareHistory

SETTLE_NS: Final = 150_000_000
"""The board is at rest when nothing has moved for this long."""

STALE_NS: Final = 1_000_000_000
"""An older frame says nothing about now: the camera may have stalled."""

_SPACING_NS: Final = 100_000_000
"""Kept frames are at least this far apart: neighbours share their noise and their flicker."""

_SAME_PLACE: Final = 0.25
"""Squares by which a corner may differ and the ROI stay."""

_MAX_FRAMES: Final = 3

_MAX_GUESSES: Final = 3


class MotionGate:
    """Watches a stream of video frames and keeps the last few that show the board at rest.

    A *still segment* is a run of frames between which nothing moved. All of its frames show the
    same board, so a square that is unclear in one may be clear in another (``combine_readings``).
    """

    def __init__(self) -> None:
        self._motion = MotionDetector()
        self.history = SquareHistory()
        self._frames: deque[Frame] = deque(maxlen=_MAX_FRAMES)
        self._still_from: int | None = None
        self._latest: int | None = None
        self.segment_id = 0
        """Counts the still segments: a new number means that something moved in between."""

    def set_roi(self, corners: Corners | None, *, guessed: bool = False) -> None:
        """Watch the board alone; ``corners`` float32 (4, 2) in pixels, as a reading gives them.

        The next frame counts as moved, so the ROI stays while the board has hardly moved.
        ``guessed`` is True if it could only be guessed until now which way round it lies: what is
        known of its squares is turned then.
        """
        last = self._motion.corners
        turns = None if corners is None or last is None else quarter_turns(last, corners)
        if turns is None or (turns and not guessed):
            self.restart(corners)
        elif turns:
            self._motion.corners = corners
            self.history.turn(turns)

    def find(self, frame: Frame, corners: Corners, bare: NDArray[np.bool_]) -> None:
        """Watch the board where the newest frame shows it, though something moves.

        ``bare``, bool (15, 15), are the squares that hold nothing for certain.
        """
        self.set_roi(corners)
        self._know_from(frame, self.pictures.of(frame.image, corners), bare)

    def follow(self, frame: Frame, corners: Corners, bare: NDArray[np.bool_]) -> None:
        """Watch the board where a frame of the current segment shows it; the segment goes on.

        ``bare``, bool (15, 15), are the squares that hold nothing for certain.
        """
        small = self._motion.follow(frame.image, corners)
        self.history.restart()
        self._know_from(frame, small, bare)

    def _know_from(self, frame: Frame, small: Image, bare: NDArray[np.bool_]) -> None:
        self.history.add(frame.t_ns, small)
        self.history.know(frame.t_ns, ~bare)

    def restart(self, corners: Corners | None) -> None:
        """Watch there from now on; the next frame counts as moved."""
        self._motion.corners = corners
        self.history.restart()

    @property
    def pictures(self) -> SmallPictures:
        """Makes the small pictures of its frames."""
        return self._motion.pictures

    @property
    def small(self) -> Image | None:
        """The small picture of the newest frame: uint8 (75, 75, 3) BGR."""
        return self._motion.small

    @property
    def roi(self) -> Corners | None:
        """The board's corners where it watches."""
        return self._motion.corners

    @property
    def has_roi(self) -> bool:
        """True if it knows where the board is."""
        return self._motion.corners is not None

    def add(self, frame: Frame) -> bool:
        """Take the next frame; return True if something moved since the one before it."""
        moved = self._motion.see(frame.image).moved
        if self._motion.small is not None and self.has_roi:
            self.history.add(frame.t_ns, self._motion.small)
        if moved or self._latest is None or frame.t_ns - self._latest > STALE_NS:
            self._frames.clear()
            self._still_from = frame.t_ns
            self.segment_id += 1
        self._latest = frame.t_ns
        if not self._frames or frame.t_ns - self._frames[-1].t_ns >= _SPACING_NS:
            self._frames.append(frame)
        return moved

    @property
    def latest_ns(self) -> int | None:
        """Time of the newest frame."""
        return self._latest

    @property
    def still_from_ns(self) -> int | None:
        """Time of the current segment's first frame."""
        return self._still_from

    @property
    def still_ns(self) -> int | None:
        """Time of the newest frame, if nothing had moved since the one before it."""
        return self._latest if self._latest != self._still_from else None

    def is_settled(self, at_ns: int, for_ns: int = SETTLE_NS) -> bool:
        """Return True if the board was at rest at ``at_ns``, by the frames so far."""
        return (
            self._still_from is not None
            and self._latest is not None
            and self._still_from <= at_ns
            and self._latest - self._still_from >= for_ns
            and at_ns - self._latest <= STALE_NS
        )

    def frames(self) -> tuple[Frame, ...]:
        """Return the kept frames of the current segment, newest first."""
        return tuple(reversed(self._frames))


def same_place(corners: Corners, others: Corners) -> bool:
    """Return True if two boards lie in the same place of the picture, the same way round."""
    distance = np.linalg.norm(corners - others, axis=1).max()
    return bool(distance < _SAME_PLACE * pixels_per_square(others))


def quarter_turns(corners: Corners, others: Corners) -> int | None:
    """Return how many corners further clockwise a board begins; None if it lies elsewhere."""
    turns = range(4)
    return next((turn for turn in turns if same_place(turned(corners, turn), others)), None)


def combine_readings(readings: Sequence[Reading]) -> Reading:
    """Combine several readings of the same board.

    Each square gets the symbol with the highest mean probability. Findings, pose and directions are
    those of the first reading; findings on squares that the others settled are dropped.
    """
    first = readings[0]
    if len(readings) == 1:
        return first
    mean = np.mean([posterior_of(reading) for reading in readings], axis=0)
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
                likeliest = np.argsort(-mean[square])[:_MAX_GUESSES]
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
        promise=None,
        rows=tuple(rows),
        confidence=sure.astype(np.float32),
        guesses=guesses,
        findings=tuple(f for f in first.findings if f.square not in settled),
        posterior=mean.astype(np.float32),
    )
