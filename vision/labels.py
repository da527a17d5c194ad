"""The classes of the tile classifier.

A letter is a class *and a direction*: ``"A@2"`` is an A whose top points to the bottom of the crop.
So one pass over a crop gives a tile's letter and how it is turned: an upside-down tile is a finding
and no error, and a board turned on its turntable needs no second pass.

The exported model carries these names in its metadata, and :class:`vision.classifier.Classifier`
refuses a model that carries others.
"""

from __future__ import annotations

from typing import Final

from game.tile_symbols import DOTTED_I, SYMBOL_OF

_SEVERAL: Final = (
    *("CH", "LL", "RR", "CS", "GY", "LY", "NY", "SZ", "TY", "ZS", "DŽ", "LJ", "NJ", "L·L", "QU"),
    *("DD", "FF", "NG", "RH", "TH"),
)

LETTERS: Final = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜĄĆĘŁŃÓŚŹŻ"
    "ÁÅÆÇÉÍÑÔØÚÝČĎĐĚĞĹĽŇŐŔŘŞŠŤŮŰŽ" + DOTTED_I + "".join(SYMBOL_OF[text] for text in _SEVERAL)
)
"""Every letter that the classifier knows: the union of the shipped sets. A tile that says several
letters is its symbol of :mod:`game.tile_symbols`."""

EMPTY: Final = "empty"
BLANK: Final = "blank"
FACE_DOWN: Final = "facedown"
UNREADABLE: Final = "unreadable"

STATES: Final = (EMPTY, BLANK, FACE_DOWN, UNREADABLE)
"""States of a square without a letter. ``blank`` is a tile with no letter (plain, or
with a mark of its own), ``facedown`` a tile's back if it can be distinguished from a blank,
``unreadable`` a square that something hides or where glare or blur left nothing to read."""

CLASS_NAMES: Final[tuple[str, ...]] = (
    *(f"{letter}@{turn}" for letter in LETTERS for turn in range(4)),
    *STATES,
)
"""Class names in index order: ``class_index(letter, turn) == 4 * LETTERS.index(letter) + turn``."""

LETTER_CLASSES: Final = 4 * len(LETTERS)
"""Classes of letters: they come first, those of the states after them."""

PRIOR: Final = {"letter": 0.385, EMPTY: 0.59, BLANK: 0.008, FACE_DOWN: 0.002}
"""Prior of a board in play, contained in every probability of the classifier; the rest of the
squares are unreadable. Training shows blanks and backs far more often than boards do, so the last
layer's bias makes up for it."""

SYMBOLS: Final = {EMPTY: ".", BLANK: "?", FACE_DOWN: "#", UNREADABLE: "~"}
"""The board symbol of each state, as in ``read --json``."""


def class_index(letter: str, turn: int) -> int:
    """Index of ``letter`` turned clockwise by ``turn`` quarter turns, as seen in the crop."""
    return 4 * LETTERS.index(letter) + turn % 4


def state_index(state: str) -> int:
    """Index of one of :data:`STATES`."""
    return LETTER_CLASSES + STATES.index(state)


def parse(name: str) -> tuple[str, int | None]:
    """The board symbol of a class name, and its quarter turns clockwise (None for a state).

    >>> parse("A@2"), parse("empty")
    (('A', 2), ('.', None))
    """
    if name in SYMBOLS:
        return SYMBOLS[name], None
    letter, _, turn = name.partition("@")
    return letter, int(turn)
