"""The calibration of one camera and one board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens, Straightener
from calibration.picture_quality import Measures
from game.errors import TilewatchError
from vision.empty_board import EmptyBoardModel
from vision.rectify import Corners, Image, rectify


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

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the camera's pictures."""
        return self.picture.shape[1], self.picture.shape[0]

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
