"""Tiles that are not of the set in play: lost tiles replaced from another box, or the wrong set.

Only the letters of the set in play are read. A tile that surely shows another letter would then be
taken for whichever of them is most like it; it is left unread instead, and named.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Final

import numpy as np

from game.board import UNREADABLE, Square
from game.events import Finding
from vision.decode import SYMBOL_ORDER, Grid, letter_masses
from vision.labels import LETTERS
from vision.reading import Reading

_SURE: Final = 0.999
"""Share of a square's letters that the set does not have, from which its tile is another set's.
One tile in a thousand is; an O that looks like a Q with less is an O."""

_LIKELY: Final = 0.9
_SEVERAL: Final = 3
"""The number of squares above this share that shows another set."""

_LETTER: Final = 0.5
"""Least probability of the square showing a letter at all."""


def strangers(grid: Grid, allowed: frozenset[str] | None) -> dict[Square, str]:
    """Return the squares whose tile surely shows a letter that the set does not have, with it.

    A mark over a letter may be dirt or a scratch: Ä is no stranger if there is an A.

    Args:
        grid: probabilities of an upright board.
        allowed: the letters of the set in play; None for any.
    """
    if allowed is None:
        return {}
    masses = letter_masses(grid)
    total = masses.sum(axis=-1)
    outside = np.array([not _may_be(letter, allowed) for letter in LETTERS])
    share = masses[..., outside].sum(axis=-1) / np.maximum(total, 1e-9)
    likely = (share > _LIKELY) & (total > _LETTER)
    least = _LIKELY if np.count_nonzero(likely) >= _SEVERAL else _SURE
    found = np.argwhere(likely & (share > least))
    return {
        Square(int(row), int(col)): LETTERS[int((masses[row, col] * outside).argmax())]
        for row, col in found
    }


def without(reading: Reading, found: dict[Square, str]) -> Reading:
    """Return a reading that takes strangers for tiles that it cannot read."""
    if not found:
        return reading
    assert reading.posterior is not None
    posterior, confidence = reading.posterior.copy(), reading.confidence.copy()
    rows = [list(row) for row in reading.rows]
    guesses = dict(reading.guesses)
    for square in found:
        posterior[square] = 0
        posterior[square][SYMBOL_ORDER.index(UNREADABLE)] = 1
        rows[square.row][square.col] = UNREADABLE
        confidence[square] = 0
        guesses[square] = ()
    names = {square.name for square in found}
    return replace(
        reading,
        rows=tuple("".join(row) for row in rows),
        confidence=confidence,
        guesses=guesses,
        findings=(
            *(finding for finding in reading.findings if finding.square not in names),
            *(
                Finding("uncertain_square", square.name, f"looks like {letter}: not of this set")
                for square, letter in found.items()
            ),
        ),
        posterior=posterior,
        strangers=found,
    )


def _may_be(letter: str, allowed: frozenset[str]) -> bool:
    """True if the set has the letter, or the one that it is without its mark."""
    plain = "L" if letter == "Ł" else unicodedata.normalize("NFD", letter)[0]
    return letter in allowed or plain in allowed
