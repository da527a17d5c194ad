"""Pictures that makers put on blanks, as outlines: polygons (N, 2) within -1..1, y down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.scenes.spec import Rng

Outline = NDArray[np.float64]
"""float64 (N, 2): a closed polygon, x right and y down, within -1..1."""


def _polar(angles: Outline, radii: Outline, upright: float = -np.pi / 2) -> Outline:
    return np.stack([np.cos(angles + upright) * radii, np.sin(angles + upright) * radii], axis=1)


def _mirrored(half: list[tuple[float, float]]) -> Outline:
    """Return the outline whose right half, from the top down, is given."""
    right = np.array(half)
    left = right[::-1] * (-1, 1)
    return np.concatenate([right, left])


def leaf(rng: Rng) -> list[Outline]:
    """Return a leaf with three or five pointed lobes and a stalk."""
    half = [(0.0, -1.0), (0.2, -0.55), (0.42, -0.65), (0.38, -0.15), (0.62, -0.4), (0.72, -0.22)]
    half += [(1.0, -0.25), (0.85, 0.05), (0.95, 0.15), (0.5, 0.5), (0.55, 0.65), (0.06, 0.6)]
    half += [(0.06, 1.0)]
    wobble = rng.normal(0, 0.03, (len(half), 2))
    return [_mirrored([(x + dx, y + dy) for (x, y), (dx, dy) in zip(half, wobble, strict=True)])]


def heart(_rng: Rng) -> list[Outline]:
    """Return a heart."""
    t = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return [np.stack([np.sin(t) ** 3, -y / 16], axis=1)]


def crown(rng: Rng) -> list[Outline]:
    """Return a crown of three to five points."""
    points = int(rng.integers(3, 6))
    top = [(-1 + 2 * k / (2 * points), -0.7 if k % 2 else -0.1) for k in range(2 * points + 1)]
    return [np.array([(-1.0, 0.7), *top, (1.0, 0.7)])]


def tree(rng: Rng) -> list[Outline]:
    """Return a fir."""
    tiers = int(rng.integers(2, 5))
    half: list[tuple[float, float]] = [(0.0, -1.0)]
    for k in range(tiers):
        low = -1 + 1.7 * (k + 1) / tiers
        half += [(0.3 + 0.5 * (k + 1) / tiers, low), (0.15 + 0.25 * k / tiers, low)]
    return [_mirrored([*half, (0.12, 0.7), (0.12, 1.0)])]


def flower(rng: Rng) -> list[Outline]:
    """Return petals around a middle."""
    petals = int(rng.integers(4, 9))
    t = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    return [_polar(t, 0.62 + 0.38 * np.cos(petals * t))]


def globe(rng: Rng) -> list[Outline]:
    """Return a circle with meridians, or rings within one another."""
    t = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    widths = rng.uniform(0.2, 0.9, 2)
    circle = np.stack([np.cos(t), np.sin(t)], axis=1)
    return [circle, *(circle * (wide, 1.0) for wide in widths)]


def flake(rng: Rng) -> list[Outline]:
    """Return a star with six to twelve arms."""
    arms = int(rng.integers(6, 13))
    angles = np.arange(2 * arms) * np.pi / arms
    radii = np.where(np.arange(2 * arms) % 2 == 0, 1.0, rng.uniform(0.3, 0.7))
    return [_polar(angles, radii)]


def moon(rng: Rng) -> list[Outline]:
    """Return a crescent."""
    t = np.linspace(0.3, 2 * np.pi - 0.3, 40)
    inner = np.stack([np.cos(t) * 0.75 + 0.35, np.sin(t) * 0.8], axis=1)[::-1]
    outline = np.concatenate([np.stack([np.cos(t), np.sin(t)], axis=1), inner])
    return [outline * (1 if rng.random() < 0.5 else -1, 1)]


def figure(rng: Rng) -> list[Outline]:
    """Return a shape of no particular kind: an animal, a map, a coat of arms."""
    t = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    radii = np.full(64, 0.65)
    for wave in range(2, 9):
        radii += rng.normal(0, 0.5 / wave) * np.cos(wave * t + rng.uniform(0, 2 * np.pi))
    radii = np.clip(radii, 0.15, None)
    return [_polar(t, radii / radii.max())]


EMBLEMS: Final[tuple[Callable[[Rng], list[Outline]], ...]] = (
    *(leaf, heart, crown, tree, flower),
    *(globe, flake, moon, figure, figure),
)
