"""Compares the corners of one board in two frames."""

from __future__ import annotations

import numpy as np

from vision.rectify import Corners, pixels_per_square


def shift(before: Corners, after: Corners) -> float:
    """Return the farthest that a corner moved, in squares."""
    distance = float(np.linalg.norm(after - before, axis=1).max())
    return distance / max(pixels_per_square(before), 1e-6)


def nearest_order(corners: Corners, to: Corners) -> Corners:
    """Return the corners in the cyclic order that is nearest to that of ``to``."""
    turns = [np.roll(corners, k, axis=0) for k in range(4)]
    distances = [float(np.linalg.norm(turn - to, axis=1).sum()) for turn in turns]
    return turns[int(np.argmin(distances))]
