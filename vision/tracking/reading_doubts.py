"""Words on what a new reading leaves in doubt about a square."""

from __future__ import annotations

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Square
from game.events import Finding
from vision.assembling import UNCERTAIN
from vision.tracking.belief import SYMBOLS, Belief


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
