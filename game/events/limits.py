"""How large the values in an event may be: what validates can be folded, written down and shown.

The limits are far beyond anything that happens at a table, so that no log that was ever written
honestly becomes unreadable by them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from game.errors import TilewatchError

MAX_NUMBER: Final = 1_000_000
"""Points, turns, words, events."""

MAX_NS: Final = 2**62
"""146 years, either way."""

MAX_COORDINATE: Final = 1e6
MAX_TEXT: Final = 10_000
MAX_NAME: Final = 200
MAX_ITEMS: Final = 20_000
MAX_DEPTH: Final = 8
"""Of settings, which may have tables within tables."""

ONLY_IF_SET: Final = {"only_if_set": True}
"""Metadata of a field that is stored only if it is not None: older events stay as they were."""

_SHOWN: Final = 80
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NAMES: Final = frozenset({"game_id", "rulebook", "tile_set", "software", "code", "role", "action"})


def short(value: object) -> str:
    """A value for a message, cut to what a line holds."""
    try:
        text = ascii(value if not isinstance(value, str) else value[: _SHOWN + 1])
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def check_text(value: str, where: str) -> str:
    """A text that can be written as UTF-8, and is not too long. Raises ``TilewatchError``."""
    most = MAX_NAME if where.rpartition(".")[2] in _NAMES or ".players." in where else MAX_TEXT
    if len(value) > most:
        raise TilewatchError(f"{where}: {len(value)} characters are too many; at most {most}")
    if _SURROGATE.search(value):
        raise TilewatchError(f"{where}: {short(value)} is not Unicode text")
    return value


def check_int(value: int, where: str) -> int:
    """A whole number within bounds, wider for nanoseconds (fields that end in ``_ns``)."""
    most = MAX_NS if where.endswith("_ns") or "_ns." in where else MAX_NUMBER
    if not -most <= value <= most:
        raise TilewatchError(f"{where}: {short(value)} is out of range; at most {most}")
    return value


def check_float(value: float, where: str) -> float:
    """A finite number that is not too large. Raises ``TilewatchError``."""
    if not -MAX_COORDINATE <= value <= MAX_COORDINATE:  # nor is it NaN
        raise TilewatchError(f"{where}: {short(value)} is out of range")
    return float(value)


def check_size(value: Any, where: str) -> None:
    """A list or an object without too much in it. Raises ``TilewatchError``."""
    if len(value) > MAX_ITEMS:
        raise TilewatchError(f"{where}: {len(value)} entries are too many; at most {MAX_ITEMS}")


def check_any(value: Any, where: str, depth: int = 0) -> Any:
    """A setting of whatever form JSON has. Raises ``TilewatchError``."""
    if depth > MAX_DEPTH:
        raise TilewatchError(f"{where}: nested too deeply; at most {MAX_DEPTH} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_text(value, where)
    if isinstance(value, int):
        return check_int(value, f"{where}_ns")  # a count of whatever
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TilewatchError(f"{where}: {value} is not a finite number")
        return value
    if isinstance(value, list | tuple):
        check_size(value, where)
        for one in value:
            check_any(one, where, depth + 1)
        return value
    if isinstance(value, Mapping):
        check_size(value, where)
        for key, one in value.items():
            if not isinstance(key, str):
                raise TilewatchError(f"{where}: {short(key)} is not a name")
            check_any(check_text(key, where), where, depth)
            check_any(one, where, depth + 1)
        return value
    raise TilewatchError(f"{where}: {short(value)} is nothing that JSON has")
