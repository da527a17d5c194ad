"""Reading labelled photographs and counting what is right."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from game.errors import TilewatchError
from game.files import SMALL, read_file
from vision.errors import NoBoardFoundError
from vision.images import load_image
from vision.labels import BLANK, SYMBOLS, UNREADABLE
from vision.reader import BoardReader
from vision.reading import Reading
from vision.rectify import pixels_per_square

Image = NDArray[np.uint8]
Corners = NDArray[np.float32]
SURE = 0.99
"""Squares at or above this confidence are counted apart: hardly one of them may be wrong."""


@dataclass(frozen=True)
class Labelled:
    """A photograph with its truth: 15 rows of symbols, and where the grid is."""

    name: str
    path: Path
    corners: Corners
    rows: tuple[str, ...]

    def image(self) -> Image:
        """The picture, uint8 (H, W, 3) BGR."""
        return load_image(self.path)


@dataclass
class Score:
    """Counts of what was read right on one picture, or, added up, on many."""

    pictures: int = 0
    found: int = 0
    exact: int = 0
    letters: int = 0
    letters_right: int = 0
    blanks: int = 0
    blanks_right: int = 0
    squares: int = 0
    squares_right: int = 0
    false_tiles: int = 0
    unsure: int = 0
    sure: int = 0
    sure_wrong: int = 0
    turned: int = 0
    """Letters reported turned, though none is."""
    worst_corner: float = 0.0
    """In squares."""
    milliseconds: list[float] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Adds another picture's score to this."""
        worst = max(self.worst_corner, other.worst_corner)
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))
        self.worst_corner = worst


def labelled(folder: Path) -> list[Labelled]:
    """Every ``<name>.json`` of a folder that has a picture of the same name.

    Raises:
        TilewatchError: no such folder, nothing labelled in it, or a label that can't be used.
    """
    if not folder.is_dir():
        raise TilewatchError(f"{folder}: no such folder of photographs")
    out = []
    for file in sorted(folder.glob("*.json")):
        pictures = [p for s in (".jpg", ".jpeg", ".png") if (p := file.with_suffix(s)).is_file()]
        if not pictures:
            continue
        try:
            truth = json.loads(read_file(file, SMALL))
            corners = np.array(truth["corners"], np.float32)
            rows = tuple(truth["rows"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise TilewatchError(f"{file}: not a label with corners and rows") from None
        if corners.shape != (4, 2) or [len(row) for row in rows] != [15] * 15:
            raise TilewatchError(f"{file}: corners are 4 points and rows 15 strings of 15")
        out.append(Labelled(file.stem, pictures[0], corners, rows))
    if not out:
        raise TilewatchError(f"{folder}: no labelled photographs (a .json beside each picture)")
    return out


def plain(symbol: str) -> str:
    """Truth as a camera can see it: a blank is a blank, whatever it stands for."""
    return SYMBOLS[BLANK] if symbol.islower() else symbol


def compare(
    reading: Reading | None,
    rows: Iterable[str],
    corners: Corners,
) -> Score:
    """Count what a reading got right; None is a board that was not found."""
    truth = np.array([[plain(s) for s in row] for row in rows])
    is_letter, is_blank = np.char.isalpha(truth), truth == SYMBOLS[BLANK]
    score = Score(
        pictures=1, letters=int(is_letter.sum()), blanks=int(is_blank.sum()), squares=truth.size
    )
    if reading is None:
        return score
    read = np.array([[plain(s) for s in row] for row in reading.likeliest])
    unread = np.array([[s == SYMBOLS[UNREADABLE] for s in row] for row in reading.rows])
    right = read == truth
    sure = (reading.confidence >= SURE) & ~unread
    off = np.linalg.norm(reading.corners - corners, axis=1) / pixels_per_square(corners)
    score.found = 1
    score.exact = int(right.all())
    score.letters_right = int((right & is_letter).sum())
    score.blanks_right = int((right & is_blank).sum())
    score.squares_right = int(right.sum())
    score.false_tiles = int(((truth == ".") & (read != ".") & (read != "~")).sum())
    score.unsure = int(unread.sum())
    score.sure = int(sure.sum())
    score.sure_wrong = int((sure & ~right).sum())
    score.turned = int(((reading.rotation > 0) & right & is_letter).sum())
    score.worst_corner = float(off.max())
    score.milliseconds = [reading.ms.get("locate", 0.0) + reading.ms.get("read", 0.0)]
    return score


def measured(
    reader: BoardReader, image: Image, corners: Corners, rows: Iterable[str], given: bool
) -> tuple[Score, Reading | None]:
    """Read one picture, with its corners ``given`` or found, and score the reading."""
    try:
        reading: Reading | None = reader.read(image, corners if given else None)
    except NoBoardFoundError:
        reading = None
    return compare(reading, rows, corners), reading


def line(name: str, score: Score) -> str:
    """One row of the table."""
    if not score.found:
        return f"{name:<16} no board found"
    speed = float(np.median(score.milliseconds)) if score.milliseconds else 0.0
    return (
        f"{name:<16} {score.exact:>3}/{score.pictures:<3}"
        f" {_percent(score.letters_right, score.letters)}"
        f" {score.blanks_right:>3}/{score.blanks:<3}"
        f" {_percent(score.squares_right, score.squares)}"
        f" {score.false_tiles:>6} {score.unsure:>7} {score.sure_wrong:>4}/{score.sure:<6}"
        f" {score.turned:>6} {score.worst_corner:>7.2f} {speed:>7.1f}"
    )


HEADER = (
    f"{'':<16} {'exact':>7} {'letters':>8} {'blanks':>7} {'squares':>8} {'false':>6} {'unsure':>7}"
    f" {'sure wrong':>11} {'turned':>6} {'corner':>7} {'ms':>7}"
)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:>7.2f}%" if whole else f"{'–':>8}"
