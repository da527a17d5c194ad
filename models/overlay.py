"""Drawing what was read over the picture, so that a person can look."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.measure import plain
from models.scenes.faces import Face, line_of_text
from models.scenes.texture import ink
from vision.reading import Reading
from vision.rectify import homography, pixels_per_square, project

Image = NDArray[np.uint8]
_RIGHT, _WRONG, _UNSURE = (90, 220, 90), (60, 60, 255), (0, 200, 255)


def overlay(image: Image, reading: Reading, truth: tuple[str, ...] | None = None) -> Image:
    """A copy of ``image`` with the grid and every symbol read.

    With the truth given, wrong squares are red (what was read, then the truth), squares
    that were left open are yellow.
    """
    page = image.copy()
    matrix = homography(reading.corners)
    for i in range(16):
        for ends in (((i, 0), (i, 15)), ((0, i), (15, i))):
            a, b = project(matrix, np.array(ends, np.float64)).astype(int)
            cv2.line(page, tuple(map(int, a)), tuple(map(int, b)), (255, 200, 0), 1, cv2.LINE_AA)
    side = pixels_per_square(reading.corners)
    face = Face(weight=0.2)
    rows = reading.likeliest
    for row in range(15):
        for col in range(15):
            read, real = plain(rows[row][col]), None
            if truth is not None:
                real = plain(truth[row][col])
            if read == "." and real in {None, "."}:
                continue
            color = _RIGHT if real in {None, read} else _UNSURE if read == "~" else _WRONG
            text = read if real in {None, read} else f"{read}-{real}"
            text = text.replace("?", "*").replace(".", "0").replace("~", "-")
            mask = line_of_text(face, text, max(6.0, 0.2 * side))
            x, y = project(matrix, np.array([[col + 0.06, row + 0.06]]))[0]
            if x >= 0 and y >= 0:
                ink(page[int(y) :, int(x) :][: mask.shape[0], : mask.shape[1]], mask, color)
    return page
