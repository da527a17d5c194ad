"""Classifies squares again that one crop leaves in doubt."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.classifier import CropClassifier
from vision.decode import unrotated
from vision.rectify import Image, windows
from vision.tile_angles import unrotate_tile_poses

_SHIFT: Final = 2
"""Rectified pixels, a twentieth of a square: the locator's residual error."""

_MIN_PROBABILITY: Final = 1e-6
"""Floor of a crop's probabilities before their logarithms are averaged."""


def augmented(
    classifier: CropClassifier, board: Image, squares: NDArray[np.intp], first: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Classify some squares with test-time augmentation.

    The symbol does not depend on the side that a crop is seen from, or on where exactly it is cut;
    the classifier's errors on noise and fine strokes do. So each square is classified in the three
    other directions and slightly shifted too, and the log-probabilities are averaged.

    Args:
        classifier: reads crops.
        board: the rectified picture.
        squares: indices ``15 * row + col`` (N,).
        first: float32 (N, classes), of the plain crops.

    Returns:
        float32 (N, classes).
    """
    wide = np.pad(board, ((_SHIFT, _SHIFT), (_SHIFT, _SHIFT), (0, 0)), "edge")
    side = board.shape[0]
    shown = windows(board, squares)
    copies = [np.rot90(shown, -turns, axes=(1, 2)) for turns in (1, 2, 3)]
    copies += [windows(wide[at : at + side, at : at + side], squares) for at in (0, 2 * _SHIFT)]
    seen = classifier.probabilities(np.concatenate(copies))
    parts = list(seen.reshape(len(copies), len(squares), -1))
    for turns in (1, 2, 3):
        parts[turns - 1] = unrotated(parts[turns - 1], turns)
    logs = np.log(np.maximum([first, *parts], _MIN_PROBABILITY)).mean(axis=0)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)


def pose_augmented(
    classifier: CropClassifier, board: Image, squares: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return tile poses, the median over all four directions: float32 (N, 3)."""
    shown = windows(board, squares)
    copies = [np.rot90(shown, -turns, axes=(1, 2)) for turns in range(4)]
    _, tile_pose = classifier.classify(np.concatenate(copies))
    sides = tile_pose.reshape(4, len(squares), 3)
    seen = [unrotate_tile_poses(side, turns) for turns, side in enumerate(sides)]
    return np.asarray(np.median(seen, axis=0), np.float32)
