"""A table's troubles, as JSON on their way to the hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from game.events import TroubleNoted
from game.troubles import TROUBLES

_MOST: Final = 20
_LINE: Final = 300
_WHAT: Final = 40


def as_json(troubles: Sequence[TroubleNoted]) -> list[dict[str, Any]]:
    """Return troubles that are not over as JSON-able data."""
    return [
        {
            "code": one.code,
            "message": one.message,
            "since_ns": one.t_ns,
            "what": one.what,
            "stands": one.state == "begins",
        }
        for one in troubles
    ]


def from_json(found: object) -> Iterator[TroubleNoted]:
    """Yield the troubles that a table reports; what is none, or of no known kind, is left out."""
    for one in found[:_MOST] if isinstance(found, list) else ():
        if isinstance(one, dict) and isinstance(one.get("code"), str) and one["code"] in TROUBLES:
            since_ns = one.get("since_ns")
            yield TroubleNoted(
                one["code"],
                str(one.get("what", ""))[:_WHAT],
                "begins" if one.get("stands", True) else "happened",
                str(one.get("message", ""))[:_LINE],
                since_ns if isinstance(since_ns, int) else 0,
            )
