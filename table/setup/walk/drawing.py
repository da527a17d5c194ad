"""What a step found, drawn into its picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import cv2
import numpy as np

from game.board import Square
from game.events import Edge
from vision.rectify import Corners, Image

_LINE: Final = (60, 220, 60)
_MARK: Final = (40, 40, 230)
_SIDE: Final = 15


def with_grid(image: Image, corners: Corners, marked: Iterable[Square] = ()) -> Image:
    """Return the picture with the grid's lines, and a frame around some of its squares."""
    drawn, width = image.copy(), max(1, image.shape[1] // 800)
    grid = _to_picture(corners)
    for at in range(_SIDE + 1):
        for ends in (((at, 0), (at, _SIDE)), ((0, at), (_SIDE, at))):
            a, b = (_point(grid, *end) for end in ends)
            cv2.line(drawn, a, b, _LINE, width, cv2.LINE_AA)
    for square in marked:
        x, y = square.col, square.row
        outline = [_point(grid, x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
        cv2.polylines(drawn, [np.array(outline)], True, _MARK, 3 * width, cv2.LINE_AA)
    return drawn


def with_hands(image: Image, names: Mapping[Edge, str]) -> Image:
    """Return the picture with a name at each edge from which a player's hand comes."""
    drawn = image.copy()
    height, width = image.shape[:2]
    scale = width / 900
    places: Mapping[Edge, tuple[int, int]] = {
        "top": (width // 2, round(40 * scale)),
        "bottom": (width // 2, height - round(20 * scale)),
        "left": (round(10 * scale), height // 2),
        "right": (width - round(200 * scale), height // 2),
    }
    for edge, name in names.items():
        for colour, thickness in (((0, 0, 0), 6), ((255, 255, 255), 2)):
            weight = max(1, round(thickness * scale))
            font = cv2.FONT_HERSHEY_SIMPLEX
            cv2.putText(drawn, name, places[edge], font, scale, colour, weight, cv2.LINE_AA)
    return drawn


def _to_picture(corners: Corners) -> Corners:
    board = np.array([(0, 0), (_SIDE, 0), (_SIDE, _SIDE), (0, _SIDE)], np.float32)
    return np.asarray(
        cv2.getPerspectiveTransform(board, np.asarray(corners, np.float32)), np.float32
    )


def _point(grid: Corners, x: float, y: float) -> tuple[int, int]:
    u, v, w = grid @ np.array((x, y, 1.0), np.float32)
    return round(float(u / w)), round(float(v / w))
