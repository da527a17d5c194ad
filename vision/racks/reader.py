"""Reads the tiles of a row, from left to right.

The classifier looks through a window that slides along the row. A tile is where it is sure of a
letter that stands in the window's middle; no two tiles are nearer to each other than a tile is
wide. What looks like a letter but is not on a tile's own colour is none: a rack's edge is no I.
A blank is a whole tile of that colour without a letter.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import UNDESIGNATED
from vision.classifier import Classifier, softmax
from vision.labels import CLASS_NAMES, LETTER_CLASSES, LETTERS
from vision.racks.row import Row, find_row
from vision.rectify import CROP, PITCH, Image

MOST: Final = 8
"""The most tiles on a rack."""

_STEP: Final = 3
"""Pixels by which the window slides, of 42 a tile."""
_FITTED_STEP: Final = 6
"""The same while the row's place is found."""
_HEIGHTS: Final = (-0.24, -0.12, 0.0, 0.12, 0.24)
"""Heights of the window, in tiles."""
_TRIED: Final = (
    ((0.8, 0.9, 1.0, 1.12, 1.25, 1.4, 1.6, 1.8), (-0.1, 0.1), (0.0,)),
    ((1.0,), (-0.12, 0.0, 0.12), (-7.0, -3.5, 0.0, 3.5, 7.0)),
    ((0.92, 1.0, 1.08), (0.0,), (-1.5, 0.0, 1.5)),
)
"""Rows that are tried near one that was found: tiles of other widths, as factors; lower, in tiles;
and turned, in degrees."""
_NEAREST: Final = 0.75
"""The least distance between two tiles, in tiles."""
_MERGED: Final = 0.6
"""Letters that are nearer than this are one, while the width of tiles is not known."""
_SAME: Final = 0.3
"""The same letter found nearer than this, at several heights, is one tile's."""
_LEAST: Final = 0.2
_MIDDLE: Final = 0.12
"""The standard deviation of a tile's place in its window, in tiles."""
_TURNED: Final = 0.05
"""How much rarer each way is in which a tile stands turned."""
_SURE: Final = 0.5
_INNER: Final = 10
"""Half the side of a tile's inner part, in pixels of the strip."""
_ABOVE: Final = 0.75
"""The height above a tile's middle, in tiles, where no tile is any more."""
_STRANGE: Final = 4.0
"""The log odds that a letter on such a colour loses."""
_LOWER: Final = 0.16
"""How much higher or lower than the row a blank may be, in tiles."""
_WHOLE: Final = 0.92
"""The least share of a blank's inner part that has the colour of tiles."""
_FACE: Final = 28.0
"""The distance of a strange colour from that of the other tiles' faces, in units of CIE Lab."""


@dataclass(frozen=True)
class RackReading:
    """The tiles that a picture shows of a rack.

    Attributes:
        tiles: symbols from left to right, ``?`` for a blank.
        confidence: the probability of each.
        row: its place in the picture; None if no tile was found.
    """

    tiles: str
    confidence: tuple[float, ...]
    row: Row | None = None


@dataclass(frozen=True)
class _Candidate:
    """A tile that may be at a place along the row: its symbol, probability and gain."""

    x: float
    symbol: str
    share: float
    gain: float


_Seen = tuple[NDArray[np.float32], NDArray[np.float32]]
"""The probabilities of the set's letters and the poses of windows."""


