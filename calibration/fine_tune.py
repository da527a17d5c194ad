"""Fine-tunes the classifier for one set of tiles: a linear head fitted to the tiles just counted.

The count makes their labels near certain. The classifier sees each tile as it is and augmented:
shifted, turned, darker, softer, in all four quarter turns. A linear head on the classifier's
features is then fitted to the labels, with an L2 penalty that holds it to the classifier's own
probabilities where the tiles of this set are no clear evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.tile_check import TileCheck, label
from game.board import SIZE, Square
from game.tileset import TileSet
from vision.classifier import Classifier, LinearHead, softmax
from vision.decode import decode
from vision.labels import BLANK, CLASS_NAMES, EMPTY, LETTERS, class_index, state_index
from vision.reading import Reading
from vision.rectify import CROP, Corners, Image, crops
from vision.tile_sets import letter_weights

COPIES: Final = 4
"""Augmented copies of each tile, next to the tile itself."""

STIFFNESS: Final = 0.01
"""L2 penalty on a unit of weight, in nats (features have a mean square of one)."""

STEPS: Final = 60
ROUNDS: Final = 2
"""Fits, each labelled by the one before."""

HARD: Final = 1
"""Misread tiles of the set from which fine-tuning is worth while."""

_EMPTY_SHARE: Final = 0.5
"""Weight of the empty squares around the block: they have to stay what they are."""

_TURNED_SHARE: Final = 0.25
"""Weight of a tile in another direction, over one as it was."""

_SHIFT: Final = 1.6
_ANGLE: Final = 3.0
_LIGHT: Final = 0.15


@dataclass(frozen=True)
class Examples:
    """The training examples of a head.

    probabilities: float32 (N, classes), the classifier's own. features: float32 (N, F). labels:
    int (N,). weights: float32 (N,), adding up to one.
    """

    probabilities: NDArray[np.float32]
    features: NDArray[np.float32]
    labels: NDArray[np.intp]
    weights: NDArray[np.float32]


def fine_tuned(
    classifier: Classifier,
    image: Image,
    corners: Corners,
    found: TileCheck,
    tiles: TileSet,
    *,
    seed: int = 0,
) -> LinearHead | None:
    """Return a head for the set that was counted; None if the count can't serve as labels.

    It is fitted twice: the first head's readings are the labels of the second, for on a set that is
    hard to read the count may have taken one tile for another.

    Args:
        classifier: the one that reads.
        image: the picture in which the tiles were counted, straightened.
        corners: of the grid in it, as the reading had them: upright.
        found: the count.
        tiles: the set.
        seed: of the copies.
    """
    if not found.complete:
        return None
    seen = _Crops(classifier, image, corners, seed)
    squares = sorted(found.symbols)
    head: LinearHead | None = None
    symbols = dict(found.symbols)
    # What nobody can read may be any of the tiles left over; it teaches nothing at first.
    unclear = {*found.unsure, *found.face_down}
    for _ in range(ROUNDS):
        certain = {s: t for s, t in symbols.items() if s not in unclear}
        head = fit_head(seen.examples(certain))
        read = seen.posterior(head, frozenset(tiles.counts))
        again = label(np.array([read[square] for square in squares]), tiles, sure=True)
        symbols = dict(zip(squares, again, strict=True))
        unclear = set()
    return head


def needs_fine_tuning(found: TileCheck, reading: Reading) -> bool:
    """Return True if the reader alone misread tiles of the set; else there is nothing to gain."""
    wrong = sum(
        reading.symbol(square) != symbol
        for square, symbol in found.symbols.items()
        if symbol in LETTERS
    )
    return wrong >= HARD


class _Crops:
    """The crops of a picture with their probabilities and features."""

    def __init__(self, classifier: Classifier, image: Image, corners: Corners, seed: int) -> None:
        self._classifier, self._seed = classifier, seed
        self._crops = crops(image, corners)
        self._p, _, self._features = classifier.classify_with_features(self._crops)

    def posterior(self, head: LinearHead, allowed: frozenset[str]) -> NDArray[np.float64]:
        """Return the posterior with a head, in ``vision.decode.SYMBOL_ORDER``."""
        grid = head.apply(self._p, self._features).reshape(SIZE, SIZE, -1)
        return decode(grid, letter_weights(grid, allowed)).posterior.astype(np.float64)

    def examples(self, symbols: Mapping[Square, str]) -> Examples:
        """Return the tiles, augmented, and the empty squares with their labels."""
        rng = np.random.default_rng(self._seed)
        squares = sorted(symbols)
        occupied = np.array([SIZE * s.row + s.col for s in squares], np.intp)
        tiles = [symbols[square] for square in squares]
        count = Counter(tiles)
        # A letter of which there are many counts for more, but not by as much.
        share = np.tile([count[tile] ** -0.5 for tile in tiles], COPIES + 1)
        shown = self._crops[occupied]
        many = np.concatenate([shown, *(augmented(shown, rng) for _ in range(COPIES))])
        p, features, labels, weights = [], [], [], []
        for turn in range(4):
            turned = np.ascontiguousarray(np.rot90(many, -turn, axes=(1, 2)))
            seen, _, inside = self._classifier.classify_with_features(turned)
            p.append(seen)
            features.append(inside)
            labels.append([_class(tile, turn) for tile in tiles] * (COPIES + 1))
            weights.append(share * (1.0 if turn == 0 else _TURNED_SHARE))
        # Squares that are not surely empty (a tile outside the block, a hand) are left out.
        empty = np.setdiff1d(np.flatnonzero(self._p[:, state_index(EMPTY)] > 0.5), occupied)
        p.append(self._p[empty])
        features.append(self._features[empty])
        labels.append([state_index(EMPTY)] * len(empty))
        of_tiles = np.concatenate(weights)
        of_tiles *= (1 - _EMPTY_SHARE) / of_tiles.sum()
        weight = np.append(of_tiles, np.full(len(empty), _EMPTY_SHARE / max(len(empty), 1)))
        return Examples(
            np.concatenate(p),
            np.concatenate(features),
            np.concatenate(labels).astype(np.intp),
            np.asarray(weight / weight.sum(), np.float32),
        )


def fit_head(given: Examples, *, stiffness: float = STIFFNESS, steps: int = STEPS) -> LinearHead:
    """Return the head of least penalised cross-entropy, by Nesterov's accelerated gradient."""
    weights = given.weights[:, None]
    mean = (given.features * weights).sum(axis=0)
    x = given.features - mean
    scale = np.float32(np.sqrt((x**2 * weights).sum() / x.shape[1]) + 1e-9)
    x /= scale
    start = np.log(np.maximum(given.probabilities, 1e-9))
    rows = np.arange(len(x))
    steepest = 0.5 * _largest(x, given.weights) + stiffness
    shape = (len(CLASS_NAMES), x.shape[1])
    weight: NDArray[np.floating] = np.zeros(shape, np.float32)
    bias: NDArray[np.floating] = np.zeros(shape[0], np.float32)
    ahead, ahead_bias, pace = weight, bias, 1.0
    for _ in range(steps):
        error = softmax(start + x @ ahead.T + ahead_bias)
        error[rows, given.labels] -= 1
        error *= weights
        new = ahead - (error.T @ x + stiffness * ahead) / steepest
        new_bias = ahead_bias - (error.sum(axis=0) + stiffness * ahead_bias) / steepest
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        push = np.float32((pace - 1) / faster)
        ahead, ahead_bias = new + push * (new - weight), new_bias + push * (new_bias - bias)
        weight, bias, pace = new, new_bias, faster
    weight = np.asarray(weight / scale, np.float32)
    return LinearHead(weight, np.asarray(bias - weight @ mean, np.float32))


