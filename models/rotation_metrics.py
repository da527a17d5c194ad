"""One tile of a real photograph turned in place, to see whether it is read and reported so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import Square
from models.measure import Labelled
from vision.errors import NoBoardFoundError
from vision.reader import BoardReader
from vision.rectify import homography, project

Image = NDArray[np.uint8]
Corners = NDArray[np.float32]

_WHOLE: Final = 0.46
"""Half the side, in squares, of what is turned; from here to the next it fades into the old."""
_FADED: Final = 0.52


@dataclass
class TurnedScore:
    """Counts of single turned tiles that were read right."""

    tiles: int = 0
    letter_right: int = 0
    rotation_right: int = 0
    upright: int = 0
    """Letters on the same boards that were not turned."""
    upright_turned: int = 0
    """Those of them that were reported turned."""

    def add(self, other: TurnedScore) -> None:
        """Adds another picture's score to this."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def with_turned_tile(image: Image, corners: Corners, square: Square, turns: int) -> Image:
    """A copy of ``image`` with the tile on ``square`` turned clockwise by quarter turns.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: float32 (4, 2), the grid's, clockwise from its top-left.
        square: whose pixels are turned about its middle, in the board's plane.
        turns: quarter turns clockwise, as the letters' reader sees it.
    """
    matrix = homography(corners)
    middle = np.array([square.col + 0.5, square.row + 0.5])
    reach = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.55
    outline = project(matrix, middle + reach)
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 1, image.shape[1::-1])
    cols, rows = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    pixels = np.column_stack([cols.ravel(), rows.ravel()]).astype(np.float64)
    away = project(np.linalg.inv(matrix).astype(np.float64), pixels) - middle
    back = np.round(np.array([[0.0, 1.0], [-1.0, 0.0]])).astype(np.float64)
    source = away @ np.linalg.matrix_power(back, turns % 4).T + middle
    spots = project(matrix, source).astype(np.float32).reshape(*cols.shape, 2)
    across, down = np.ascontiguousarray(spots[..., 0]), np.ascontiguousarray(spots[..., 1])
    turned = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    depth = np.abs(away).max(axis=1).reshape(cols.shape)
    cover = np.clip((_FADED - depth) / (_FADED - _WHOLE), 0, 1)[..., None]
    page = image.copy()
    part = page[low[1] : high[1], low[0] : high[0]]
    part[:] = np.round(turned * cover + part * (1 - cover)).astype(np.uint8)
    return page


def turned_tiles(reader: BoardReader, picture: Labelled, every: int = 4) -> TurnedScore:
    """Turn every so many of a picture's letters by a quarter, a half and three quarters.

    One tile is turned at a time, and the whole board read each time where it was found at first.
    """
    image, score = picture.image(), TurnedScore()
    try:
        found = reader.read(image).corners
    except NoBoardFoundError:
        found = picture.corners
    letters = list(_letters(picture.rows))
    for square in letters[::every]:
        for turns in (1, 2, 3):
            page = with_turned_tile(image, picture.corners, square, turns)
            try:
                reading = reader.read(page, found)
            except NoBoardFoundError:
                continue
            score.tiles += 1
            right = reading.rows[square.row][square.col] == picture.rows[square.row][square.col]
            score.letter_right += right
            score.rotation_right += right and int(reading.rotation[square]) == turns
            others = [s for s in letters if s != square and reading.rows[s.row][s.col].isalpha()]
            score.upright += len(others)
            score.upright_turned += sum(int(reading.rotation[s]) > 0 for s in others)
    return score


def _letters(rows: tuple[str, ...]) -> Iterator[Square]:
    for row, line in enumerate(rows):
        for col, symbol in enumerate(line):
            if symbol.isalpha() and symbol.isupper():
                yield Square(row, col)
