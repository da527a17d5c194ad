"""A bag and a score sheet on the rim of a board."""

from __future__ import annotations

import random

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.motion.stills import Stills
from vision.rectify import Image


def clutter_on(stills: Stills, rng: random.Random) -> list[tuple[Image, NDArray[np.uint8]]]:
    """Return a bag at one rim of the board and a score sheet at another, with their masks.

    They reach a little over the outermost squares, where no tile comes to be if that can be.
    """
    grid = stills.grid
    width, height = grid.size
    used = {square for still in stills.stills for square in still.placed}
    things = []
    for kind, x, column, reach in (("bag", -1.0, 0, 3), ("sheet", 15.6, 14, 5)):
        rows = [square.row for square in used if square.col == column]
        spots = [(sum(abs(row + 0.5 - y) < reach for row in rows), y) for y in _ys(rng)]
        y = min(spots)[1]
        mask = np.zeros((height, width), np.uint8)
        image = np.zeros((height, width, 3), np.uint8)
        outline = _outline(kind, x, y, rng)
        points = np.round([grid.point(*one) for one in outline]).astype(np.int32)
        _fill(image, mask, points, kind, rng)
        things.append((image, mask))
    return things


def _ys(rng: random.Random) -> list[float]:
    return [rng.uniform(2, 12) for _ in range(20)]


def _outline(kind: str, x: float, y: float, rng: random.Random) -> NDArray[np.float64]:
    if kind == "sheet":
        corners = np.array([[0, -4], [6, -4], [6, 5], [0, 5]], float)
        tilt = rng.uniform(-0.07, 0.07)
        turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        return np.asarray(corners @ turn.T + [x - 0.5, y])
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    radii = np.array([1.6 + rng.uniform(-0.25, 0.25) for _ in angles])
    return np.column_stack([x + radii * np.cos(angles), y + 1.3 * radii * np.sin(angles)])


def _fill(
    image: Image, mask: NDArray[np.uint8], points: NDArray[np.int32], kind: str, rng: random.Random
) -> None:
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA)
    colour = (225, 232, 235) if kind == "sheet" else (rng.randrange(150), 40, rng.randrange(150))
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(0, 7, image.shape[:2])
    smooth = cv2.GaussianBlur(noise, (0, 0), 3)[..., None] * 4
    image[:] = np.clip(np.array(colour) + smooth, 0, 255).astype(np.uint8)
    if kind == "sheet":
        low, high = points.min(axis=0), points.max(axis=0)
        for y in range(int(low[1]) + 12, int(high[1]), 14):
            cv2.line(image, (int(low[0]), y), (int(high[0]), y), (120, 120, 120), 1)
