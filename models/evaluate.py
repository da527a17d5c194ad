"""``tilewatch evaluate``: how much of labelled photographs is read right."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2

from game.tileset import load_tile_set
from models import weights
from models.measure import HEADER, Labelled, Score, labelled, line, measured
from models.overlay import overlay
from models.stress import damaged
from vision.classify import Classifier
from vision.locate import Locator
from vision.read import BoardReader


def main(argv: list[str] | None = None) -> int:
    """``tilewatch evaluate FOLDER``: see ``--help``."""
    parser = argparse.ArgumentParser(prog="tilewatch evaluate", description=__doc__)
    parser.add_argument("folder", type=Path, help="photographs, each with a .json of its truth")
    parser.add_argument("--corners-given", action="store_true", help="don't look for the board")
    parser.add_argument("--stress", action="store_true", help="repeat it under worse conditions")
    parser.add_argument("--overlay", type=Path, metavar="DIR", help="draw what was read")
    parser.add_argument("--tile-set", help="only this set's letters, such as english")
    parser.add_argument("--weights", type=Path, help="another tiles.onnx")
    args = parser.parse_args(argv)
    pictures = labelled(args.folder)
    reader = _reader(args.weights, args.tile_set)
    if args.overlay is not None:
        args.overlay.mkdir(parents=True, exist_ok=True)
    _say(HEADER)
    total, conditions = Score(), dict[str, Score]()
    for picture in pictures:
        total.add(_one(reader, picture, args))
        if args.stress:
            for name, page, corners in damaged(picture.image(), picture.corners):
                score, _ = measured(reader, page, corners, picture.rows, args.corners_given)
                conditions.setdefault(name, Score()).add(score)
    _say(line("all", total))
    for name, score in conditions.items():
        _say(line(name, score))
    return 0


def _reader(tiles: Path | None, tile_set: str | None) -> BoardReader:
    cv2.setNumThreads(1)
    classifier = Classifier(tiles or weights.path("tiles.onnx"))
    locator = Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"))
    letters = None
    if tile_set is not None:
        letters = frozenset(c for c in load_tile_set(tile_set).counts if c != "?")
    return BoardReader(classifier, locator, letters)


def _one(reader: BoardReader, picture: Labelled, args: argparse.Namespace) -> Score:
    image = picture.image()
    score, reading = measured(reader, image, picture.corners, picture.rows, args.corners_given)
    _say(line(picture.name, score))
    if args.overlay is not None and reading is not None:
        page = overlay(image, reading, picture.rows)
        cv2.imwrite(str(args.overlay / f"{picture.name}.jpg"), page)
    return score


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
