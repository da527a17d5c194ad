"""What a rulebook lets a director take off a score or a spread, besides what follows by itself.

The penalties that the referee applies, such as those for overtime, are settings of the
:class:`~game.rulebooks.rulebook.Rulebook`. These are for what no camera sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from game.errors import TilewatchError

On = Literal["score", "spread"]
"""What the points come off: the score of the game, or the spread alone."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """One kind of penalty that a text names."""

    says: str
    """What it is for, in a few words."""
    on: On
    points: int | None
    """Points off; None if the text leaves them to the director."""
    rule: str


def parse_penalties(where: str, tables: object) -> tuple[Penalty, ...]:
    """The ``[[penalty]]`` tables of a rulebook's file.

    Raises:
        TilewatchError: one of them is of the wrong form; the line begins with ``where``.
    """
    if not isinstance(tables, list):
        raise TilewatchError(f"{where}: penalty is a list of tables: [[penalty]]")
    return tuple(_penalty(where, table) for table in tables)


def _penalty(where: str, table: Any) -> Penalty:
    known = {"says", "on", "points", "rule"}
    if not isinstance(table, dict) or not known - {"points"} <= set(table) <= known:
        raise TilewatchError(f"{where}: a penalty has says, on, rule and at most points: {table!r}")
    says, on, rule, points = table["says"], table["on"], table["rule"], table.get("points")
    texts = all(isinstance(text, str) and text.strip() for text in (says, rule))
    counted = points is None or (type(points) is int and 0 < points < 1000)
    if not texts or on not in get_args(On) or not counted:
        raise TilewatchError(f"{where}: a penalty of the wrong form: {table!r}")
    return Penalty(says, on, points, rule)
