"""What a new reading leaves in doubt about a square."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Square
from game.events import Finding
from vision.assembling import UNCERTAIN
from vision.tracking.belief import INDEX, NOTHING, SYMBOLS, Belief

_BACK: Final = 0.05
"""A new tile that may be a back with this probability is none of a letter, ..."""

_SURE_LETTER: Final = 0.9
"""... unless the letter is as likely as this."""

_UNREAD_BACK: Final = 0.2
"""The same of a blank or an unread tile: of 34 real blanks nine may be a back by 0.05 or more."""

_MAY_BE_BARE: Final = 0.1
"""A square that may be bare with this probability shows no back."""


def may_be_back(seen: NDArray[np.float64], symbol: str, *, occluded: bool) -> bool:
    """Return True if a letter, a blank or what can't be read may be a back.

    ``seen`` is the likelihood of the symbols, float64 (symbols,).
    """
    back = 0.0 if occluded else seen[INDEX[FACE_DOWN]]
    if symbol in (UNREADABLE, UNDESIGNATED):
        return bool(back >= _UNREAD_BACK and seen[NOTHING] < _MAY_BE_BARE)
    return symbol.isalpha() and bool(back >= _BACK and seen.max() < _SURE_LETTER)


def back_or_letter(square: Square, posterior: Belief) -> Finding | None:
    """Return a finding on a tile that is shown as a back and reads as a letter or a blank."""
    best = int(posterior[square].argmax())
    if SYMBOLS[best] == FACE_DOWN:
        return None
    detail = f"a tile's back, or {symbol_name(SYMBOLS[best])} ({posterior[square][best]:.0%})"
    return Finding("face_down", square.name, detail)


def contradiction(square: Square, symbol: str, likelihood: Belief) -> Finding | None:
    """Return a finding on a tile that is kept although it now reads as another one."""
    now = int(likelihood[square].argmax())
    if symbol in (EMPTY, UNREADABLE) or likelihood[square][now] < UNCERTAIN:
        return None
    return Finding(
        "uncertain_square",
        square.name,
        f"looks like {symbol_name(SYMBOLS[now])} ({likelihood[square][now]:.0%}) now, "
        f"was taken for {symbol_name(symbol)}",
    )


def symbol_name(symbol: str) -> str:
    """Return what a symbol is called in a sentence."""
    return {EMPTY: "empty", UNREADABLE: "unreadable", "?": "a blank", "#": "face down"}.get(
        symbol, symbol
    )
