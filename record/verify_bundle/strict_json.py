"""JSON that can be read in one way only."""

import json
import math
from typing import Any

MAX_DEPTH = 64


def loads(text: bytes) -> Any:
    """JSON that can be read in one way only. Raises ValueError."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice in one object")
        return dict(pairs)

    def integer(text: str) -> int:
        if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
            raise ValueError("an integer is beyond 64 bits")
        return int(text)

    def number(text: str) -> float:
        if not math.isfinite(float(text)):  # NaN and Infinity come here too
            raise ValueError(f"{text[:40]} is no number")
        return float(text)

    try:
        value = json.loads(text.decode(), object_pairs_hook=unique, parse_int=integer,
                           parse_float=number, parse_constant=number)  # fmt: skip
    except RecursionError:
        raise ValueError("nested too deep") from None
    level, depth = [value], 0
    while nested := [one for one in level if isinstance(one, (dict, list))]:
        level, depth = [], depth + 1
        for one in nested:
            level += one.values() if isinstance(one, dict) else one
        if depth > MAX_DEPTH:
            raise ValueError("nested too deep")
    json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair
    return value


def same(one: Any, other: Any) -> bool:
    """True if both are the same JSON; 1, 1.0 and true are three things."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
