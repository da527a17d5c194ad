"""Decodes class probabilities into the board's orientation and each square's symbol.

Arrays here are *grids*: float32 (15, 15, classes), the classifier's probabilities laid out as the
board was rectified, classes as in :data:`vision.labels.CLASS_NAMES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from game.tile_symbols import TEXT_OF
from vision.labels import BLANK, CLASS_NAMES, LETTER_CLASSES, LETTERS, STATES, SYMBOLS

Grid = NDArray[np.float32]

_SEVERAL: Final = np.array([letter in TEXT_OF for letter in LETTERS])
"""True for each letter whose tile bears several characters."""

MISORIENTED: Final = 0.05
"""Prior probability that a tile is turned against the board's other tiles. It decides only what the
pixels can't: for example if an N without a value is a Z on its side. Tiles are turned more seldom
than this; but a lower prior would outweigh the value in the corner of an O that is upside down."""

_STRAY: Final = 0.02
"""Share of tiles that the vote on the upright direction takes for turned in any direction."""

_BY_TURN: Final = np.array([1 - MISORIENTED] + [MISORIENTED / 3] * 3)
"""Prior probability that a tile is turned by 0 to 3 quarter turns clockwise: float64 (4,)."""

SYMBOL_ORDER: Final = LETTERS + "".join(SYMBOLS[state] for state in STATES)
"""Board symbols in the order of :attr:`DecodedBoard.posterior`'s last axis."""


@dataclass(frozen=True)
class DecodedBoard:
    """The symbols on an upright board.

    Attributes:
        posterior: float32 (15, 15, symbols), probabilities in :data:`SYMBOL_ORDER`.
        rotation_posterior: float32 (15, 15, 4), probabilities of the tile's quarter turns clockwise
            against the board's upright, given that the square carries a letter.
    """

    posterior: NDArray[np.float32]
    rotation_posterior: NDArray[np.float32]


def upright_votes(grid: Grid) -> NDArray[np.float64]:
    """Return the log-likelihood of each direction of the letters, up to a constant: float64 (4,).

    Entry ``k`` is for letters turned clockwise by ``k`` quarter turns in the rectified picture. The
    vote of each square is weighted by the probability that it shows a letter.
    """
    letters = grid.reshape(-1, len(CLASS_NAMES))[:, :LETTER_CLASSES]
    by_turn = np.ones(len(LETTERS)) @ letters.reshape(len(letters), len(LETTERS), 4)
    shown = by_turn.sum(axis=1)
    share = by_turn / np.maximum(shown, 1e-9)[:, None]
    votes = np.log((1 - _STRAY) * share + _STRAY / 4)
    # Faint letters are mostly none: texture and print don't vote.
    weight = np.where(shown > 0.5, shown, 0.0)
    return np.asarray((votes * weight[:, None]).sum(axis=0), dtype=np.float64)


def likeliest(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability of each square's likeliest symbol, in any direction: float32 (N,).

    Args:
        probabilities: float32 (N, classes).
    """
    # A product with ones is many times as fast as a sum over four.
    letters = probabilities[:, :LETTER_CLASSES].reshape(-1, len(LETTERS), 4)
    letters = letters @ np.ones(4, probabilities.dtype)
    states = probabilities[:, LETTER_CLASSES:]
    return np.asarray(np.maximum(letters.max(axis=1), states.max(axis=1)), np.float32)


def agreement(grid: Grid, rows: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the log-likelihood of the known tiles in each of the four directions: float64 (4,).

    Squares that were empty or unsure before don't count: tiles may have been placed since.
    """
    out = np.zeros(4)
    known = [
        (row, col, SYMBOL_ORDER.index(symbol))
        for row, line in enumerate(rows)
        for col, symbol in enumerate(line.replace(".", "~"))
        if symbol in LETTERS
    ]
    for turns in range(4):
        posterior = decode(turned_grid(grid, turns)).posterior
        out[turns] = sum(np.log(0.98 * posterior[r, c, s] + 0.02 / 30) for r, c, s in known)
    return out


def turned_grid(grid: Grid, turns: int) -> Grid:
    """Return the grid as if the board had been rectified from a corner ``turns`` further on.

    A board whose letters are turned clockwise by ``turns`` quarter turns becomes upright.
    """
    return unrotated(np.rot90(grid, turns), turns)


def unrotated(probabilities: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """Return the probabilities of crops before they were turned clockwise by quarter turns.

    Args:
        probabilities: float32 (..., classes), of the turned crops.
        turns: quarter turns clockwise.
    """
    back = probabilities.copy()
    letters = back[..., :LETTER_CLASSES].reshape(*back.shape[:-1], len(LETTERS), 4)
    letters = np.roll(letters, -turns, axis=-1)
    back[..., :LETTER_CLASSES] = letters.reshape(*back.shape[:-1], LETTER_CLASSES)
    return back


def letter_masses(grid: Grid) -> NDArray[np.float64]:
    """Return each square's probability of each letter, its directions weighted by their prior.

    Args:
        grid: probabilities of an upright board.

    Returns:
        float64 (15, 15, letters).
    """
    return np.asarray(_letters(grid) @ _BY_TURN)


def _letters(grid: Grid) -> NDArray[np.float64]:
    """Return the probabilities of letters by direction: float64 (15, 15, letters, 4)."""
    letters = grid[..., :LETTER_CLASSES].astype(np.float64)
    return letters.reshape(SIZE, SIZE, len(LETTERS), 4)


def decode(grid: Grid, weights: NDArray[np.float64] | None = None) -> DecodedBoard:
    """Return the symbols' probabilities on an upright grid.

    Args:
        grid: probabilities of an upright board.
        weights: each letter's prior weight, float64 (letters,), from
            :func:`vision.tile_sets.letter_weights`; 0 for those that can't occur. None for
            equal weights.
    """
    letters = _letters(grid)
    states = grid[..., LETTER_CLASSES:].astype(np.float64)
    shown = letters @ np.ones(4)
    mass = shown.sum(axis=-1)
    by_letter = letters @ _BY_TURN
    if weights is not None:
        # Several small letters on a tile, in a set that has no such tile, are a blank's mark.
        marks = shown[..., _SEVERAL] @ (1 - weights[_SEVERAL])
        states[..., STATES.index(BLANK)] += marks
        mass -= marks
        by_letter *= weights
    # The prior on direction compares letters with each other, not with the states: a tile askew
    # must not turn into an empty square.
    total = by_letter.sum(axis=-1)
    scale = np.where(total > 0, mass / np.maximum(total, 1e-12), 0.0)
    by_letter *= scale[..., None]
    posterior = np.concatenate([by_letter, states], axis=-1)
    posterior /= np.maximum(posterior.sum(axis=-1, keepdims=True), 1e-30)
    best = by_letter.argmax(axis=-1)
    turns = np.take_along_axis(letters, best[..., None, None], axis=2)[:, :, 0, :] * _BY_TURN
    if weights is not None:
        turns *= weights[best][..., None]
    turns *= scale[..., None]
    turns /= np.maximum(turns.sum(axis=-1, keepdims=True), 1e-12)
    return DecodedBoard(posterior.astype(np.float32), turns.astype(np.float32))
