"""JSON from outside: one text has one meaning, in every language, whatever reads it.

Readers of JSON differ in what they make of a key that stands twice, of NaN, of half a surrogate
pair and of numbers that no machine holds; what two readers could read differently is refused.
Evidence, the messages between a table and its hub, and what browsers and programs send to the
pages are all read here, so that no value gets further that a database or a page cannot hold.
docs/evidence.md has the limits.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

MAX_DEPTH: Final = 64
"""Arrays and objects within one another."""
INTEGERS: Final = range(-(2**63), 2**63)


def loads(text: bytes) -> Any:
    """The value of a JSON text. Raises ``ValueError`` in one line for what is none, or loose."""
    try:
        value = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refuse,
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    _require_depth_and_text(value)
    return value


_TOO_DEEP = f"nested deeper than {MAX_DEPTH}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _integer(text: str) -> int:
    if len(text) > 20 or int(text) not in INTEGERS:
        raise ValueError("an integer is beyond 64 bits")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _require_depth_and_text(value: Any) -> None:
    """Level by level, so that no nesting is too deep for the check itself."""
    level, depth = [value], 0
    while level:
        below: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _require_text(one)
            elif isinstance(one, list):
                below += one
            elif isinstance(one, dict):
                below += one.keys()
                below += one.values()
        depth += any(isinstance(one, list | dict) for one in level)
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)
        level = below


def _require_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("half a surrogate pair stands in a text") from error


def same(one: Any, other: Any) -> bool:
    """True if two JSON values are the same: 1, 1.0 and true are three."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
