"""Whose hand reaches over which squares, several times a second.

A hand comes into the picture of the board across its rim, at the end of an arm. What differs from
how the board and its surroundings looked when they were last in plain sight is parted into patches
(``vision.tracking.differing_patches``). A patch that reaches the rim is an arm; where it crosses
the rim, seen from the middle of the board, tells from which edge of the camera's picture it comes.
An arm that comes from between two players may be either's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Edge, Side
from vision.rectify import Corners, Image, homography, moved, project
from vision.tracking.arm_ways import crossings, squares_under
from vision.tracking.differing_patches import differing_patches
from vision.tracking.resting_arm import RestingArm, RestWatch
from vision.tracking.small_pictures import PITCH, SmallPictures

KEPT_NS: Final = 60_000_000_000
"""Hands are remembered for so long."""

_SPACING_NS: Final = 100_000_000
"""Frames nearer to each other than that are not all looked at: a hand stays longer."""

_BEYOND: Final = 3 * PITCH
"""Pixels around the board that are watched too: an arm is easier to see where no tiles are."""

_OPPOSITE: Final = 0.6
"""Cosine between an arm's crossing and a player's edge from which it is that player's, ..."""

_TOWARDS: Final = 0.3
"""... or from so much, ..."""

_NEARER: Final = 0.5
"""... and that is so much more than to the other's edge."""

_TOUCHING: Final = (3, 7, 11)
"""Pixels across where two arms touch that are parted, at most, in the order of the attempts."""

_CONTACT: Final = 2 * PITCH
"""Pixels across beside the place where two arms touch that both may cover."""

_BETWEEN: Final = 0.25
"""Share of the frames in which fingers or tiles at the rim may hide where an arm comes from."""

_TOUCHED: Final = 0.25
"""What a frame in which an arm touches the other player's counts: where it ends is a guess."""

_RESTS: Final = 0.2
"""What a frame counts in which an arm lies still: it places no tile."""

OPPOSITE: Final = -0.3
"""Cosine up to which two arms are those of two players, wherever they sit."""

_WHOLE: Final = 0.75
"""Share of the board from which a patch is no arm: the board was pushed, or its light changed."""

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
    weight: float
    """What it counts beside arms that were seen by themselves."""


