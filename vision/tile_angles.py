"""The poses of tiles within their squares: straight, askew, across a line.

A tile counts for the square that it most covers (NASPA III.G.4). A tile that is far off is
reported, as a player may stop the clock and put it straight. Seen from the side all faces are
displaced alike, and an error of the board's pose shifts them all: that common part is subtracted
first.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Finding
from vision.robust import RobustFit, cauchy, robust_fit

ASKEW: Final = 0.2
"""A tile is reported if the classifier sees it this far off the middle, in squares, either way: it
sees tiles nearer the middle than they are. In forty simulated games 11 of 24 tiles that were a
quarter of a square off or more were reported, and none that was within an eighth."""

DOUBTFUL: Final = 0.12
"""A tile that seems this far off, in squares, is classified from the other sides too: in a single
crop a neighbour's or a shadow's edge is sometimes taken for the tile's own."""

_FEWEST: Final = 6
"""The least number of tiles from which the common part is estimated."""

_USUAL: Final = 0.08
"""A tile with a larger offset, in squares, has less weight in the common part."""

_MOST: Final = 0.25
"""If this share of the tiles is off, the grid must be: then no tile is reported."""


def tile_offsets(tile_pose: NDArray[np.float32], tiles: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return each tile's pose in its square, less the common part of all tiles.

    Args:
        tile_pose: float32 (15, 15, 3), right and down of the square's middle in squares, and
            degrees clockwise, as the classifier has them.
        tiles: bool (15, 15), the squares with a tile that was surely read.

    Returns:
        float32 (15, 15, 3), NaN if there is no such tile, or too few in all.
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
    """Return tile poses (..., 3) in crops turned back by quarter turns, counter-clockwise."""
    out = tile_pose.copy()
    for _ in range(turns % 4):
        right, down = out[..., 0].copy(), out[..., 1].copy()
        out[..., 0], out[..., 1] = down, -right
    return out


def rotate_tile_poses(tile_pose: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """Return tile poses on the board turned back by quarter turns, as its squares are."""
    return unrotate_tile_poses(np.rot90(tile_pose, turns), turns)


def doubtful_offsets(within: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the indices of squares whose tiles are so far off that one crop is not enough."""
    off = np.nan_to_num(np.abs(within[..., :2]).max(axis=-1))
    return np.flatnonzero(off >= DOUBTFUL)


def askew(within: NDArray[np.float32]) -> list[Finding]:
    """Return findings on the tiles that are far off their squares' middles."""
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
        turned = f"{degrees:+.0f}°".replace("-", "\N{MINUS SIGN}")
        text = f"lies {' and '.join(ways)}, turned by {turned}"
        found.append(Finding("askew", Square(int(row), int(col)).name, text))
    return found
