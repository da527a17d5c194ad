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

SYMBOLS: Final = SYMBOL_ORDER.replace(UNREADABLE, "")
"""The symbols that a square can really show, in the order of a belief's last axis."""

INDEX: Final = {symbol: at for at, symbol in enumerate(SYMBOLS)}
NOTHING: Final = INDEX[EMPTY]

_STATES: Final = {
    labels.SYMBOLS[state]: labels.PRIOR[state] for state in labels.PRIOR if state != "letter"
}
_LETTERS: Final = labels.PRIOR["letter"] / (len(SYMBOLS) - len(_STATES))
PRIOR: Final = np.array([_STATES.get(symbol, _LETTERS) for symbol in SYMBOLS])
"""Prior probability of each symbol, which is contained in every reading. Divide a further reading
by it, so that the prior counts once."""

MAX_POSTERIOR: Final = 0.9995
"""No number of readings makes surer than this: the tile may be read wrong for a reason."""

_NAMED: Final = 0.0005
"""A bare square may be a blank that somebody has named, if it is one with this probability."""

NAMED_BLANK: Final = np.where(
    np.arange(len(SYMBOLS)) == INDEX[UNDESIGNATED],
    MAX_POSTERIOR,
    (1 - MAX_POSTERIOR) / (len(SYMBOLS) - 1),
)
"""What is believed of a blank that somebody has named: float64 (symbols,)."""

_FLOOR: Final = (1 - MAX_POSTERIOR) / len(SYMBOLS)

Belief = NDArray[np.float64]
"""float64 (15, 15, symbols): probabilities in the order of ``SYMBOLS``, summing to 1."""

AsRead = Mapping[Square, NDArray[np.float64]]
"""What was believed of each named blank before its name: float64 (symbols,)."""


_OTHER_WAY: Final = 0.8
"""A board lies another way round if its bare squares then differ by less than this share of what
they differ by as it lay before."""


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
    seen_empty: NDArray[np.bool_]
    """bool (15, 15), the squares that have been seen empty."""

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

    def bare_blanks(self, as_read: AsRead, same: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the named blanks that may read as nothing and be there all the same.

        They read so when they were named. Or their squares look as they did, and how those look
        bare is not known, as in a game that was resumed.

        Args:
            as_read: what was believed of each blank before its name.
            same: bool (15, 15), the squares that look as they did.

        Returns:
            bool (15, 15).
        """
        found, untouched = np.zeros((SIZE, SIZE), np.bool_), same & ~self.seen_empty
        for square, symbols in as_read.items():
            found[square] = symbols.argmax() == NOTHING or untouched[square]
        return np.asarray(found & (self.best == INDEX[UNDESIGNATED]))

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
        )

    def likeliest_turn(self, reads_empty: NDArray[np.bool_], appearance: AppearanceMap) -> int:
        """Return how many corners further clockwise the board seems to begin, by its bare squares.

        Args:
            reads_empty: bool (15, 15), the squares that read as empty in a later picture.
            appearance: of that picture.
        """
        unlike = []
        for turns in range(4):
            old = self.turned(turns)
            bare = old.seen_empty & reads_empty
            distance = appearance_distance(old.empty_appearance, appearance, bare)
            unlike.append(float(distance[bare].mean()) if bare.any() else np.inf)
        likeliest = int(np.argmin(unlike))
        return likeliest if unlike[likeliest] < _OTHER_WAY * unlike[0] else 0


def may_be_blank(symbols: NDArray[np.float64]) -> bool:
    """True if a square may hold the blank that somebody has named there: it can look bare.

    ``symbols`` is what is believed of it, float64 (symbols,).
    """
    blank = INDEX[UNDESIGNATED]
    others = np.delete(symbols, [NOTHING, blank])
    return bool(symbols[blank] >= _NAMED and symbols[blank] > others.max())


def normalise(weights: Belief) -> Belief:
    """Scale to a sum of 1 over the symbols, each at least a small floor."""
    share = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    share = np.maximum(share, _FLOOR)
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)


def likelihood_of(reading: Reading) -> tuple[Belief, NDArray[np.float64]]:
    """Return a reading's probabilities of the symbols, and of each square being occluded.

    float64 (15, 15, symbols) and (15, 15). An occluded square may hold anything: the probability of
    occlusion is spread evenly over the symbols.
    """
    posterior = posterior_of(reading)
    occluded = posterior[..., SYMBOL_ORDER.index(UNREADABLE)]
    seen = np.stack([posterior[..., SYMBOL_ORDER.index(symbol)] for symbol in SYMBOLS], axis=-1)
    seen = seen + (occluded / len(SYMBOLS))[..., None]
    return seen / seen.sum(axis=-1, keepdims=True), occluded


def posterior_of(reading: Reading) -> NDArray[np.float64]:
    """Return float64 (15, 15, symbols) in the order of ``SYMBOL_ORDER``, summing to 1."""
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
    # A square with neither a symbol nor guesses is occluded; elsewhere the rest may be anything.
    unknown = ~(share > 0).any(axis=-1)
    share[..., SYMBOL_ORDER.index(UNREADABLE)] += np.where(unknown, rest, 0.0)
    share += (np.where(unknown, 0.0, rest) / len(SYMBOL_ORDER))[..., None] + 1e-6
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)