def augmented(shown: Image, rng: np.random.Generator) -> Image:
    """Return the crops with random pose, light, blur and noise: uint8 (N, CROP, CROP, 3)."""
    out = np.empty_like(shown)
    slope = np.linspace(-1, 1, CROP, dtype=np.float32)
    middle = ((CROP - 1) / 2, (CROP - 1) / 2)
    for into, crop in zip(out, shown, strict=True):
        angle, size = rng.normal(0, _ANGLE), float(np.exp(rng.normal(0, 0.03)))
        move = cv2.getRotationMatrix2D(middle, angle, size)
        move[:, 2] = move[:, 2] + rng.normal(0, _SHIFT, 2)
        moved = cv2.warpAffine(
            crop, move, (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        if rng.random() < 0.4:
            moved = cv2.GaussianBlur(moved, (0, 0), rng.uniform(0.4, 1.2))
        gain = np.asarray(np.exp(rng.normal(0, _LIGHT) + rng.normal(0, 0.06, 3)), np.float32)
        across, down = np.asarray(rng.normal(0, 0.1, 2), np.float32)
        light = (1 + across * slope[None, :, None]) * (1 + down * slope[:, None, None])
        noise = np.asarray(rng.normal(0, rng.uniform(0, 6), crop.shape), np.float32)
        into[:] = np.clip(moved.astype(np.float32) * gain * light + noise, 0, 255)
    return out


def _class(tile: str, turn: int) -> int:
    return class_index(tile, turn) if tile in LETTERS else state_index(BLANK)


def _largest(x: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    """Return the largest eigenvalue of the features' weighted second moments."""
    v = np.asarray(np.random.default_rng(0).normal(size=x.shape[1]), np.float32)
    size = 1.0
    for _ in range(20):
        v = x.T @ ((x @ v) * weights)
        size = float(np.linalg.norm(v))
        v /= max(size, 1e-12)
    return size
