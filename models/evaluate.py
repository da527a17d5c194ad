"""Measures readings of labelled photographs: as they are, worse lit, turned, a tile turned."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import weights
from models.measure import HEADER, Labelled, Score, line, measured, plain
from models.rotation_metrics import TurnedScore, turned_tiles
from models.scenes.faces import Face, line_of_text
from models.scenes.texture import ink
from models.stress import damaged
from models.tile_weights import tile_classifiers
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.reading import Reading
from vision.rectify import homography, pixels_per_square, project
from vision.tile_sets import letters_of

Image = NDArray[np.uint8]
_RIGHT, _WRONG, _UNSURE = (90, 220, 90), (60, 60, 255), (0, 200, 255)


def photographs(
    reader: BoardReader,
    pictures: Sequence[Labelled],
    *,
    corners_given: bool = False,
    stress: bool = False,
    overlays: Path | None = None,
) -> None:
    """Prints a line for each picture, one for all, and with ``stress`` one for each damage."""
    if overlays is not None:
        overlays.mkdir(parents=True, exist_ok=True)
    _say(HEADER)
    total, conditions = Score(), dict[str, Score]()
    for picture in pictures:
        image = picture.image()
        score, reading = measured(reader, image, picture.corners, picture.rows, corners_given)
        _say(line(picture.name, score))
        total.add(score)
        if overlays is not None and reading is not None:
            page = overlay(image, reading, picture.rows)
            cv2.imwrite(str(overlays / f"{picture.name}.jpg"), page)
        if stress:
            for name, page, corners in damaged(image, picture.corners):
                score, _ = measured(reader, page, corners, picture.rows, corners_given)
                conditions.setdefault(name, Score()).add(score)
    _say(line("all", total))
    for name, score in conditions.items():
        _say(line(name, score))


def single_turned_tiles(reader: BoardReader, pictures: Sequence[Labelled], every: int = 4) -> None:
    """Prints how single tiles fare that are turned in place, every so many of each picture."""
    total = TurnedScore()
    for picture in pictures:
        score = turned_tiles(reader, picture, every)
        total.add(score)
        _say(_turned_line(picture.name, score))
    _say(_turned_line("all", total))


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


def reader_of(tiles: Path | None, tile_set: str | None, threads: int = 1) -> BoardReader:
    """A reader with other weights than the shipped, or with one tile set's letters alone.

    Raises:
        TilewatchError: the weights can't be used, or not for this tile set.
    """
    cv2.setNumThreads(threads)
    locator = Locator(
        weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"), threads
    )
    letters = None if tile_set is None else letters_of(tile_set)
    if tiles is not None:
        return BoardReader(Classifier(tiles, threads), locator, letters)
    classifier, other = tile_classifiers(letters, threads)
    return BoardReader(classifier, locator, letters, other=other)


def _turned_line(name: str, score: TurnedScore) -> str:
    count = max(1, score.tiles)
    return (
        f"{name:<16} {score.tiles} tiles turned, one at a time: letter right"
        f" {score.letter_right / count:.2%}, rotation reported"
        f" {score.rotation_right / count:.2%}; of the others"
        f" {score.upright_turned} of {score.upright} reported turned"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