class HandWatch:
    """The hands over one board in the last minute."""

    def __init__(self, hands: Mapping[Side, Edge], pictures: SmallPictures | None = None) -> None:
        """Begin with nothing seen.

        Args:
            hands: across which edge of the picture each player's hand comes.
            pictures: makes the small pictures, for somebody else too.
        """
        self._pictures = pictures or SmallPictures()
        self._ways = {side: np.array(_EDGES[edge]) for side, edge in hands.items()}
        self._arms: deque[_Arm] = deque()
        self._crossed_ns = -1
        """When something last reached over the rim of what is watched, ..."""
        self._clear_ns = 0
        """... and when nothing did."""
        self._seen_ns: int | None = None
        """The time of the last frame that was looked at."""
        self._plain: tuple[Image, Corners] | None = None
        """A picture of the board's surroundings in plain sight, and where the board lay in it."""
        self._board: NDArray[np.float32] | None = None
        """Each square as it was last in plain sight, float32 (75, 75, 3) at one level of light."""
        self._known: list[NDArray[np.float32]] = []
        """The pictures that are expected of a board at ``_corners`` in plain sight."""
        self._corners: Corners | None = None
        self._rest = RestWatch()

    def know(
        self, image: Image, corners: Corners, squares: NDArray[np.bool_] | None = None
    ) -> None:
        """Remember a picture, uint8 (H, W, 3) BGR, of the board at these corners in plain sight.

        With ``squares``, bool (15, 15), only those of them are.
        """
        board, self._known = _inner(self._wide(image, corners)), []
        if squares is None:
            self._plain, self._board = (image, corners), board.copy()
        elif self._board is not None:
            pixels = np.kron(squares, np.ones((PITCH, PITCH), np.bool_))
            self._board[pixels] = board[pixels]

    def see(self, t_ns: int, image: Image, corners: Corners) -> None:
        """Look for hands in a frame, uint8 (H, W, 3) BGR, of the board at these corners."""
        if self._seen_ns is not None and t_ns - self._seen_ns < _SPACING_NS:
            return
        self._seen_ns = t_ns
        while self._arms and t_ns - self._arms[0].t_ns > KEPT_NS:
            self._arms.popleft()
        now = self._wide(image, corners)
        if self._plain is None or self._board is None:
            self._plain, self._board = (image, corners), _inner(now).copy()
        if not self._known or corners is not self._corners:
            if moved(self._corners, corners):
                self._rest = RestWatch()
            self._known, self._corners = self._expected(*self._plain, corners), corners
            for expected in self._known:
                _inner(expected)[:] = self._board
        patches = list(differing_patches(now, *self._known))
        if any(crossings(patch, corners, _BEYOND) for patch in patches):
            self._crossed_ns = t_ns
        else:
            self._clear_ns = t_ns
        for part, sides, weight in self._arms_in(t_ns, now, patches, corners):
            for side in sides:
                self._note(t_ns, side, part, corners, weight)

    def _arms_in(
        self,
        t_ns: int,
        now: NDArray[np.float32],
        patches: list[NDArray[np.bool_]],
        corners: Corners,
    ) -> Iterator[tuple[NDArray[np.bool_], set[Side | None], float]]:
        """Yield each arm in a frame, whose it is, and what it counts."""
        found = [(patch, sides) for patch in patches if (sides := self._sides(patch, corners))]
        everybody = {side for _, sides in found for side in sides}
        whole = np.zeros(now.shape[:2], np.bool_)
        for patch, _ in found:
            whole |= patch
        self._rest.see(t_ns, now, whole, everybody)
        resting = self._rest.arm
        if resting is not None and len(everybody) > 1:
            fresh = self._beside(resting, now, corners)
            if fresh:
                yield resting.mask, {resting.side}, _RESTS
                yield from ((patch, sides, 1.0) for patch, sides in fresh)
                return
        for patch, _ in found:
            arms = self._parted(patch, corners)
            touch = len(set().union(*(sides for _, sides in arms))) > 1
            for part, sides in arms:
                rests = resting is not None and resting.is_all_of(part)
                yield part, sides, (_RESTS if rests else 1.0) * (_TOUCHED if touch else 1.0)

    def _beside(
        self, resting: RestingArm, now: NDArray[np.float32], corners: Corners
    ) -> list[tuple[NDArray[np.bool_], set[Side | None]]]:
        """Return the arms that have come beside one at rest; none if it is not clear whose."""
        known = map(resting.over, self._known)
        fresh = [(patch, self._sides(patch, corners)) for patch in differing_patches(now, *known)]
        clear = all(len(sides) == 1 and None not in sides for _, sides in fresh)
        return fresh if clear else []

    def _expected(
        self, plain: Image, before: Corners, corners: Corners
    ) -> list[NDArray[np.float32]]:
        """Return how a board at these corners may look in plain sight.

        Where it was moved, the table stays, and the board's frame comes along.
        """
        stays = self._wide(plain, corners)
        return [stays, self._wide(plain, before)] if moved(before, corners) else [stays]

    def _wide(self, image: Image, corners: Corners) -> NDArray[np.float32]:
        """Return the board in a picture, and what lies around it, at one level of light."""
        small = self._pictures.of(image, corners, _BEYOND)
        inner = small[_BEYOND:-_BEYOND:5, _BEYOND:-_BEYOND:5, 1]
        return np.asarray(small * (100.0 / max(1.0, float(np.median(inner)))), np.float32)

    def _parted(
        self, patch: NDArray[np.bool_], corners: Corners
    ) -> list[tuple[NDArray[np.bool_], set[Side | None]]]:
        """Return the arms in a patch, and whose they are: two that touch are parted."""
        whole = [(patch, self._sides(patch, corners))]
        if len(whole[0][1]) < 2:
            return whole
        for size in _TOUCHING:
            around = np.ones((size, size), np.uint8)
            count, labels = cv2.connectedComponents(cv2.erode(patch.astype(np.uint8), around))
            cores = ((labels == label).astype(np.uint8) for label in range(1, count))
            # Where they touch it may be either's.
            near = np.ones((size + _CONTACT, size + _CONTACT), np.uint8)
            parts = [cv2.dilate(core, near).astype(np.bool_) & patch for core in cores]
            arms = [(part, self._sides(part, corners)) for part in parts]
            if all(len(sides) < 2 for _, sides in arms):
                return arms
        return whole

    def _sides(self, patch: NDArray[np.bool_], corners: Corners) -> set[Side | None]:
        """Return whose arms reach over the rim in a patch; None is somebody's."""
        ways = crossings(patch, corners, _BEYOND)
        sides = {self._side(way, _OPPOSITE) for way in ways}
        if None in sides or not sides:
            # Nearer to the one than to the other.
            sides |= {self._side(way, _TOWARDS) for way in ways}
        return sides - {None} or sides

    def _note(
        self,
        t_ns: int,
        side: Side | None,
        patch: NDArray[np.bool_],
        corners: Corners,
        weight: float,
    ) -> None:
        """Remember an arm, if it is over the board."""
        reach = squares_under(patch[_BEYOND:-_BEYOND, _BEYOND:-_BEYOND])
        if reach.any() and np.count_nonzero(reach) <= _WHOLE * reach.size:
            self._arms.append(_Arm(t_ns, side, reach, corners, weight))

    def alone(self, since_ns: int) -> bool:
        """True if nothing has reached over the rim since then, or the same thing for long.

        Once the board was pushed, what lies around it is known anew as soon as it is still.
        """
        if self._crossed_ns < since_ns or (self._seen_ns or 0) - self._clear_ns > KEPT_NS:
            return True
        pushed = moved(self._plain[1] if self._plain else None, self._corners)
        return pushed and self._rest.changed_ns < since_ns

    def over(self, square: Square, corners: Corners, from_ns: int, to_ns: int) -> frozenset[Side]:
        """Return whose hands were over a square, of the board at these corners, in that time.

        Where an arm was mostly seen from between the players, both.
        """
        middle = np.array([[square.col + 0.5, square.row + 0.5]])
        at = project(homography(corners), middle)
        seen: dict[Side | None, float] = {None: 0.0, **dict.fromkeys(self._ways, 0.0)}
        for arm in self._arms:
            if not from_ns <= arm.t_ns <= to_ns:
                continue
            to_board = np.asarray(np.linalg.inv(homography(arm.corners)), np.float64)
            col, row = np.floor(project(to_board, at)[0]).astype(int)
            if 0 <= row < SIZE and 0 <= col < SIZE and arm.squares[row, col]:
                seen[arm.side] += arm.weight
        least = _BETWEEN * sum(seen.values())
        if seen[None] > least:
            return frozenset(self._ways)
        return frozenset(side for side in self._ways if seen[side] > least)

    def _side(self, way: NDArray[np.float64], least: float) -> Side | None:
        by_side = {side: float(way @ edge) for side, edge in self._ways.items()}
        best = max(by_side, key=lambda side: by_side[side])
        rest = max(value for side, value in by_side.items() if side != best)
        return best if by_side[best] >= least and by_side[best] - rest >= _NEARER else None


def _inner(wide: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the board's own part of a picture of it and of what lies around it."""
    return wide[_BEYOND:-_BEYOND, _BEYOND:-_BEYOND]
