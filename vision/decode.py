"""From class probabilities to which way is up, and what lies on each square.

Arrays here are *grids*: float32 (15, 15, classes), the classifier's probabilities laid out as the
board was rectified, classes as in :data:`vision.labels.CLASS_NAMES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.labels import CLASS_NAMES, LETTERS, STATES, SYMBOLS

Grid = NDArray[np.float32]

_LETTER_CLASSES: Final = 4 * len(LETTERS)

MISORIENTED: Final = 0.05
"""Prior probability that a tile lies another way than the board's other tiles. It decides only
where the pixels can't: whether a valueless N is a Z on its side. Tiles are turned more seldom than
this; but a lower one would outweigh the value in the corner of an O that lies upside down."""

_STRAY: Final = 0.02
"""Share of tiles that may lie any way in the vote on which way is up."""

SYMBOL_ORDER: Final = LETTERS + "".join(SYMBOLS[state] for state in STATES)
"""Board symbols in the order of :attr:`Decoded.symbols_p`'s last axis."""


@dataclass(frozen=True)
class DecodedBoard:
    """What each square carries, given which way is up.

    Attributes:
        posterior: float32 (15, 15, symbols), probabilities in :data:`SYMBOL_ORDER`.
        rotation_posterior: float32 (15, 15, 4), how a tile's letter lies relative to the board's
        upright,
            in quarter turns clockwise, given that the square carries a letter.
    """

    posterior: NDArray[np.float32]
    rotation_posterior: NDArray[np.float32]


def upright_votes(grid: Grid) -> NDArray[np.float64]:
    """Log-likelihood of each direction, up to a constant: float64 (4,).

    Entry ``k`` is for "the letters are turned clockwise by ``k`` quarter turns as rectified".
    Every square that shows a letter votes with how surely it shows one.
    """
    letters = grid.reshape(-1, len(CLASS_NAMES))[:, :_LETTER_CLASSES]
    by_turn = letters.reshape(len(letters), len(LETTERS), 4).sum(axis=1, dtype=np.float64)
    shown = by_turn.sum(axis=1)
    share = by_turn / np.maximum(shown, 1e-9)[:, None]
    votes = np.log((1 - _STRAY) * share + _STRAY / 4)
    # Faint letters are mostly no letters: texture and print have no say.
    weight = np.where(shown > 0.5, shown, 0.0)
    return np.asarray((votes * weight[:, None]).sum(axis=0), dtype=np.float64)


def likeliest(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """How likely each square's likeliest symbol is, whichever way it lies: float32 (N,).

    Args:
        probabilities: float32 (N, classes).
    """
    letters = probabilities[:, :_LETTER_CLASSES].reshape(-1, len(LETTERS), 4).sum(axis=-1)
    states = probabilities[:, _LETTER_CLASSES:]
    return np.asarray(np.maximum(letters.max(axis=1), states.max(axis=1)), np.float32)


def agreement(grid: Grid, rows: tuple[str, ...]) -> NDArray[np.float64]:
    """How well each direction agrees with what was known to lie on the board: float64 (4,).

    Log-likelihood of the known tiles at their squares, for each of the four directions. Squares
    that were empty or unsure before have no say: tiles may have been laid since.
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
    """The grid as if the board had been rectified with ``turns`` corners' later start.

    A board whose letters lie ``turns`` quarter turns clockwise becomes upright.
    """
    return turned_back(np.rot90(grid, turns), turns)


def turned_back(probabilities: NDArray[np.float32], turns: int) -> NDArray[np.float32]:
    """What crops would show that were not turned clockwise by ``turns`` quarter turns.

    Args:
        probabilities: float32 (..., classes), of the turned ones.
        turns: quarter turns clockwise.
    """
    back = probabilities.copy()
    letters = back[..., :_LETTER_CLASSES].reshape(*back.shape[:-1], len(LETTERS), 4)
    letters = np.roll(letters, -turns, axis=-1)
    back[..., :_LETTER_CLASSES] = letters.reshape(*back.shape[:-1], _LETTER_CLASSES)
    return back


def letter_masses(grid: Grid) -> NDArray[np.float64]:
    """How likely each square shows each letter, lying as upright ones mostly do.

    Args:
        grid: probabilities of an upright board.

    Returns:
        float64 (15, 15, letters).
    """
    return np.asarray(_letters(grid).sum(axis=-1))


def _letters(grid: Grid) -> NDArray[np.float64]:
    """The letters' probabilities times the prior on their direction: (15, 15, letters, 4)."""
    letters = grid[..., :_LETTER_CLASSES].reshape(SIZE, SIZE, len(LETTERS), 4).astype(np.float64)
    return np.asarray(letters * np.array([1 - MISORIENTED] + [MISORIENTED / 3] * 3))


def decode(grid: Grid, weights: NDArray[np.float64] | None = None) -> DecodedBoard:
    """Symbol probabilities of an upright grid.

    Args:
        grid: probabilities of an upright board.
        weights: how far each letter is to be believed, float64 (letters,), from
            :func:`vision.letters_in_use.letter_weights`; 0 for those that can't occur. None
            believes all.
    """
    letters = _letters(grid)
    if weights is not None:
        letters = letters * weights[:, None]
    # Letters are weighed against each other by the prior on their direction, not against the
    # states: a tile lying askew must not turn into an empty square.
    mass = grid[..., :_LETTER_CLASSES].sum(axis=-1, dtype=np.float64)
    total = letters.sum(axis=(-1, -2))
    scale = np.where(total > 0, mass / np.maximum(total, 1e-12), 0.0)
    letters = letters * scale[..., None, None]
    by_letter = letters.sum(axis=-1)
    posterior = np.concatenate([by_letter, grid[..., _LETTER_CLASSES:]], axis=-1)
    posterior = posterior / np.maximum(posterior.sum(axis=-1, keepdims=True), 1e-30)
    best = by_letter.argmax(axis=-1)
    turns = np.take_along_axis(letters, best[..., None, None], axis=2)[:, :, 0, :]
    turns = turns / np.maximum(turns.sum(axis=-1, keepdims=True), 1e-12)
    return DecodedBoard(posterior.astype(np.float32), turns.astype(np.float32))
