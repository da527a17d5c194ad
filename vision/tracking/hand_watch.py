"""Whose hand reaches over which squares, frame by frame: cheap enough for every frame.

A hand comes into the picture of the board across its rim, at the end of an arm. What differs from
how the board looked when it was last in plain sight is parted into patches. A patch that reaches
the rim is an arm; where its crossing lies, seen from the middle of the board, tells from which edge
of the camera's picture it comes. An arm that comes from between two players may be either's.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Edge, Side
from vision.rectify import Corners, Image, homography, project
from vision.tracking.motion import PITCH, small_picture

KEPT_NS: Final = 60_000_000_000
"""Hands are remembered for so long."""

_DIFFERENT: Final = 30
"""Difference in levels, in any colour, from which a pixel shows something else."""

_SHADE: Final = (0.55, 1.2)
"""By so much a shadow may darken a pixel, and a lamp brighten it, in all colours alike."""

_LEAST: Final = 3 * PITCH * PITCH
"""Pixels of the least arm: three squares."""

_CROSSING: Final = 4
"""Pixels of the rim that an arm crosses at least."""

_TOWARDS: Final = 0.3
"""Cosine between an arm's crossing and a player's edge from which it may be that player's, ..."""

_NEARER: Final = 0.5
"""... if that is so much more than to the other's edge."""

_OFF_MIDDLE: Final = 0.5
"""How far from the board's middle, in halves of its side, the middle of a crossing lies."""

_BETWEEN: Final = 0.25
"""Share of the frames in which fingers or tiles at the rim may hide where an arm comes from."""

_COVERED: Final = 0.2
"""Share of a square from which an arm is over it."""

_EDGES: Final[Mapping[Edge, tuple[float, float]]] = {
    "top": (0.0, -1.0),
    "right": (1.0, 0.0),
    "bottom": (0.0, 1.0),
    "left": (-1.0, 0.0),
}
"""The way from the middle of the picture to each edge: right, down."""


@dataclass(frozen=True, slots=True)
class _Arm:
    t_ns: int
    side: Side | None
    squares: NDArray[np.bool_]
    """bool (15, 15): the squares that it is over or beside, of a board at ``corners``."""
    corners: Corners


class HandWatch:
    """The hands over one board in the last minute."""

    def __init__(self, hands: Mapping[Side, Edge]) -> None:
        """``hands`` says across which edge of the picture each player's hand comes."""
        self._ways = {side: np.array(_EDGES[edge]) for side, edge in hands.items()}
        self._arms: deque[_Arm] = deque()
        self._plain: Image | None = None
        """A picture of the board in plain sight."""
        self._known: NDArray[np.int16] | None = None
        """The board in it, at ``_corners``."""
        self._corners: Corners | None = None

    def know(self, image: Image) -> None:
        """Remember a picture, uint8 (H, W, 3) BGR, of the board in plain sight."""
        self._plain, self._known = image, None

    def see(self, t_ns: int, small: Image, corners: Corners) -> None:
        """Look for hands in the small picture of a frame, of the board at these corners."""
        while self._arms and t_ns - self._arms[0].t_ns > KEPT_NS:
            self._arms.popleft()
        if self._plain is None:
            return
        if self._known is None or corners is not self._corners:
            self._known = _levelled(small_picture(self._plain, corners))
            self._corners = corners
        for way, squares in arms_in(_levelled(small), self._known, corners):
            self._arms.append(_Arm(t_ns, self._side(way), squares, corners))

    def present(self, from_ns: int) -> bool:
        """True if a hand was seen since then."""
        return bool(self._arms) and self._arms[-1].t_ns >= from_ns

    def over(self, square: Square, corners: Corners, from_ns: int, to_ns: int) -> frozenset[Side]:
        """Return whose hands were over a square, of the board at these corners, in that time.

        Where an arm was mostly seen from between the players, both.
        """
        middle = np.array([[square.col + 0.5, square.row + 0.5]])
        at = project(homography(corners), middle)
        seen: Counter[Side | None] = Counter()
        for arm in self._arms:
            if not from_ns <= arm.t_ns <= to_ns:
                continue
            to_board = np.asarray(np.linalg.inv(homography(arm.corners)), np.float64)
            col, row = np.floor(project(to_board, at)[0]).astype(int)
            if 0 <= row < SIZE and 0 <= col < SIZE and arm.squares[row, col]:
                seen[arm.side] += 1
        if seen[None] > _BETWEEN * seen.total():
            return frozenset(self._ways)
        return frozenset(side for side in self._ways if seen[side])

    def _side(self, way: NDArray[np.float64]) -> Side | None:
        by_side = {side: float(way @ edge) for side, edge in self._ways.items()}
        best = max(by_side, key=lambda side: by_side[side])
        rest = max(value for side, value in by_side.items() if side != best)
        return best if by_side[best] >= _TOWARDS and by_side[best] - rest >= _NEARER else None


def arms_in(
    small: NDArray[np.int16], known: NDArray[np.int16], corners: Corners
) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Return the arms over a board: the way that each comes from, and the squares it reaches.

    Args:
        small: int16 (75, 75, 3) BGR, the board at ``corners``, at one level of light.
        known: the same without hands.
        corners: the board's, in the camera's picture.

    Returns:
        right and down in the camera's picture, of length 1; bool (15, 15), over or beside.
    """
    different = _difference(small, known) > _DIFFERENT
    if np.count_nonzero(different) < _LEAST:
        return []
    solid = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    found = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < _LEAST:
            continue
        patch = labels == label
        way = _crossing(patch, corners)
        if way is None:
            continue
        over = patch.reshape(SIZE, PITCH, SIZE, PITCH).mean(axis=(1, 3)) >= _COVERED
        # The tips of the fingers hold the tile that is laid beside them.
        reach = cv2.dilate(over.astype(np.uint8), np.ones((3, 3), np.uint8))
        found.append((way, reach.astype(np.bool_)))
    return found


def _difference(now: NDArray[np.int16], known: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return how much each pixel differs in any colour, beyond what a shadow makes of it."""
    light = (now.sum(axis=-1) + 1) / (known.sum(axis=-1) + 1)
    shaded = known * np.clip(light, *_SHADE)[..., None]
    return np.asarray(np.abs(now - shaded).max(axis=-1), np.float32)


def _levelled(small: Image) -> NDArray[np.int16]:
    """Return the small picture at one level of light."""
    gain = 100.0 / max(1.0, float(np.median(small[::5, ::5, 1])))
    return np.asarray(cv2.convertScaleAbs(small, alpha=gain), np.int16)


def _crossing(patch: NDArray[np.bool_], corners: Corners) -> NDArray[np.float64] | None:
    """Return the way, in the camera's picture, from the board's middle to a patch's crossing.

    Right and down, of length 1; None if it does not cross the rim, or on opposite sides.
    """
    rim = np.zeros_like(patch)
    rim[:2], rim[-2:], rim[:, :2], rim[:, -2:] = patch[:2], patch[-2:], patch[:, :2], patch[:, -2:]
    at = np.argwhere(rim)
    if len(at) < 2 * _CROSSING:
        return None
    down, right = (at.mean(axis=0) + 0.5) / (SIZE * PITCH / 2) - 1.0
    if np.hypot(down, right) < _OFF_MIDDLE:
        return None
    a, b, c, d = np.asarray(corners, np.float64)
    way = right * (b + c - a - d) / 4 + down * (c + d - a - b) / 4
    length = float(np.hypot(*way))
    return way / length if length else None
