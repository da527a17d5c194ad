"""ArUco stickers on the board's rim, by which the board is placed without a search.

Any four of ``DICT_4X4_50`` will do, anywhere on the rim that is seldom covered. The calibration
measures where each one is; later pictures are placed by those of them that are seen. They lie in
the board's plane and turn with it, so they also give its orientation.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.model import Calibration, Marker
from vision.rectify import Corners, Image, homography, project

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
FEWEST: Final = 2
"""The least stickers to place a board: one is too small to place the far side exactly."""

_FAR: Final = 6.0
"""A sticker further than this from the grid, in squares, is not on this board."""


def seen(image: Image) -> dict[int, Corners]:
    """Return the stickers in a picture: number to corners, float32 (4, 2), in pixels."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.minMarkerPerimeterRate = 0.015
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, numbers, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(grey)
    found: dict[int, Corners] = {}
    # OpenCV gives None instead of no numbers.
    for number, points in zip(np.ravel(() if numbers is None else numbers), corners, strict=True):
        if int(number) in found:
            return {}  # two alike: another board is in the picture, and which is ours?
        found[int(number)] = np.asarray(points, np.float32).reshape(4, 2)
    return found


def learn(image: Image, corners: Corners) -> tuple[Marker, ...]:
    """Return the stickers on the board whose grid is at ``corners`` of a straightened picture."""
    to_board = np.asarray(np.linalg.inv(homography(corners)), np.float64)
    known = []
    for number, points in sorted(seen(image).items()):
        at = project(to_board, points.astype(np.float64))
        if np.abs(at - 7.5).max() < 7.5 + _FAR:
            known.append(Marker(number, at.astype(np.float32)))
    return tuple(known)


def place(image: Image, calibration: Calibration) -> Corners | None:
    """Return the grid by the stickers in a straightened picture; None if too few are seen.

    The first corner is the one that was first when the calibration was made.
    """
    if len(calibration.stickers) < FEWEST:
        return None
    here = seen(image)
    known = [one for one in calibration.stickers if one.number in here]
    if len(known) < FEWEST:
        return None
    board = np.concatenate([one.corners for one in known])
    pixels = np.concatenate([here[one.number] for one in known])
    found = cv2.findHomography(board, pixels, cv2.LMEDS)[0]
    matrix = np.asarray(found, np.float64)
    if matrix.shape != (3, 3):  # None, where they lie in one line
        return None
    grid = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float64)
    return project(matrix, grid).astype(np.float32)


def sheet(dpi: int = 300, side_mm: float = 18.0) -> Image:
    """Return an A4 page, grey as BGR, with eight stickers of ``side_mm``: two sets of four."""
    per_mm = dpi / 25.4
    page = np.full((round(297 * per_mm), round(210 * per_mm), 3), 255, np.uint8)
    side = round(side_mm * per_mm)
    quiet = round(side_mm / 4 * per_mm)
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    for at in range(8):
        row, col = divmod(at, 4)
        marker = cv2.aruco.generateImageMarker(dictionary, at, side)
        x = round((20 + col * 46) * per_mm)
        y = round((50 + row * 60) * per_mm)
        page[y : y + side, x : x + side] = marker[..., None]
        cv2.rectangle(
            page, (x - quiet, y - quiet), (x + side + quiet, y + side + quiet), (190,) * 3, 1
        )
        scale = dpi / 300
        text = f"{at}"
        cv2.putText(
            page, text, (x, y + side + quiet + round(40 * scale)), cv2.FONT_HERSHEY_SIMPLEX,
            1.1 * scale, (90,) * 3, max(1, round(2 * scale)), cv2.LINE_AA,
        )  # fmt: skip
    for line, text in enumerate(
        (
            "Stickers for the rim of a board. Cut along the grey lines: the white edge belongs to",
            "them. Glue 0 to 3 near the corners of one board's rim, flat, where no hand rests;",
            "4 to 7 are for another board. Then run: tilewatch calibrate",
        )
    ):
        cv2.putText(
            page, text, (round(16 * per_mm), round((18 + 7 * line) * per_mm)),
            cv2.FONT_HERSHEY_SIMPLEX, 1.15 * dpi / 300, (40,) * 3, max(1, round(2 * dpi / 300)),
            cv2.LINE_AA,
        )  # fmt: skip
    return page
