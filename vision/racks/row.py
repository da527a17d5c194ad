"""Finds the row of tiles on a rack, of any size, slant and direction, by the letters on it.

The classifier of board squares also finds letters: in windows of many sizes over the whole picture
it is sure of a letter only where one is in the middle, upright and of the window's size. Letters
that stand beside each other along a line, each as much turned as the line, are a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.classifier import CropClassifier
from vision.labels import LETTERS
from vision.rectify import CROP, PITCH, Image

STEP: Final = 1.25
"""Sizes of tiles that are tried differ by this factor; a classifier reads tiles a fifth off."""

_LEAST: Final = 16.0
"""The least width of a tile in pixels."""
_LARGEST: Final = 0.6
"""The largest width of a tile, as a share of the picture's height."""
_SPACING: Final = 14
"""Pixels between windows, a third of a tile."""
_INK: Final = 9.0
"""Windows with less variation of grey are not looked at: no letter is so faint."""
_SURE: Final = 0.6
_MOST_SLANT: Final = 40.0
_TURNED: Final = 14.0
"""The most degrees by which a letter is turned against its row."""
_UPRIGHT: Final = 1.25
"""How much likelier a camera is to hang upright."""
_TILT: Final = 26.0
"""The degrees by which the picture is turned to find a row that is too slanted for the network."""
_CLEAR: Final = 2.0
"""The score from which on a row is taken without that."""
_ALONG: Final = 11.0
"""The longest row, in tiles."""


@dataclass(frozen=True)
class Row:
    """The place of a row of tiles in a picture.

    Attributes:
        start: float64 (2,), the middle of a tile, in pixels.
        along: float64 (2,), from there one tile's width along the row, as its letters are read.
        left: the row's left end, in tiles from ``start``, with room for tiles that were not found.
        right: its right end.
        score: the sum of the probabilities of its letters.
    """

    start: NDArray[np.float64]
    along: NDArray[np.float64]
    left: float
    right: float
    score: float

    @property
    def down(self) -> NDArray[np.float64]:
        """From a tile's middle one tile's width to its foot."""
        return np.array([-self.along[1], self.along[0]])

    def at(self, x: float, y: float = 0.0) -> NDArray[np.float64]:
        """Return the pixel of a place, in tiles along the row and down."""
        return np.asarray(self.start + x * self.along + y * self.down)

    def moved(self, factor: float, y: float, degrees: float = 0.0) -> Row:
        """Return the row with tiles ``factor`` times as wide, ``y`` tiles lower, and turned."""
        turn = math.radians(degrees)
        along = (math.cos(turn) * self.along + math.sin(turn) * self.down) * factor
        return Row(self.at(0, y), along, self.left / factor, self.right / factor, self.score)

    def reaching(self, first: float, last: float, most: float) -> Row:
        """Return the row with room for ``most`` tiles in all at either side of those known."""
        reach = max(1.2, most - (last - first)) + (last - first) / 2
        return Row(self.at((first + last) / 2), self.along, -reach, reach, self.score)


@dataclass(frozen=True)
class _Found:
    """A letter that was found: its middle in pixels, its width, its degrees and probability."""

    x: float
    y: float
    size: float
    degrees: float
    share: float


def find_row(
    image: Image,
    classifier: CropClassifier,
    letters: Sequence[str],
) -> Row | None:
    """Return the row of tiles in a picture; None if no letter was found.

    Args:
        image: uint8 (H, W, 3) BGR.
        classifier: of crops of board squares.
        letters: of the set.
    """
    columns = np.array([[4 * LETTERS.index(one) + k for one in letters] for k in range(4)])
    best: Row | None = None
    for degrees in (0.0, -_TILT, _TILT):
        tilted, back = _tilted(image, degrees)
        for size in _sizes(image):
            for turns, found in enumerate(_letters(tilted, classifier, columns, size)):
                row = _row(found, turns)
                if row is not None and turns == 0:  # O, H and N read the same upside down
                    row = replace(row, score=_UPRIGHT * row.score)
                if row is not None and (best is None or row.score > best.score):
                    start, along = back @ [*row.start, 1.0], back[:, :2] @ row.along
                    best = replace(row, start=start, along=along)
        if best is not None and best.score >= _CLEAR:
            break
    return best


def _tilted(image: Image, degrees: float) -> tuple[Image, NDArray[np.float64]]:
    """Return the whole picture turned counterclockwise, and the way back: float64 (2, 3)."""
    height, width = image.shape[:2]
    there = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    new = np.abs(there[:, :2]) @ (width, height)
    there[:, 2] = there[:, 2] + (new - (width, height)) / 2
    ground = np.median(image.reshape(-1, 3), axis=0).tolist()
    tilted = cv2.warpAffine(image, there, np.ceil(new).astype(int).tolist(), borderValue=ground)
    return np.asarray(tilted, np.uint8), np.asarray(cv2.invertAffineTransform(there), np.float64)


