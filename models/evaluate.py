"""Measures readings of labelled photographs: as they are, worse lit, turned, a tile turned."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from models import weights
from models.measure import HEADER, Labelled, Score, line, measured
from models.overlay import overlay
from models.rotation_metrics import TurnedScore, turned_tiles
from models.stress import damaged
from models.tile_weights import tile_classifiers
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.tile_sets import letters_of


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
