"""Probabilities of the symbols on every square: of one reading, and as believed of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNDESIGNATED, UNREADABLE, Square
from vision import labels
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading
from vision.tracking.appearance import AppearanceMap, appearance_distance
from vision.tracking.square_model import MODEL

SYMBOLS: Final = SYMBOL_ORDER.replace(UNREADABLE, "")
"""The symbols that a square can really show, in the order of a belief's last axis."""

INDEX: Final = {symbol: at for at, symbol in enumerate(SYMBOLS)}
NOTHING: Final = INDEX[EMPTY]
BLANK: Final = INDEX[UNDESIGNATED]

_STATES: Final = {
    labels.SYMBOLS[state]: labels.PRIOR[state] for state in labels.PRIOR if state != "letter"
}
_LETTERS: Final = labels.PRIOR["letter"] / (len(SYMBOLS) - len(_STATES))
PRIOR: Final = np.array([_STATES.get(symbol, _LETTERS) for symbol in SYMBOLS])
"""Prior probability of each symbol, which is contained in every reading."""

_FLOOR: Final = (1 - MODEL.surest) / len(SYMBOLS)

NAMED_BLANK: Final = _FLOOR + MODEL.surest * np.eye(len(SYMBOLS))[BLANK]
"""What is believed of a blank that somebody has named: float64 (symbols,)."""

Belief = NDArray[np.float64]
"""float64 (15, 15, symbols): probabilities in the order of ``SYMBOLS``, summing to 1."""

Squares = NDArray[np.bool_]
"""bool (15, 15)."""

AsRead = Mapping[Square, NDArray[np.float64]]
"""What was believed of each named blank before its name: float64 (symbols,)."""


@dataclass(frozen=True)
class BoardBelief:
    """The board as believed after the sightings so far."""

    posterior: Belief
    symbols: tuple[str, ...]
    """The symbols shown, 15 rows of 15."""
    since_turn: NDArray[np.int_]
    """int (15, 15), the turn in which each square came to be as it is."""
    appearance: AppearanceMap
    """The board's pixels at the last sighting."""
    empty_appearance: AppearanceMap
    """The pixels of each square when it was last seen empty."""
    seen_empty: Squares
    """The squares that have been seen empty."""
    replaced: NDArray[np.int_]
    """int (15, 15), the index of the tile that another replaced on each square, or ``NOTHING``."""

    @property
    def best(self) -> NDArray[np.int_]:
        """The index of each square's likeliest symbol: int (15, 15)."""
        return np.asarray(self.posterior.argmax(axis=-1))

    def with_blanks(
        self, named: Mapping[Square, int], as_read: AsRead
    ) -> tuple[BoardBelief, dict[Square, NDArray[np.float64]]]:
        """Return the belief once blanks were named, and what it was there before.

        ``named`` is the turn that placed each; 0 where that is not known. A name counts only where
        a blank may lie. Where a name was taken back, the belief is again what it was before, by
        ``as_read``.
        """
        posterior, symbols = self.posterior.copy(), [list(row) for row in self.symbols]
        since_turn, kept = self.since_turn.copy(), dict(as_read)
        for square in as_read.keys() - named.keys():
            posterior[square] = kept.pop(square)
            symbols[square.row][square.col] = SYMBOLS[posterior[square].argmax()]
        for square in named.keys() - as_read.keys():
            if may_be_blank(posterior[square]):
                kept[square] = posterior[square].copy()
                posterior[square] = NAMED_BLANK
                symbols[square.row][square.col] = UNDESIGNATED
                since_turn[square] = named[square] or since_turn[square]
        rows = tuple("".join(row) for row in symbols)
        new = replace(self, posterior=posterior, symbols=rows, since_turn=since_turn)
        return new, kept

    def bare_blanks(self, as_read: AsRead, same: Squares) -> Squares:
        """Return the named blanks that may read as nothing and be there all the same.

        They read so when they were named, by ``as_read``; or their squares look the ``same``, and
        how those look bare is not known, as in a game that was resumed.
        """
        found, untouched = np.zeros((SIZE, SIZE), np.bool_), same & ~self.seen_empty
        for square, symbols in as_read.items():
            found[square] = symbols.argmax() == NOTHING or untouched[square]
        return np.asarray(found & (self.best == BLANK))

    def turned(self, turns: int) -> BoardBelief:
        """Return it of a board whose first corner is ``turns`` corners further clockwise."""
        symbols = np.rot90([list(row) for row in self.symbols], turns)
        return BoardBelief(
            np.rot90(self.posterior, turns),
            tuple("".join(row) for row in symbols),
            np.rot90(self.since_turn, turns),
            self.appearance.turned(turns),
            self.empty_appearance.turned(turns),
            np.rot90(self.seen_empty, turns),
            np.rot90(self.replaced, turns),
        )

    def likeliest_turn(self, reads_empty: Squares, appearance: AppearanceMap) -> int:
        """Return how many corners further clockwise the board seems to begin in a later picture.

        Its bare squares tell, those that read as empty.
        """
        unlike = []
        for turns in range(4):
            old = self.turned(turns)
            bare = old.seen_empty & reads_empty
            distance = appearance_distance(old.empty_appearance, appearance, bare)
            unlike.append(float(distance[bare].mean()) if bare.any() else np.inf)
        likeliest = int(np.argmin(unlike))
        return likeliest if unlike[likeliest] < MODEL.stands * unlike[0] else 0


def may_be_blank(symbols: NDArray[np.float64]) -> bool:
    """True if a square may hold the blank that somebody has named there: it can look bare.

    ``symbols`` is what is believed of it, float64 (symbols,).
    """
    others = np.delete(symbols, [NOTHING, BLANK])
    return bool(symbols[BLANK] > max(1 - MODEL.surest, others.max()))


def normalise(weights: Belief) -> Belief:
    """Scale to a sum of 1 over the symbols, each at least a small floor."""
    share = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    share = np.maximum(share, _FLOOR)
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)


def read_probabilities(reading: Reading) -> tuple[Belief, NDArray[np.float64]]:
    """Return a reading's probabilities of the symbols, and of each square being occluded.

    float64 (15, 15, symbols) and (15, 15). An occluded square may hold anything, by the prior.
    """
    posterior = posterior_of(reading)
    occluded = posterior[..., SYMBOL_ORDER.index(UNREADABLE)]
    seen = posterior[..., [SYMBOL_ORDER.index(symbol) for symbol in SYMBOLS]]
    return seen + occluded[..., None] * PRIOR / PRIOR.sum(), occluded


def posterior_of(reading: Reading) -> NDArray[np.float64]:
    """Return float64 (15, 15, symbols) in the order of ``SYMBOL_ORDER``, summing to 1."""
    if reading.posterior is not None:
        share = reading.posterior.astype(np.float64)
    else:
        share = np.zeros((SIZE, SIZE, len(SYMBOL_ORDER)))
        for row, line in enumerate(reading.rows):
            for col, symbol in enumerate(line):
                guesses = reading.guesses.get(Square(row, col))
                if guesses is None:
                    guesses = ((symbol, float(reading.confidence[row, col])),)
                if guesses[0][0] == UNREADABLE:
                    guesses = ((UNREADABLE, 1.0),)
                for guess, p in guesses:
                    share[row, col, SYMBOL_ORDER.index(guess)] = p
        # The rest may be anything.
        share += np.maximum(1 - share.sum(axis=-1, keepdims=True), 0) / len(SYMBOL_ORDER)
    share += 1e-6
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)
