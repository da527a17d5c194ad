"""An objective by one parameter: where it is best, and how much worse it is around."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_STEPS: Final = (-3.0, -1.5, -0.5, 0.0, 0.5, 1.5, 3.0)
"""The values that are tried, in widths of the prior from today's."""


@dataclass(frozen=True)
class Profile:
    """The objective by one parameter, in logits or logarithms."""

    today: float
    best: float
    gain: float
    low: float
    """The objective is 1 below its best here, ..."""
    high: float
    """... and here."""


def profile(gain: Callable[[float], float], start: float, today: float, width: float) -> Profile:
    """Return where an objective is best around today's value, by a normal prior of this width.

    ``gain`` is the objective without the prior. It is tried in steps around ``start``, and then
    where a parabola through the three best values has its top.
    """
    tried: dict[float, float] = {}

    def objective(at: float) -> float:
        if at not in tried:
            tried[at] = gain(at) - 0.5 * ((at - today) / width) ** 2
        return tried[at]

    for step in _STEPS:
        objective(start + step * width)
    objective(today)
    for _ in range(2):
        objective(_top(tried))
    points = sorted(tried)
    best = max(points, key=objective)
    least = tried[best] - 1
    ends = []
    for side in (points[points.index(best) :: -1], points[points.index(best) :]):
        inner, outer = next(
            ((a, b) for a, b in pairwise(side) if tried[b] < least), (side[-1], side[-1])
        )
        drop = tried[inner] - tried[outer]
        ends.append(inner + (outer - inner) * ((tried[inner] - least) / drop if drop else 1.0))
    return Profile(today, best, gain(best) - gain(today), ends[0], ends[1])


def _top(tried: Mapping[float, float]) -> float:
    """Return where the parabola through the best point and its neighbours is highest."""
    points = sorted(tried)
    at = min(max(points.index(max(points, key=tried.__getitem__)), 1), len(points) - 2)
    (a, fa), (b, fb), (c, fc) = ((points[i], tried[points[i]]) for i in (at - 1, at, at + 1))
    bent = (b - a) * (fb - fc) - (b - c) * (fb - fa)
    if abs(bent) < 1e-12:
        return b
    return min(max(b - 0.5 * ((b - a) ** 2 * (fb - fc) - (b - c) ** 2 * (fb - fa)) / bent, a), c)
