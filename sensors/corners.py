"""Corners of the playing grid as a person writes them down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

Corners: TypeAlias = tuple[tuple[float, float], ...]
"""Four ``(x, y)`` in pixels, clockwise from the corner that is top-left when letters read."""


def parse_corners(numbers: Sequence[float]) -> Corners:
    """Four points from eight numbers ``x, y, x, y, …``.

    Raises ``ValueError``, saying what is wrong, unless they are the corners of a convex
    four-sided figure in clockwise order as seen in the picture (y grows downwards): any other
    figure is a slip of the pen, and an anticlockwise one would read the board in a mirror.
    """
    if len(numbers) != 8:
        raise ValueError(f"corners are eight numbers x,y,x,y,x,y,x,y, not {len(numbers)}")
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("corners must be finite numbers")
    points = tuple(
        (float(numbers[index]), float(numbers[index + 1])) for index in range(0, len(numbers), 2)
    )
    turns = []
    for index in range(4):
        (ax, ay), (bx, by), (cx, cy) = (points[(index + step) % 4] for step in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    if all(turn < 0 for turn in turns):
        raise ValueError("corners run anticlockwise: give them clockwise from the top left")
    if not all(turn > 0 for turn in turns):
        raise ValueError("corners do not make a four-sided board: give them clockwise in order")
    return points