def _sizes(image: Image) -> list[float]:
    height, width = image.shape[:2]
    largest = max(_LEAST, min(_LARGEST * height, width / 2.0))
    least = max(_LEAST, width / 60.0)
    count = max(0, math.ceil(math.log(largest / least) / math.log(STEP)))
    return [least * STEP**one for one in range(count + 1)]


def _letters(
    image: Image, classifier: CropClassifier, columns: NDArray[np.intp], size: float
) -> list[list[_Found]]:
    """Return the letters of one size that are found, by their quarter turns."""
    zoom = PITCH / size
    resized = cv2.resize(
        image, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    )
    edge = CROP // 2
    padded = cv2.copyMakeBorder(resized, edge, edge, edge, edge, cv2.BORDER_REPLICATE)
    grey = cv2.cvtColor(padded, cv2.COLOR_BGR2GRAY).astype(np.float32)
    inner = (PITCH // 2, PITCH // 2)
    spread = cv2.blur(grey * grey, inner) - cv2.blur(grey, inner) ** 2
    ys, xs = (np.arange(0, extent, _SPACING) for extent in resized.shape[:2])
    places = [(x, y) for y in ys for x in xs if spread[y + edge, x + edge] >= _INK * _INK]
    if not places:
        return [[] for _ in columns]
    crops: Image = np.stack(
        [np.asarray(padded, np.uint8)[y : y + CROP, x : x + CROP] for x, y in places]
    )
    shares, poses = classifier.classify(crops)
    out = []
    for own in columns:
        known = shares[:, own].max(axis=1)
        found = [
            _Found(
                (places[at][0] + poses[at, 0] * PITCH + 0.5) / zoom,
                (places[at][1] + poses[at, 1] * PITCH + 0.5) / zoom,
                size,
                float(poses[at, 2]),
                float(known[at]),
            )
            for at in np.flatnonzero(known >= _SURE)
        ]
        out.append(_apart(found))
    return out


def _apart(found: list[_Found]) -> list[_Found]:
    """Return the surest of letters that lie on each other."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda letter: -letter.share):
        if all(math.hypot(one.x - other.x, one.y - other.y) > 0.6 * one.size for other in kept):
            kept.append(one)
    return kept


def _row(found: list[_Found], turns: int) -> Row | None:
    """Return the best row of letters with these quarter turns clockwise."""
    best: Row | None = None
    quarter = math.radians(90 * turns)
    right = np.array([math.cos(quarter), math.sin(quarter)])
    for number, one in enumerate(found):
        for other in found[number + 1 :] or [one]:
            row = _through(one, other, found, right)
            if row is not None and (best is None or row.score > best.score):
                best = row
    return best


def _through(
    one: _Found, other: _Found, found: list[_Found], right: NDArray[np.float64]
) -> Row | None:
    """Return the row on the line through two letters; of one letter, by its own angle."""
    away = np.array([other.x - one.x, other.y - one.y])
    far = float(np.hypot(*away))
    if one is other:
        angle = math.radians(one.degrees)
        cos, sin = math.cos(angle), math.sin(angle)
        unit = np.array([[cos, -sin], [sin, cos]]) @ right
    elif 0.75 * one.size < far < _ALONG * one.size:
        unit = away / far if away @ right > 0 else -away / far
    else:
        return None
    slant = math.degrees(math.asin(float(np.clip(right[0] * unit[1] - right[1] * unit[0], -1, 1))))
    if float(unit @ right) <= 0 or abs(slant) > _MOST_SLANT:
        return None
    down = np.array([-unit[1], unit[0]])
    places: list[tuple[float, float]] = []
    for letter in found:
        offset = np.array([letter.x - one.x, letter.y - one.y])
        turned = abs((letter.degrees - slant + 45) % 90 - 45)
        if abs(float(offset @ down)) < 0.25 * one.size and turned < _TURNED:
            places.append((float(offset @ unit) / one.size, letter.share))
    if not places:
        return None
    xs = [x for x, _ in places]
    middle = float(np.median(xs))
    near = [(x, share) for x, share in places if abs(x - middle) < _ALONG / 2]
    if not near:
        return None
    score = sum(share for _, share in near)
    low, high = min(x for x, _ in near), max(x for x, _ in near)
    start = np.array([one.x, one.y])
    return Row(start, unit * one.size, 0, 0, score).reaching(low, high, _ALONG)
