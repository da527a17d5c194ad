"""A real pinhole camera: from heights above the board's plane to pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

CORNERS = np.array([(0, 0), (15, 0), (15, 15), (0, 15)], np.float64)
"""The grid's corners in board units, clockwise from its top-left."""


@dataclass(frozen=True)
class Camera:
    """A pinhole camera above the board.

    ``tilt`` degrees from straight down, towards ``azimuth`` degrees (seen from above, from the
    board's x axis to its y axis); ``roll`` turns the picture. ``scale`` is the pixels of a square
    at the target. ``focal`` is the focal length over the picture's longer side. ``target`` is the
    board point in the picture's centre.
    """

    width: int = 1280
    height: int = 960
    tilt: float = 0.0
    azimuth: float = 0.0
    roll: float = 0.0
    scale: float = 50.0
    focal: float = 1.2
    target: tuple[float, float] = (7.5, 7.5)


class View:
    """A :class:`Camera` at work over a board in board units, y stretched by ``aspect``.

    The board's plane is height 0 and heights are towards the camera, in squares.
    """

    def __init__(self, camera: Camera, aspect: float) -> None:
        tilt, azimuth, roll = (math.radians(a) for a in (camera.tilt, camera.azimuth, camera.roll))
        focal = camera.focal * max(camera.width, camera.height)
        distance = focal / camera.scale
        # x right, y down, z away from the camera: right-handed.
        back = np.array(
            [
                math.sin(tilt) * math.cos(azimuth),
                math.sin(tilt) * math.sin(azimuth),
                -math.cos(tilt),
            ]
        )
        forward = -back
        aim = np.array([math.cos(roll), math.sin(roll), 0.0])
        right = aim - forward * (aim @ forward)
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        turn = np.stack([right, down, forward])
        eye = np.array([camera.target[0], camera.target[1] * aspect, 0.0]) + back * distance
        intrinsics = np.array(
            [
                [focal, 0, (camera.width - 1) / 2],
                [0, focal, (camera.height - 1) / 2],
                [0, 0, 1],
            ]
        )
        pose = np.column_stack([turn, -turn @ eye])
        self._projection = intrinsics @ pose @ np.diag([1.0, aspect, 1.0, 1.0])

    def plane(self, height: float = 0.0) -> Matrix:
        """Homography from board units (x, y) at a height to pixels."""
        p = self._projection
        return np.column_stack([p[:, 0], p[:, 1], p[:, 3] - height * p[:, 2]])

    def in_front(self, xy: NDArray[np.floating], height: float = 0.0) -> bool:
        """True if board points (N, 2) at a height are a square or more before the camera."""
        depth = np.column_stack([xy, np.ones(len(xy))]) @ self.plane(height)[2]
        return bool((depth > 1).all())

    def points(self, xy: NDArray[np.floating], height: float = 0.0) -> NDArray[np.float64]:
        """Pixels (N, 2) of board points (N, 2) at a height."""
        xyw = np.column_stack([xy, np.ones(len(xy))]) @ self.plane(height).T
        return np.asarray(xyw[:, :2] / xyw[:, 2:], np.float64)
