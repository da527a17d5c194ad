"""JSON from outside: a text has the same meaning for every reader, in every language.

Readers of JSON differ on keys that occur twice, NaN, half surrogate pairs and numbers too large for
a machine; a text that two readers could read differently is refused. Evidence, the messages between
a table and its hub, and what browsers and programs send to the pages are all read here, so that no
value gets further that a database or a page cannot hold. docs/evidence.md has the limits. Every
bundle carries the verifier with this module, so it imports nothing of tilewatch.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

MAX_DEPTH: Final = 64
"""The most levels of nested arrays and objects."""


def loads(text: bytes) -> Any:
    """Return the value of a JSON text. Raises ``ValueError``, one line, for loose or no JSON."""
    try:
        value = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_number,
        )
        _require_depth(value)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except UnicodeEncodeError as error:
        raise ValueError("half a surrogate pair stands in a text") from error
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_DEPTH}") from error
    return value


def same(one: Any, other: Any) -> bool:
    """True if two JSON values are the same; 1, 1.0 and true are three different values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _integer(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise ValueError("an integer is beyond 64 bits")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):  # "NaN" and "Infinity" are read here too
        raise ValueError(f"{text[:40]} is no number, or too large")
    return value


def _require_depth(value: Any) -> None:
    """Refuse a value nested deeper than ``MAX_DEPTH``; the check itself does not recurse."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        nested = [one for one in level if isinstance(one, list | dict)]
        if not nested:
            return
        level = []
        for one in nested:
            level += one.values() if isinstance(one, dict) else one
    raise RecursionError
