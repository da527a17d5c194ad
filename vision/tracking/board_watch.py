"""Compares a small picture of the board from every frame, cheaply enough for every frame.

*Motion*: a hand, a new tile or a turned board changes the small picture. A flickering lamp, a cloud
or the slow bands of a rolling shutter do not, as the gain of the light at each place is taken out
(``vision.light``).

*When a tile was laid*: a reading needs a board at rest. Once a tile is read, the small pictures of
the last seconds show since when its square has looked as with it, and until when it looked as
without. If the square was occluded in between, the two moments are apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from sensors.interfaces import Frame
from vision.light import Pixels, apart, differences, lit_as
from vision.rectify import Corners, Image, pixels_per_square, rectify, turned
from vision.tracking.parameters import SQUARE

PITCH: Final = 5
"""Pixels per square in the small picture: a tile covers 25."""


def small_picture(image: Image, corners: Corners | None, light: float = 0.0) -> Image:
    """Return the small picture of the board in a frame, or of the whole view.

    Averaging the camera's pixels takes most of the time. OpenCV does it several times as fast by
    blocks of 2 by 2, and on the board alone.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: the board's, float32 (4, 2) in pixels; None for the whole view.
        light: the grey level to whose mean a darker picture is brightened before it is rounded.

    Returns:
        uint8 (75, 75, 3) BGR.
    """
    if corners is None:
        whole = cv2.resize(image, (SIZE * PITCH, SIZE * PITCH), interpolation=cv2.INTER_AREA)
        return np.asarray(whole, np.uint8)
    side, size = pixels_per_square(corners), image.shape[1::-1]
    left, top = np.clip(corners.min(axis=0) - side, 0, size).astype(int)
    right, bottom = np.clip(corners.max(axis=0) + side, 0, size).astype(int)
    if left < right and top < bottom:
        image = image[top:bottom, left:right]
        corners = np.asarray(corners - (left, top), np.float32)
    while side > 4 * PITCH and min(image.shape[:2]) > 1:
        height, width = image.shape[0] // 2, image.shape[1] // 2
        whole = image[: 2 * height, : 2 * width]
        image = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA))
        corners = np.asarray((corners + 0.5) / 2 - 0.5, np.float32)  # of pixels' centres
        side /= 2
    if (level := float(image.mean())) < light:
        image = np.asarray(cv2.convertScaleAbs(image, alpha=light / (level + 1.0)))
    return rectify(image, corners, pitch=PITCH, border=0)


PIXELS: Final = 6
"""This many changed pixels are motion: a quarter of a tile. Compared with the first frame at rest,
four times as many are: a board that turns by a tenth of a degree a frame changes hardly a pixel
from one frame to the next. Photographs of real boards reach that when they have turned by half a
degree to a degree."""

AROUND: Final = 4 * PITCH + 1
"""Side, in pixels, of the area that has one gain of the light: wider than two tiles, narrower than
any change of light."""

_LIGHT: Final = 32.0
"""Grey level of a dark picture that was brightened: more would only show the camera's noise."""

KEPT_NS: Final = 15_000_000_000
"""Time for which small pictures are kept."""

_NEAR: Final = 1 / 3
"""A square looks as with the tile, or as without it, if it differs from that look by less than this
share of the difference that the tile makes.
"""


@dataclass(frozen=True, slots=True)
class Placement:
    """The interval in which a tile was laid; an end is None where no frame shows it."""

    after_ns: int | None
    """Time of the last frame that shows the square without the tile."""
    by_ns: int | None
    """Time of the first frame that shows the tile."""


UNKNOWN: Final = Placement(None, None)


