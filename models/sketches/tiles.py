"""Tiles, seen flat from above."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from game.board import SIZE
from models.sketches.textures import FONTS, Colour, Image, any_colour, hsv, near, write


@dataclass(frozen=True)
class TileStyle:
    """The style of one set's tiles. Colours BGR 0..255, lengths in squares."""

    face: Colour
    ink: Colour
    side: Colour
    size: float
    height: float
    jitter: float
    font: int
    values: bool


def tile_style(rng: np.random.Generator) -> TileStyle:
    """One set of tiles, of any colour."""
    pick = rng.uniform()
    if pick < 0.4:
        face = hsv(rng.uniform(0.08, 0.16), rng.uniform(0.05, 0.5), rng.uniform(0.75, 1.0))
    elif pick < 0.5:
        face = hsv(rng.uniform(0.05, 0.1), rng.uniform(0.4, 0.7), rng.uniform(0.4, 0.8))
    else:
        face = any_colour(rng)
    dark = face.mean() > 120
    ink = hsv(rng.uniform(), rng.uniform(0, 0.5), rng.uniform(0, 0.25) if dark else 1.0)
    return TileStyle(
        face,
        ink,
        face * rng.uniform(0.4, 0.95),
        rng.uniform(0.84, 0.99),
        rng.uniform(0.08, 0.3),
        float(rng.choice([0.015, 0.04, 0.08])),
        int(rng.choice(FONTS)),
        rng.uniform() < 0.85,
    )


def paint_tile(
    rng: np.random.Generator,
    style: TileStyle,
    image: Image,
    alpha: npt.NDArray[np.float32],
    centre: tuple[float, float],
    scale: float,
    angle: float,
) -> None:
    """Paint one tile's top face at centre (pixels), turned by angle (radians), in place."""
    side = style.size * scale
    n = max(8, round(side))
    face = np.empty((n, n, 3), np.float32)
    face[:] = near(rng, style.face, 4)
    cv2.rectangle(face, (0, 0), (n - 1, n - 1), (style.face * rng.uniform(0.6, 1.1)).tolist(), 1)
    if rng.uniform() < 0.97:
        letter = chr(65 + int(rng.integers(26)))
        size = n / 28 * rng.uniform(0.6, 0.75)
        thick = max(1, round(n / 28 * rng.uniform(1, 2.2)))
        write(face, letter, (int(n * 0.25), int(n * 0.72)), style.font, size, style.ink, thick)
        if style.values:
            write(
                face,
                str(int(rng.integers(1, 10))),
                (int(n * 0.74), int(n * 0.9)),
                style.font,
                size * 0.4,
                style.ink,
                1,
            )
    c, s = np.cos(angle), np.sin(angle)
    half = n / 2 - 0.5
    move = np.array(
        [[c, -s, centre[0] - half * c + half * s], [s, c, centre[1] - half * s - half * c]],
        np.float32,
    )
    reach = int(n * 0.75) + 2
    x0, y0 = max(0, int(centre[0]) - reach), max(0, int(centre[1]) - reach)
    x1 = min(image.shape[1], int(centre[0]) + reach)
    y1 = min(image.shape[0], int(centre[1]) + reach)
    if x1 <= x0 or y1 <= y0:
        return
    move[:, 2] -= (x0, y0)
    size2 = (x1 - x0, y1 - y0)
    patch = cv2.warpAffine(face, move, size2, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpAffine(np.ones((n, n), np.float32), move, size2)
    window = image[y0:y1, x0:x1]
    window += (patch - window) * mask[..., None]
    np.maximum(alpha[y0:y1, x0:x1], mask, out=alpha[y0:y1, x0:x1])


def word_squares(rng: np.random.Generator, tiles: int) -> npt.NDArray[np.bool_]:
    """(15, 15): about that many squares covered by crossing runs, as words would."""
    taken = np.zeros((SIZE, SIZE), bool)
    row, col = 7, int(rng.integers(2, 8))
    across = True
    for _ in range(120):
        if taken.sum() >= tiles:
            break
        length = int(rng.integers(2, 9))
        view = taken if across else taken.T
        r, c = (row, col) if across else (col, row)
        start = int(np.clip(c - rng.integers(0, length), 0, SIZE - length))
        view[r, start : start + length] = True
        across = not across
        rows, cols = np.nonzero(taken)
        k = int(rng.integers(len(rows)))
        row, col = int(rows[k]), int(cols[k])
    return taken
