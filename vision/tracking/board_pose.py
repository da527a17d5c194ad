"""The board's place in the picture, by its corners and by the tiles that are known.

The locator may find no board, or slip by a whole square, which its own check cannot tell. The tiles
that were read before can: at the right pose most of them appear on their squares, and at a wrong
one they vote for the shift that would put them there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from game.board import SIZE, UNREADABLE, Board, Square
from vision.reading import Reading
from vision.rectify import Corners, homography, project


def read_by_tiles(
    read: Callable[[Corners], Reading],
    found: Reading | None,
    known: Corners,
    tiles: Mapping[Square, str],
) -> Reading | None:
    """Return the reading at the pose at which most of the known tiles lie on their squares.

    Args:
        read: reads the board at a pose.
        found: the reading at the pose that the locator found; None if it found none.
        known: the corners when the board was seen last.
        tiles: the tiles that lay there then.

    Returns:
        ``found``, unless another pose shows more of the tiles, and more than half of them.
    """
    best, share = found, 0.0 if found is None else agreement(found.rows, tiles)
    if not tiles or share > 1 / 2:
        return found
    poses = [known]
    if found is not None and (shift := best_shift(found.rows, tiles)) != (0, 0):
        poses.append(shifted_by_squares(found.corners, *shift))
    for pose in poses:
        other = read(pose)
        if agreement(other.rows, tiles) > max(share, 1 / 2):
            best, share = other, agreement(other.rows, tiles)
    return best


def agreement(rows: Sequence[str], tiles: Mapping[Square, str]) -> float:
    """Return the share of known tiles that the rows show on their squares, of the readable ones."""
    seen = [(rows[square.row][square.col], tile) for square, tile in tiles.items()]
    seen = [(symbol, tile) for symbol, tile in seen if symbol != UNREADABLE]
    agreeing = sum(symbol == tile or (tile.islower() and symbol == "?") for symbol, tile in seen)
    return agreeing / max(len(seen), 1)


def best_shift(rows: Sequence[str], tiles: Mapping[Square, str]) -> tuple[int, int]:
    """Return the shift down and right, in squares, at which most known tiles appear."""
    shown = Board.from_rows(rows).tiles().items()
    votes = Counter(
        (at.row - square.row, at.col - square.col)
        for square, tile in tiles.items()
        for at, symbol in shown
        if symbol == tile
    )
    return max(votes, key=lambda by: (votes[by], -abs(by[0]) - abs(by[1])), default=(0, 0))


def shifted_by_squares(corners: Corners, down: int, right: int) -> Corners:
    """Return the pose whose grid begins ``down`` and ``right`` squares further on."""
    grid = np.array([(0, 0), (SIZE, 0), (SIZE, SIZE), (0, SIZE)]) + np.array((right, down))
    return project(homography(corners), grid.astype(np.float64)).astype(np.float32)
