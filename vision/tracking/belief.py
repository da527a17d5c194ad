"""What a reading says of every square, as probabilities."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE
from vision import labels
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading

SYMBOLS: Final = SYMBOL_ORDER.replace(UNREADABLE, "")
"""The symbols that a square can really show, in the order of a belief's last axis."""

INDEX: Final = {symbol: at for at, symbol in enumerate(SYMBOLS)}
NOTHING: Final = INDEX[EMPTY]

_STATES: Final = {
    labels.SYMBOLS[state]: labels.PRIOR[state] for state in labels.PRIOR if state != "letter"
}
_LETTERS: Final = labels.PRIOR["letter"] / (len(SYMBOLS) - len(_STATES))
USUAL: Final = np.array([_STATES.get(symbol, _LETTERS) for symbol in SYMBOLS])
"""How often squares show each symbol, as every reading takes it. One reading counts with it; of a
further one only what it says beyond that is news."""

Belief = NDArray[np.float64]
"""float64 (15, 15, symbols): probabilities in the order of ``SYMBOLS``, summing to 1."""


def of(reading: Reading) -> tuple[Belief, NDArray[np.float64]]:
    """What a reading says: probabilities of the symbols, and of each square being hidden.

    Returns ``(belief, hidden)``, float64 (15, 15, symbols) and (15, 15). What is hidden may be
    anything: that share is spread evenly over the symbols.
    """
    all_ = whole(reading)
    hidden = all_[..., SYMBOL_ORDER.index(UNREADABLE)]
    seen = np.stack([all_[..., SYMBOL_ORDER.index(symbol)] for symbol in SYMBOLS], axis=-1)
    seen = seen + (hidden / len(SYMBOLS))[..., None]
    return seen / seen.sum(axis=-1, keepdims=True), hidden


def whole(reading: Reading) -> NDArray[np.float64]:
    """float64 (15, 15, symbols) in the order of ``SYMBOL_ORDER``, summing to 1."""
    if reading.posterior is not None:
        given = reading.posterior.astype(np.float64) + 1e-6
        return np.asarray(given / given.sum(axis=-1, keepdims=True), dtype=np.float64)
    share = np.zeros((SIZE, SIZE, len(SYMBOL_ORDER)))
    for row, line in enumerate(reading.rows):
        for col, symbol in enumerate(line):
            if symbol != UNREADABLE:
                at = SYMBOL_ORDER.index(symbol)
                share[row, col, at] = reading.confidence[row, col]
    for square, guesses in reading.guesses.items():
        share[square] = 0.0
        for symbol, p in guesses:
            share[square][SYMBOL_ORDER.index(symbol)] = p
    rest = np.maximum(1.0 - share.sum(axis=-1), 0.0)
    # A square with neither a symbol nor guesses is hidden; elsewhere the rest may be anything.
    bare = ~(share > 0).any(axis=-1)
    share[..., SYMBOL_ORDER.index(UNREADABLE)] += np.where(bare, rest, 0.0)
    share += (np.where(bare, 0.0, rest) / len(SYMBOL_ORDER))[..., None] + 1e-6
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)
