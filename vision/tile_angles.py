"""Where tiles lie within their squares: askew, across a line, or straight.

A tile counts for the square that it most covers (NASPA III.G.4); one that lies far off is worth
saying, because a player may stop the clock and put it straight. Seen from aside all tops lean the
same way, and a grid found a little off shifts them all: what every tile of a board shares is taken
off first.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Finding
from vision.robust import RobustFit, cauchy, robust_fit

ASKEW: Final = 0.2
"""Squares off the middle, either way, from which a tile is reported, as the classifier has them:
it sees tiles nearer the middle than they are. In forty simulated games 11 of 24 tiles that lay a
quarter of a square off or more were reported, and none that lay within an eighth."""

DOUBTED: Final = 0.12
"""A tile that lies so far off at first sight is looked at from the other sides too: one look alone
now and then sees a neighbour's edge, or a shadow's, for the tile's own."""

_FEWEST: Final = 6
"""Tiles that show what a board's tiles share; fewer say nothing of it."""

_USUAL: Final = 0.08
"""How far tiles commonly lie off, in squares: those further off have less say in what is shared."""

_MOST: Final = 0.25
"""Share of tiles off from which it is the grid that is: nothing is reported then."""


def tile_offsets(tile_pose: NDArray[np.float32], tiles: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Each tile's place in its square without what all tiles share.

    Args:
        tile_pose: float32 (15, 15, 3), right and down of the square's middle in squares, and
        degrees
            clockwise, as the classifier has them.
        tiles: bool (15, 15), the squares with a tile that was surely read.

    Returns:
        float32 (15, 15, 3), NaN where there is no such tile, or too few in all.
    """
    out = np.full((SIZE, SIZE, 3), np.nan, np.float32)
    if tiles.sum() < _FEWEST:
        return out
    rows, cols = np.nonzero(tiles)
    model = np.column_stack([np.ones(len(rows)), (cols - 7) / 7, (rows - 7) / 7])
    target = tile_pose[tiles].astype(np.float64)

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        return cauchy(np.abs(fit.residual[:, :2]).max(axis=1) / _USUAL)

    out[tiles] = robust_fit(model, target, np.ones(len(rows)), reweight, rounds=4).residual
    return out


def unrotate_tile_poses(tile_pose: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """Lies (..., 3) as they are in crops turned back by quarter turns, counter-clockwise."""
    out = tile_pose.copy()
    for _ in range(turns % 4):
        right, down = out[..., 0].copy(), out[..., 1].copy()
        out[..., 0], out[..., 1] = down, -right
    return out


def rotate_tile_poses(tile_pose: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """Lies as they are on the board turned back by quarter turns, as its squares are."""
    return unrotate_tile_poses(np.rot90(tile_pose, turns), turns)


def doubted(within: NDArray[np.float32]) -> NDArray[np.intp]:
    """The squares, by index, whose tiles lie so far off that one look is not enough."""
    off = np.nan_to_num(np.abs(within[..., :2]).max(axis=-1))
    return np.flatnonzero(off >= DOUBTED)


def askew(within: NDArray[np.float32]) -> list[Finding]:
    """The tiles that lie far off their squares' middles, with how far."""
    off = np.nan_to_num(np.abs(within[..., :2]).max(axis=-1))
    far = np.argwhere(off >= ASKEW)
    count = int(np.isfinite(within[..., 0]).sum())
    if len(far) > _MOST * count:
        return []
    found = []
    for row, col in far:
        dx, dy, degrees = (float(v) for v in within[row, col])
        ways = [
            f"{abs(part):.2f} of a square {way}"
            for part, way in ((dx, "right" if dx > 0 else "left"), (dy, "down" if dy > 0 else "up"))
            if abs(part) >= ASKEW / 2
        ]
        text = f"lies {' and '.join(ways)}, turned by {degrees:+.0f}°"
        found.append(Finding("askew", Square(int(row), int(col)).name, text))
    return found
