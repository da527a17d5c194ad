"""Reads labelled photographs, and counts and prints how much is right.

They are read unchanged, under worse conditions, and with single tiles turned in place.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from game.board import Square
from game.errors import TilewatchError
from game.files import SMALL, read_file
from models import weights
from models.weights import tile_classifiers
from table.evaluate.damages import DAMAGES, Corners, Image
from vision.classifier import Classifier
from vision.errors import NoBoardFoundError
from vision.images import load_image
from vision.labels import BLANK, SYMBOLS, UNREADABLE
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.reading import Reading
from vision.rectify import homography, pixels_per_square, project
from vision.tile_sets import letters_of

SURE = 0.99
"""Squares with at least this confidence are counted separately: hardly any may be wrong."""


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
    """The number of letters reported as turned, although none is."""
    worst_corner: float = 0.0
    """The largest error of a corner, in squares."""
    milliseconds: list[float] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Adds another picture's score to this."""
        worst = max(self.worst_corner, other.worst_corner)
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))
        self.worst_corner = worst


def labelled(folder: Path) -> list[Labelled]:
    """Return the labelled photographs of a folder: pictures with a ``<name>.json`` beside them.

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
    """Return a true symbol as a camera can see it: a blank without its designated letter."""
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
) -> Score:
    """Read one picture, with its corners ``given`` or found, and score the reading."""
    try:
        reading: Reading | None = reader.read(image, corners if given else None)
    except NoBoardFoundError:
        reading = None
    return compare(reading, rows, corners)


def line(name: str, score: Score) -> str:
    """Return one row of the printed table."""
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


_WHOLE: Final = 0.46
"""Half the side of the turned area, in squares; between this and the next it is blended."""
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
    """The number of these that were reported as turned."""

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
    """Turn every ``every``-th letter of a picture by one, two and three quarter turns; count.

    One tile is turned at a time, and the whole board is read each time, at the place where it was
    found at first.
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


def photographs(
    reader: BoardReader,
    pictures: Sequence[Labelled],
    *,
    corners_given: bool = False,
    stress: bool = False,
) -> None:
    """Prints a line for each picture, one for all, and with ``stress`` one for each damage."""
    say(HEADER)
    total, conditions = Score(), dict[str, Score]()
    for picture in pictures:
        image = picture.image()
        score = measured(reader, image, picture.corners, picture.rows, corners_given)
        say(line(picture.name, score))
        total.add(score)
        if stress:
            for name, damage in DAMAGES.items():
                page, corners = damage(image, picture.corners)
                score = measured(reader, page, corners, picture.rows, corners_given)
                conditions.setdefault(name, Score()).add(score)
    say(line("all", total))
    for name, score in conditions.items():
        say(line(name, score))


def single_turned_tiles(reader: BoardReader, pictures: Sequence[Labelled], every: int = 4) -> None:
    """Prints how single tiles fare that are turned in place, every so many of each picture."""
    total = TurnedScore()
    for picture in pictures:
        score = turned_tiles(reader, picture, every)
        total.add(score)
        say(_turned_line(picture.name, score))
    say(_turned_line("all", total))


def reader_of(tiles: Path | None, tile_set: str | None) -> BoardReader:
    """Return a reader with other weights than those shipped, or with only one tile set's letters.

    Raises:
        TilewatchError: the weights can't be used, or not for this tile set.
    """
    cv2.setNumThreads(1)
    locator = Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"))
    letters = None if tile_set is None else letters_of(tile_set)
    if tiles is not None:
        return BoardReader(Classifier(tiles), locator, letters)
    classifier, other = tile_classifiers(letters)
    return BoardReader(classifier, locator, letters, other=other)


def _turned_line(name: str, score: TurnedScore) -> str:
    count = max(1, score.tiles)
    return (
        f"{name:<16} {score.tiles} tiles turned, one at a time: letter right"
        f" {score.letter_right / count:.2%}, rotation reported"
        f" {score.rotation_right / count:.2%}; of the others"
        f" {score.upright_turned} of {score.upright} reported turned"
    )


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