class RackReader:
    """Reads racks of one set of tiles.

    Args:
        classifier: reads crops of squares, as of a board.
        other: a second network that knows the set's letters; None to do without.
        letters: of the set.
    """

    def __init__(
        self, classifier: Classifier, other: Classifier | None, letters: frozenset[str]
    ) -> None:
        self._networks = [classifier] if other is None else [classifier, other]
        self._letters = sorted(letters)
        first = np.array([4 * LETTERS.index(one) for one in self._letters])
        self._ways = first[:, None] + np.arange(4)
        numbers = np.arange(len(CLASS_NAMES))
        turned = (numbers < LETTER_CLASSES) & (numbers % 4 > 0)
        self._usual = np.log(np.where(turned, _TURNED, 1.0))

    def read(self, image: Image, row: Row | None = None) -> RackReading:
        """Return the tiles on the rack in a picture, uint8 (H, W, 3) BGR.

        ``row`` is where they were before, if neither the camera nor the rack has moved.
        """
        fitted = row
        if fitted is None:
            found = find_row(image, self._networks[-1], self._letters)
            if found is None:
                return RackReading("", ())
            fitted = self._fitted(image, found)
        tiles = self._tiles(image, fitted)
        return RackReading(
            "".join(one.symbol for one in tiles),
            tuple(round(one.share, 3) for one in tiles),
            fitted,
        )

    def _fitted(self, image: Image, row: Row) -> Row:
        """Return the row with the tiles' width and the line at which its letters are surest.

        A width that is far off still gives some letters, so a row that was found is only near.
        """
        most = -1.0
        letters: list[_Candidate] = []
        best = row
        for factors, heights, turns in _TRIED:
            for way in itertools.product(factors, heights, turns):
                tried = best.moved(*way)
                found, gain = self._letters_at(image, tried)
                if gain > most:
                    most, best, letters = gain, tried, found
            if letters:
                best = best.reaching(letters[0].x, letters[-1].x, MOST + 0.5)
        return best.moved(_spacing(letters), 0.0)

    def _letters_at(self, image: Image, row: Row) -> tuple[list[_Candidate], float]:
        """Return the letters of a row, and how sure they are in all."""
        xs = np.arange(row.left, row.right, _FITTED_STEP / PITCH)
        seen = self._classified(image, row, xs, 0.0, self._networks[-1:])
        letters = _chosen(self._candidates(xs, [seen]), _MERGED)
        return letters, sum(one.gain for one in letters)

    def _classified(
        self,
        image: Image,
        row: Row,
        xs: NDArray[np.float64],
        y: float,
        networks: list[Classifier],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return each letter's probability, and the poses, of windows at places along a row."""
        strip, left = straightened(image, row, xs[0], xs[-1], y)
        at = np.round((xs - left) * PITCH).astype(int)
        crops = np.stack([strip[:, one - CROP // 2 : one + CROP // 2] for one in at])
        results = [one.classify(crops) for one in networks]
        logits = np.mean([np.log(np.maximum(one, 1e-6)) for one, _ in results], axis=0)
        poses = np.asarray(np.mean([pose for _, pose in results], axis=0))
        shares = softmax(logits + self._usual)
        return np.asarray(shares[:, self._ways].sum(axis=2), np.float32), poses

    def _tiles(self, image: Image, row: Row) -> list[_Candidate]:
        xs = np.arange(row.left, row.right, _STEP / PITCH)
        seen = [self._classified(image, row, xs, y, self._networks) for y in _HEIGHTS]
        letters = _chosen(_together(self._candidates(xs, seen)))
        return self._with_blanks(image, row, xs, seen, letters)

    def _candidates(self, xs: NDArray[np.float64], seen: list[_Seen]) -> list[_Candidate]:
        """Return the letters that may be at places along the row."""
        found: list[_Candidate] = []
        for own, poses in seen:
            aside = poses[:, 0]
            best = own.argmax(axis=1)
            share = own[np.arange(len(own)), best]
            # A window left of a tile's middle shows it right of its own.
            for at in np.flatnonzero((aside[:-1] >= 0) & (aside[1:] < 0) & (share[:-1] > _LEAST)):
                part = float(aside[at] / (aside[at] - aside[at + 1]))
                near = int(at + round(part))
                away = float(poses[near, 1]) / _MIDDLE
                gain = _gain(float(share[near])) - away * away / 2
                if gain > 0:
                    x = float(xs[at] + part * (xs[at + 1] - xs[at]))
                    symbol = self._letters[best[near]]
                    found.append(_Candidate(x, symbol, float(share[near]), gain))
        return found

    def _with_blanks(
        self,
        image: Image,
        row: Row,
        xs: NDArray[np.float64],
        seen: list[_Seen],
        letters: list[_Candidate],
    ) -> list[_Candidate]:
        """Return the tiles with blanks, without letters that are on no tile."""
        strip, left = straightened(image, row, xs[0], xs[-1], 0.0)
        lab = _lab(strip)
        beside = [_lab(straightened(image, row, xs[0], xs[-1], y)[0]) for y in (-_LOWER, _LOWER)]
        above = _lab(straightened(image, row, xs[0], xs[-1], -_ABOVE)[0])
        pixels = np.round((xs - left) * PITCH).astype(int)
        places = [round((one.x - left) * PITCH) for one in letters]
        if not places:
            return []
        usual = np.median([_face(lab, place) for place in places], axis=0)
        strange = [_strange(lab, place, usual) for place in places]
        kept = [
            one for one, off in zip(letters, strange, strict=True) if one.gain > _STRANGE * off**2
        ]
        inked = np.max([own.max(axis=1) for own, _ in seen], axis=0)
        blanks = []
        for x, middle, ink in zip(xs, pixels, inked, strict=True):
            whole = max(_covered(one, middle, usual) for one in (lab, *beside))
            if whole > _WHOLE and ink < _SURE and _covered(above, middle, usual, 4) < _SURE:
                share = whole * (1 - float(ink)) * 0.99
                blanks.append(_Candidate(float(x), UNDESIGNATED, share, _gain(share)))
        free = [
            one
            for one in self._middles(blanks)
            if all(abs(one.x - letter.x) >= _NEAREST for letter in kept)
        ]
        tiles = [*kept, *_chosen(free, most=MOST - len(kept))]
        return sorted(tiles, key=lambda one: one.x)

    def _middles(self, blanks: list[_Candidate]) -> list[_Candidate]:
        """Return one candidate in the middle of each stretch; a long one may hold two blanks."""
        runs: list[list[_Candidate]] = []
        for one in blanks:
            if runs and one.x - runs[-1][-1].x < 2.5 * _STEP / PITCH:
                runs[-1].append(one)
            else:
                runs.append([one])
        out: list[_Candidate] = []
        for run in runs:
            length = run[-1].x - run[0].x
            out += run if length > 1.0 else [run[len(run) // 2]]
        return out


def _together(found: list[_Candidate]) -> list[_Candidate]:
    """Return each letter with the middle and the mean gain of its sightings at all heights."""
    out = []
    for one in found:
        same = [
            other for other in found if other.symbol == one.symbol and abs(other.x - one.x) < _SAME
        ]
        gain = sum(other.gain for other in same)
        x = sum(other.x * other.gain for other in same) / gain
        out.append(replace(one, x=x, gain=gain / len(_HEIGHTS)))
    return out


def _spacing(letters: list[_Candidate]) -> float:
    """Return the distance of tiles that touch, from letters from left to right; 1 if unknown.

    Large letters look like those of a wider tile; so the distance says more than they do.
    """
    apart = [after.x - one.x for one, after in itertools.pairwise(letters)]
    return min(1.0, float(np.percentile(apart, 25))) if apart else 1.0


def _gain(share: float) -> float:
    """Return the log odds of a probability, bounded."""
    clipped = min(max(share, 0.002), 0.998)
    return float(np.log(clipped / (1 - clipped)) - np.log(_SURE / (1 - _SURE)))


def _chosen(
    candidates: list[_Candidate], nearest: float = _NEAREST, most: int = MOST
) -> list[_Candidate]:
    """Return the tiles of the greatest gain in all, none too near to another, at most ``most``."""
    ordered = sorted(candidates, key=lambda one: one.x)
    before: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, ())] * (most + 1)]
    ends = [one.x for one in ordered]
    for number, one in enumerate(ordered):
        fits = int(np.searchsorted(ends, one.x - nearest, side="right"))
        row = list(before[number])
        for count in range(1, most + 1):
            gain, chosen = before[fits][count - 1]
            if gain + one.gain > row[count][0]:
                row[count] = (gain + one.gain, (*chosen, number))
        before.append(row)
    return [ordered[number] for number in max(before[-1])[1]]


def straightened(
    image: Image, row: Row, first: float, last: float, y: float
) -> tuple[Image, float]:
    """Return a part of the row, uint8 (CROP, W, 3), and the place of its left edge in tiles."""
    left = first - CROP / PITCH / 2 - 0.1
    width = round((last - left) * PITCH) + CROP
    top = y - CROP / PITCH / 2
    corner, across, down = row.at(left, top), row.along / PITCH, row.down / PITCH
    matrix = np.array([[across[0], down[0], corner[0]], [across[1], down[1], corner[1]]])
    shrink = float(np.hypot(*row.along)) / PITCH
    flags = cv2.INTER_LINEAR if shrink <= 1.5 else cv2.INTER_AREA
    if shrink > 1.5:
        zoom = 1 / shrink
        image = np.asarray(cv2.resize(image, None, fx=zoom, fy=zoom, interpolation=flags), np.uint8)
        matrix = matrix * zoom
    strip = cv2.warpAffine(
        image, matrix, (width, CROP), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(strip, np.uint8), left


def _lab(strip: Image) -> NDArray[np.float32]:
    scaled = np.asarray(strip, np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(scaled, cv2.COLOR_BGR2LAB), np.float32)


def _face(lab: NDArray[np.float32], middle: int) -> NDArray[np.float32]:
    """Return the colour of a tile's face, beside its letter: CIE Lab."""
    half = PITCH // 2 - 5
    part = lab[CROP // 2 - half : CROP // 2 + half, max(0, middle - half) : middle + half]
    if not part.size:
        return np.zeros(3, np.float32)
    sides = np.concatenate([part[:, :6].reshape(-1, 3), part[:, -6:].reshape(-1, 3)])
    return np.asarray(np.median(sides, axis=0), np.float32)


def _strange(lab: NDArray[np.float32], middle: int, usual: NDArray[np.float32]) -> float:
    """Return how far the quarter of a tile that is most like other faces is from them."""
    half = PITCH // 2 - 5
    part = lab[CROP // 2 - half : CROP // 2 + half, max(0, middle - half) : middle + half]
    away = np.linalg.norm(part - usual, axis=2)
    return float(np.percentile(away, 25)) / _FACE if away.size else 1.0


def _covered(
    lab: NDArray[np.float32], middle: int, usual: NDArray[np.float32], high: int = _INNER
) -> float:
    """Return the share of a tile's inner part that has the colour of tiles' faces."""
    rows = slice(CROP // 2 - high, CROP // 2 + high)
    part = lab[rows, max(0, middle - _INNER) : middle + _INNER]
    return float((np.linalg.norm(part - usual, axis=2) < _FACE / 2).mean()) if part.size else 0.0
