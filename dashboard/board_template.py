"""The empty board, as the page's template draws it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from game.board import SIZE, Premium, Square, premium

COLUMNS: Final = "ABCDEFGHIJKLMNO"

_PREMIUMS: Final = {
    Premium.NONE: ("", "", ""),
    Premium.DLS: ("dl", "DL", "double letter"),
    Premium.TLS: ("tl", "TL", "triple letter"),
    Premium.DWS: ("dw", "DW", "double word"),
    Premium.TWS: ("tw", "TW", "triple word"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One empty square: ``name`` as in GCG, CSS ``kind``, printed ``label``, spoken ``words``."""

    name: str
    kind: str
    label: str
    words: str


@cache
def board_rows() -> tuple[tuple[Cell, ...], ...]:
    """The 15 rows of 15 cells."""
    return tuple(tuple(_cell(Square(row, col)) for col in range(SIZE)) for row in range(SIZE))


def _cell(square: Square) -> Cell:
    kind, label, words = _PREMIUMS[premium(square)]
    if square == Square(SIZE // 2, SIZE // 2):
        return Cell(square.name, f"{kind} centre", "★", "centre, double word")
    return Cell(square.name, kind, label, words)
