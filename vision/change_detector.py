"""Detects whether a tile was placed on a square between two pictures.

One picture of a plain blank may look much like its square. Two pictures, before and after, differ
by the tile's edges, its shadow and its grain, each where a tile's must be; a shadow that fell on
the square meanwhile has none of that. A small network, trained on drawn tables
(:mod:`tools.train.change`), tells one from the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.classifier import open_session
from vision.errors import ModelError
from vision.light import gain_around, level_around
from vision.rectify import Corners, Image, overlapping_cells, rectify

PITCH: Final = 16
"""Pixels a square."""

MARGIN: Final = 6
"""Pixels shown around it."""

PATCH: Final = PITCH + 2 * MARGIN

_MOST_DIFFERENCE: Final = 0.5
_MOST_LEVEL: Final = 2.0

_MOST_NATS: Final = 6.0
"""Bound of the network's log-likelihood ratio: too few larger ones were checked."""

DOUBTFUL: Final = _MOST_NATS
"""Smaller ratios are averaged over all four sides, as a photograph may be taken from any."""

Patches = NDArray[np.uint8]
"""uint8 (225, PATCH, PATCH, 3) BGR: each square with its surroundings, upright."""


def square_patches(image: Image, corners: Corners) -> Patches:
    """Return the squares of a board. ``image`` is uint8 (H, W, 3) BGR, ``corners`` upright."""
    board = rectify(image, corners, pitch=PITCH, border=MARGIN)
    return overlapping_cells(board, PITCH, PATCH).reshape(SIZE * SIZE, PATCH, PATCH, 3)


def network_input(
    before: Patches, after: Patches, squares: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return the network's input for some squares: float32 (N, 6, PATCH, PATCH).

    Three channels are the earlier patch, three the difference, both as shares of the level around.
    The change of light is taken out: in each colour, the median of the ratio of levels over the
    squares around.
    """
    was, now = _levels(before), _levels(after)
    gain = gain_around(was, now)
    level = level_around(was)
    gains, levels = gain.reshape(-1, 1, 1, 3)[squares], level.reshape(-1, 1, 1, 1)[squares]
    earlier = before[squares].astype(np.float32)
    difference = (after[squares] / gains - earlier) / levels
    share = np.minimum(earlier / levels, _MOST_LEVEL) - 1.0
    changed = np.clip(difference, -_MOST_DIFFERENCE, _MOST_DIFFERENCE) / _MOST_DIFFERENCE
    both = np.concatenate([share, changed], axis=3).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(both, dtype=np.float32)


def _levels(patches: Patches) -> NDArray[np.float32]:
    """Return the mean level of each square's middle: float32 (15, 15, 3)."""
    inner = slice(MARGIN + 2, MARGIN + PITCH - 2)
    means = patches[:, inner, inner].mean(axis=(1, 2), dtype=np.float32)
    return np.asarray(means.reshape(SIZE, SIZE, 3), np.float32)


class ChangeDetector:
    """The network, on the CPU.

    Args:
        weights: the ``.onnx`` file: float32 (N, 6, PATCH, PATCH) to float32 (N,), nats.
        threads: threads for one run.

    Raises:
        ModelError: the file is missing, damaged, or takes something else.
    """

    def __init__(self, weights: Path, threads: int = 1) -> None:
        self._session = open_session(weights, threads)
        feed = self._session.get_inputs()[0]
        if tuple(feed.shape[1:]) != (6, PATCH, PATCH):
            raise ModelError(
                f"{weights}: reads {feed.shape[1:]}, not {(6, PATCH, PATCH)};"
                " train it again with `python -m tools.train change`"
            )
        self._input = feed.name

    def log_likelihood_ratio(
        self, before: Patches, after: Patches, squares: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of a tile having been placed on each square, in nats.

        It may be added to the log-odds of a reading of the later picture: on drawn tables that
        neither was trained on, the sum is calibrated.

        Args:
            before: the squares when they were empty.
            after: the squares now.
            squares: indices ``15 * row + col`` (N,) of those to compare.
        """
        if len(squares) == 0:
            return np.zeros(0)
        pairs = network_input(before, after, squares)
        nats = self._run(pairs)
        doubts = np.abs(nats) < DOUBTFUL
        if doubts.any():
            sides = [np.rot90(pairs[doubts], turns, axes=(2, 3)) for turns in (1, 2, 3)]
            again = self._run(np.concatenate(sides)).reshape(3, -1)
            nats[doubts] = (nats[doubts] + again.sum(axis=0)) / 4
        return np.clip(nats, -_MOST_NATS, _MOST_NATS)

    def _run(self, pairs: NDArray[np.float32]) -> NDArray[np.float64]:
        fed = {self._input: np.ascontiguousarray(pairs)}
        return np.asarray(self._session.run(None, fed)[0], np.float64).reshape(-1)
