"""The calibration of one camera and one board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens, Straightener
from calibration.picture_quality import Measures
from game.board import SIZE
from game.errors import TilewatchError
from vision.empty_board import EmptyBoardModel
from vision.rectify import Corners, Image, homography, project, rectify

AROUND: Final = 3.2
"""Squares around the grid that belong to the board's surroundings. A square of this size holds the
grid at any turn of a turntable, and hands and tiles beside the board; faces and score sheets lie
outside."""

_STEPS: Final = 16
"""Points on each edge of the surroundings, so that a bent edge is followed."""


class CalibrationError(TilewatchError):
    """A calibration is damaged, of another version, or cannot be made; the message is one line."""


@dataclass(frozen=True)
class Marker:
    """An ArUco sticker on the board's rim: its number, and its corners in board units (4, 2)."""

    number: int
    corners: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Calibration:
    """The board's pose in a camera's pictures, the lens, and the empty board.

    Attributes:
        made: when, in ISO 8601, UTC.
        camera: which camera, in words that tell it from another.
        picture: uint8 (H, W, 3) BGR, the picture that it was made from, as taken.
        corners: float32 (4, 2), of the grid in the *straightened* picture, clockwise.
        lens: distortion of the camera's pictures; None where it is too small to matter.
        empty: True if the board was empty.
        measures: of that picture.
        settings: exposure and white balance to lock the camera to, as its options call them.
        stickers: ArUco stickers on the board.
        by_hand: True if somebody moved the corners.
        board_only: True if nothing but the board and :data:`AROUND` is to be kept of pictures.
    """

    made: str
    camera: str
    picture: Image
    corners: Corners
    lens: Lens | None
    empty: bool
    measures: Measures
    settings: Mapping[str, float] = field(default_factory=dict)
    stickers: tuple[Marker, ...] = ()
    by_hand: bool = False
    board_only: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the camera's pictures."""
        return self.picture.shape[1], self.picture.shape[0]

    def near_board(self, image: Image) -> Image:
        """Return a straightened picture, black outside of the board and what is around it.

        With :attr:`board_only` False it is the same picture.
        """
        return np.asarray(cv2.copyTo(image, self._near), np.uint8) if self.board_only else image

    def of_board_only(self) -> Calibration:
        """Return this calibration with :attr:`board_only`, and its picture black outside too."""
        mask = _filled(self._bent(self._outline), self.size)
        picture = np.asarray(cv2.copyTo(self.picture, mask), np.uint8)
        return replace(self, picture=picture, board_only=True)

    @cached_property
    def _near(self) -> NDArray[np.uint8]:
        return _filled(self._outline, self.size)

    @property
    def _outline(self) -> NDArray[np.float64]:
        """Points around the board in the straightened picture: float64 (N, 2)."""
        low, high = -AROUND, SIZE + AROUND
        ends = np.array([[low, low], [high, low], [high, high], [low, high], [low, low]])
        steps = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
        edges = [a + steps * (b - a) for a, b in pairwise(ends)]
        return project(homography(self.corners), np.concatenate(edges))

    def _bent(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points if self.lens is None else self.lens.bent(points)

    @cached_property
    def _straighten(self) -> Straightener | None:
        return None if self.lens is None else Straightener(self.lens)

    def straight(self, image: Image) -> Image:
        """Return a picture without the lens's distortion; the same picture if there is none."""
        return image if self._straighten is None else self._straighten(image)

    @cached_property
    def empty_board(self) -> EmptyBoardModel | None:
        """The model of the empty board; None if it was not empty."""
        if not self.empty:
            return None
        return EmptyBoardModel(rectify(self.straight(self.picture), self.corners))


def _filled(outline: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a mask, uint8 (H, W), that is 255 inside of an outline in pixels."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 255)
    return mask
