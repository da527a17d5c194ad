"""The values that fields of events may have: their sizes, and what a text or a number can mean.

A field's type says all of it: ``tiles: Tiles`` is an object of squares and tiles. The types below
are plain types with checks (``typing.Annotated``), which :mod:`game.events.codec` runs as it reads.
The limits are far beyond anything that happens at a table, so every log that was honestly written
stays readable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from game.board import EMPTY, FACE_DOWN, SIZE, UNDESIGNATED, UNREADABLE, Board, Square, valid_symbol
from game.flag_codes import REPORTABLE
from game.flags import CODES
from game.terms import SIDES

MAX_NUMBER: Final = 1_000_000
"""The largest number of points, turns, words or events."""

MAX_NS: Final = 2**62
"""The largest time in nanoseconds, before or after 0: 146 years."""

MAX_COORDINATE: Final = 1e6
MAX_TEXT: Final = 10_000
MAX_NAME: Final = 200
MAX_ITEMS: Final = 20_000
MAX_DEPTH: Final = 8
"""The most tables within tables in a setting."""

_SHOWN: Final = 80
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HASH: Final = re.compile("[0-9a-f]{64}")
_SEALED: Final = re.compile("[A-Za-z0-9+/]{40,1000}={0,2}")
_ROUNDING: Final = 1e-6
"""The rounding error that a probability may have."""


class MisfitError(Exception):
    """An impossible value. The text follows on the value's place: ``.rows[3]: '' is no …``."""

    def within(self, place: str) -> MisfitError:
        """Return the misfit with its text to follow on the place of what the value is part of."""
        return MisfitError(f"{place}{self}")


Check = Callable[[Any], None]
"""A check of a value; it raises ``MisfitError``."""


def short(value: object) -> str:
    """Return a value for a message, cut to what fits into a line."""
    try:
        text = ascii(value if not isinstance(value, str) else value[: _SHOWN + 1])
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def misfit(value: object, needed: str) -> MisfitError:
    """Return the error for a value of the wrong form."""
    return MisfitError(f": {short(value)} has the wrong form: give {needed}")


def check_text(value: Any, most: int = MAX_TEXT) -> str:
    """Return a text that is short enough and can be UTF-8; else raise ``MisfitError``."""
    if not isinstance(value, str):
        raise misfit(value, "a text")
    if len(value) > most:
        raise MisfitError(f": {len(value)} characters are too many; at most {most}")
    if not value.isascii() and _SURROGATE.search(value):
        raise MisfitError(f": {short(value)} is not Unicode text")
    return value


def check_int(value: int, most: int) -> int:
    """Return a whole number from ``-most`` to ``most``; else raise ``MisfitError``."""
    if not -most <= value <= most:
        raise MisfitError(f": {short(value)} is out of range; at most {most}")
    return value


def check_float(value: float) -> float:
    """Return a finite number that is not too large; else raise ``MisfitError``."""
    if not -MAX_COORDINATE <= value <= MAX_COORDINATE:  # nor is it NaN
        raise MisfitError(f": {short(value)} is out of range; at most {MAX_COORDINATE}")
    return float(value)


def check_size(value: Any) -> None:
    """Refuse a list or an object with too many entries."""
    if len(value) > MAX_ITEMS:
        raise MisfitError(f": {len(value)} entries are too many; at most {MAX_ITEMS}")


def check_any(value: Any, depth: int = 0) -> Any:
    """Return a setting's value if JSON can have it; else raise ``MisfitError``."""
    if depth > MAX_DEPTH:
        raise MisfitError(f": nested too deeply; at most {MAX_DEPTH} levels")
    match value:
        case None | bool():
            pass
        case str():
            check_text(value)
        case int():
            check_int(value, MAX_NS)  # a count of anything
        case float():
            if not math.isfinite(value):
                raise MisfitError(f": {value} is not a finite number")
        case list() | tuple():
            check_size(value)
            for one in value:
                check_any(one, depth + 1)
        case Mapping():
            check_size(value)
            for key, one in value.items():
                if not isinstance(key, str):
                    raise MisfitError(f": {short(key)} is not a name")
                check_text(key)
                check_any(one, depth + 1)
        case _:
            raise MisfitError(f": {short(value)} cannot be JSON")
    return value


def _check(holds: Callable[[Any], object], why: str) -> Check:
    """Return a check that refuses a value unless it ``holds``; ``why`` may use ``{value}``."""

    def check(value: Any) -> None:
        if not holds(value):
            raise MisfitError(f": {why.format(value=short(value))}")

    return check


@dataclass(frozen=True, slots=True)
class Least:
    """The check that a number is no smaller than another."""

    least: int

    def __call__(self, value: int) -> None:
        """Raise ``MisfitError`` for a smaller number."""
        if value < self.least:
            raise MisfitError(f": {short(value)} is below {self.least}")


def _check_rows(rows: tuple[str, ...]) -> None:
    if len(rows) != SIZE:
        raise MisfitError(f": a board has {SIZE} rows, not {len(rows)}")
    Board.from_rows(rows)


def _check_name(value: str) -> None:
    check_text(value, MAX_NAME)


FromZero = Annotated[int, Least(0)]
FromOne = Annotated[int, Least(1)]
Change = Annotated[int, _check(bool, "0 changes nothing; leave the player out")]
Probability = Annotated[
    float, _check(lambda value: -_ROUNDING <= value <= 1 + _ROUNDING, "{value} is not from 0 to 1")
]
Name = Annotated[str, _check_name]
"""A text of at most ``MAX_NAME`` characters."""
PlayerName = Annotated[Name, _check(str.strip, "a name is at least one letter")]
NamedSide = Annotated[str, _check(SIDES.__contains__, "a side is left or right")]
"""``left`` or ``right``, as a key of an object."""
ChallengedWord = Annotated[str, _check(bool, "name each word that was challenged")]
Matter = Annotated[str, _check(str.strip, "say what happened")]
SquareName = Annotated[str, Square.parse]
Letter = Annotated[
    str, _check(lambda value: len(value) == 1 and value.isalpha(), "{value} is not a letter")
]
Symbol = Annotated[
    str,
    _check(
        valid_symbol,
        "{value} is not a symbol: it is a letter, in lower case for a blank, or "
        f"{UNDESIGNATED} for a blank without one, {EMPTY} for nothing, {FACE_DOWN} for a tile face "
        f"down, {UNREADABLE} for one that is not known",
    ),
]
TileSymbol = Annotated[
    str, _check(lambda value: valid_symbol(value) and value != EMPTY, "{value} is not a tile")
]
Tiles = Mapping[SquareName, TileSymbol]
"""Tiles by square."""
Rows = Annotated[tuple[str, ...], _check_rows]
"""15 strings of 15 symbols, see :mod:`game.board`."""
Sealed = Annotated[str, _check(_SEALED.fullmatch, "{value} is not sealed, in base 64")]
"""Bytes that only a key can read, in base 64."""
Sha256 = Annotated[str, _check(_HASH.fullmatch, "{value} is not a SHA-256 in hex")]
FlagCode = Annotated[Name, _check(CODES.__contains__, "unknown code {value}")]
ReportCode = Annotated[str, _check(REPORTABLE.__contains__, "{value} is not a code of a report")]
Corners = Annotated[
    tuple[tuple[float, ...], ...],
    _check(
        lambda corners: [len(corner) for corner in corners] == [2] * 4,
        "give four corners, each as x and y",
    ),
]
"""Four corners, each ``(x, y)``."""
