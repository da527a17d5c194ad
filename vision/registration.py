"""Registers the board of one picture in another, so that a dispute can overlay them.

The board is turned on its turntable from turn to turn, and pushed during play: the board is
registered, not the table. Its corners in one picture are known from the reading; in the other they
are found by the print and the tiles on the board, however it has been turned. Tiles placed or
removed in between do no harm: most of the board stays.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import decode_image
from vision.rectify import Corners, as_corners

_LONGEST: Final = 1024
"""Both pictures are shrunk until their longer sides have so many pixels, or as many as the smaller
one has."""

_FEATURES: Final = 1500
_RATIO: Final = 0.8
_NEAR: Final = 3.0
"""The most pixels by which a point of the board may miss its place."""

_LEAST: Final = 30
"""The number of points that have to agree; by chance hardly ten do."""

_SQUARE: Final = 0.35
"""The most by which opposite sides may differ in length, and by which the size may differ."""


def register_board(known: bytes, corners: Corners, other: bytes) -> Corners | None:
    """Return the board's corners in ``other``, in the order of ``corners``; None if not found.

    Args:
        known: a JPEG in which the board's corners are known.
        corners: float32 (4, 2), pixels of ``known``.
        other: a JPEG of the same board, later or earlier.

    Raises:
        TilewatchError: one of them is no picture.
    """
    pictures = [decode_image(jpeg, "a kept picture") for jpeg in (known, other)]
    longest = min(_LONGEST, *(max(image.shape[:2]) for image in pictures))
    (one, scale), (two, other_scale) = (_grey(image, longest) for image in pictures)
    board = np.asarray(corners, np.float32) * scale
    sift = cv2.SIFT.create(nfeatures=_FEATURES)
    mask = np.zeros(one.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(board).astype(np.int32), 255)
    from_points, from_descriptors = sift.detectAndCompute(one, mask)
    to_points, to_descriptors = sift.detectAndCompute(two, None)
    if from_descriptors is None or to_descriptors is None or len(to_points) < 2:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(from_descriptors, to_descriptors, k=2)
    good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < _RATIO * p[1].distance]
    if len(good) < _LEAST:
        return None
    source = np.array([from_points[m.queryIdx].pt for m in good], np.float32)
    target = np.array([to_points[m.trainIdx].pt for m in good], np.float32)
    matrix, agree = cv2.findHomography(source, target, cv2.USAC_MAGSAC, _NEAR)
    if matrix is None or int(agree.sum()) < _LEAST:
        return None
    found = cv2.perspectiveTransform(board[None], matrix)[0]
    if not _plausible(board, found):
        return None
    return as_corners(found / other_scale)


def _grey(image: NDArray[np.uint8], longest: int) -> tuple[NDArray[np.uint8], float]:
    """Return a picture in grey, its longer side ``longest`` pixels, and by how much it shrank."""
    scale = longest / max(image.shape[:2])
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(grey, np.uint8), scale


def _plausible(board: NDArray[np.float32], found: NDArray[np.float32]) -> bool:
    """Return True if the same camera can see a board so."""
    try:
        as_corners(found)
    except ValueError:
        return False
    sides = np.linalg.norm(np.roll(found, -1, axis=0) - found, axis=1)
    before = np.linalg.norm(np.roll(board, -1, axis=0) - board, axis=1)
    if abs(sides.mean() / before.mean() - 1) > _SQUARE:
        return False
    area = cv2.contourArea(found, True) * cv2.contourArea(board, True)
    return bool(area > 0 and sides.min() > (1 - _SQUARE) * sides.max())