class BoardWatch:
    """The small pictures of one place over the last seconds."""

    def __init__(self, corners: Corners | None = None) -> None:
        """``corners``, float32 (4, 2) in pixels, are the board's; None watches the whole view."""
        self.corners = corners
        self._pictures: deque[tuple[int, Image]] = deque()
        self._dark: deque[tuple[int, Image]] = deque()
        """Brightened pictures that were too dark to be read."""
        self._last: Pixels | None = None
        """The newest small picture, in grey."""
        self._first: Pixels
        """The first small picture since something moved, in grey."""
        self.known: Image | None = None
        """The references, uint8 (75, 75, 3) BGR: each square as it looked when it was last read."""
        self._unseen = np.ones((SIZE, SIZE), np.bool_)
        """Squares without a reference: they were occluded whenever the board was read."""

    def add(self, frame: Frame) -> bool:
        """Take the next frame; return True if something moved. The first frame counts as motion."""
        small = small_picture(frame.image, self.corners)
        _add(self._pictures, frame.t_ns, small)
        last, self._last = self._last, _grey(small)
        moved = (
            last is None
            or _changed(last, self._last) >= PIXELS
            or _changed(self._first, self._last) >= 4 * PIXELS
        )
        if moved:
            self._first = self._last
        return moved

    def add_dark(self, frame: Frame) -> None:
        """Take a frame that is too dark to be read, and shows at most whose arm is there."""
        _add(self._dark, frame.t_ns, small_picture(frame.image, self.corners, _LIGHT))

    def turn(self, turns: int) -> None:
        """Turn everything: the board lies here, but its orientation was guessed wrong.

        Its first corner is ``turns`` corners further clockwise. The next frame counts as motion.
        """
        self.corners = None if self.corners is None else turned(self.corners, turns)
        self._last = None
        self._pictures = deque((t_ns, np.rot90(small, turns)) for t_ns, small in self._pictures)
        self._dark.clear()
        self._unseen = np.rot90(self._unseen, turns)
        self.known = None if self.known is None else np.rot90(self.known, turns)

    def know(self, t_ns: int, hidden: NDArray[np.bool_]) -> None:
        """Take the small picture of a frame that was read, at ``t_ns``, as the references.

        Squares that are ``hidden``, bool (15, 15), keep their earlier references.
        """
        if not self._pictures:
            return
        self._unseen = self._unseen & hidden
        later = (small for at_ns, small in self._pictures if at_ns >= t_ns)
        found = next(later, self._pictures[-1][1])
        if self.known is not None and hidden.any():
            wide = np.kron(hidden, np.ones((PITCH, PITCH), np.bool_))
            found = np.where(wide[..., None], lit_as(found, self.known, ~wide), found)
        self.known = found

    @property
    def newest(self) -> Image | None:
        """The newest small picture; None before the first."""
        return self._pictures[-1][1] if self._pictures else None

    def unchanged(self, before_ns: int, now_ns: int) -> bool:
        """True if no pixel differs between the small pictures of two times."""
        both = {t_ns: _grey(one) for t_ns, one in self._pictures if t_ns in (before_ns, now_ns)}
        return len(both) == 2 and not _changed(both[before_ns], both[now_ns])

    def between(self, from_ns: int, to_ns: int, every_ns: int) -> list[tuple[int, Image]]:
        """Return the small pictures of an interval, by time, at least ``every_ns`` apart."""
        found: list[tuple[int, Image]] = []
        for t_ns, small in self._pictures:
            if from_ns <= t_ns <= to_ns and (not found or t_ns - found[-1][0] >= every_ns):
                found.append((t_ns, small))
        return found

    def in_the_dark(self, from_ns: int, to_ns: int) -> list[tuple[int, Image]]:
        """Return the brightened small pictures of an interval, by time."""
        return [(t_ns, small) for t_ns, small in self._dark if from_ns <= t_ns <= to_ns]

    def as_known_until(self, from_ns: int, to_ns: int) -> int:
        """Return when most of the board last looked as it is known, in an interval."""
        if self.known is None:
            return from_ns
        known, until_ns = self.known.astype(np.float32), from_ns
        for t_ns, one in self.between(from_ns, to_ns, 0):
            other = all_other(differences(known, one.astype(np.float32), AROUND))
            until_ns = until_ns if other else t_ns
        return until_ns

    def placements(
        self, squares: Iterable[Square], seen_ns: int, turns: int = 0
    ) -> dict[Square, Placement]:
        """Return the interval in which each tile that was read in a frame was laid.

        ``turns`` counts the quarter turns clockwise from the board watched to the one in that
        frame.
        """
        shown = [(t_ns, np.rot90(small, turns)) for t_ns, small in self._pictures]
        shown = [(t_ns, small) for t_ns, small in shown if t_ns <= seen_ns]
        if self.known is None or not shown:
            return dict.fromkeys(squares, UNKNOWN)
        known, unseen = np.rot90(self.known, turns), np.rot90(self._unseen, turns)
        times, found = [t_ns for t_ns, _ in shown], {}
        for square in squares:
            looks = _looks([small for _, small in shown], square)
            found[square] = _placement(
                times, looks, None if unseen[square] else _looks([known], square)
            )
        return found


def _add(pictures: deque[tuple[int, Image]], t_ns: int, small: Image) -> None:
    """Add the newest small picture, and forget those that are too old."""
    pictures.append((t_ns, small))
    while t_ns - pictures[0][0] > KEPT_NS:
        pictures.popleft()


def all_other(differences: Pixels) -> bool:
    """True if a small picture that differs so, float32 (75, 75), shows the board otherwise.

    An arm hides less than half of it. One that was moved, or lies in another light, looks other
    nearly everywhere.
    """
    return float((differences > SQUARE.another / 2).mean()) >= 0.5


def _changed(before: Pixels, now: Pixels) -> int:
    """Return how many pixels differ by at least half as much as another thing would."""
    return int(np.count_nonzero(differences(before, now, AROUND) > SQUARE.another / 2))


def _grey(small: Image) -> Pixels:
    """Return a small picture in grey, float32 (75, 75, 1), without the camera's finest noise."""
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (3, 3), 0)[..., None], np.float32)


def _looks(pictures: Sequence[Image], square: Square) -> Pixels:
    """Return a square in each of the small pictures: float32 (pictures, PITCH, PITCH, 3)."""
    row, col = square.row * PITCH, square.col * PITCH
    return np.array([one[row : row + PITCH, col : col + PITCH] for one in pictures], np.float32)


def _placement(times: Sequence[int], shown: Pixels, without: Pixels | None) -> Placement:
    """Return the interval in which the tile was laid that the last of the looks shows.

    ``without`` is the reference of the square before it, (1, PITCH, PITCH, 3). If it is None, only
    the first frame with the tile can be found.
    """
    with_tile = shown[-1:]
    off_tile = apart(with_tile, shown)
    whole = float(off_tile.max() if without is None else apart(with_tile, without)[0])
    if whole < SQUARE.same:
        return UNKNOWN
    has = off_tile < _NEAR * whole
    bare = np.zeros_like(has)
    if without is not None:
        off_bare = apart(without, shown)
        bare = (off_bare < _NEAR * whole) & ~has
        first = int(has.argmax()) if has.any() else len(times)
        if bare[:first].any():
            # Skin may be as light as the board: later, it must look as bare as it did.
            bare[first:] &= off_bare[first:] <= off_bare[:first][bare[:first]].max()
    last_bare = int(np.flatnonzero(bare)[-1]) if bare.any() else -1
    since = np.flatnonzero(has[last_bare + 1 :])
    return Placement(
        times[last_bare] if last_bare >= 0 else None,
        times[last_bare + 1 + int(since[0])] if len(since) else None,
    )
