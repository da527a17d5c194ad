"""The promise of a set of weights: how surely a square must be read for it to count as read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

METADATA_KEY = "promise"
"""The key in an ONNX file's metadata; the value is JSON."""


@dataclass(frozen=True)
class Promise:
    """A bound on the squares that one picture's reading has wrong and does not mark.

    Attributes:
        sure: probability from which on a square counts as read. Less sure ones are marked.
        risk: the largest share of all squares that is wrong and not marked.
        confidence: probability that the bound holds, over draws of the boards that ``sure`` was
            chosen on.
        boards: how many of those there were.
    """

    sure: float
    risk: float
    confidence: float
    boards: int

    def to_json(self) -> str:
        """Return it as JSON, one line."""
        return json.dumps(asdict(self))


def parse_promise(text: str) -> Promise | None:
    """Return the promise in an ONNX file's metadata; None if it has none that can be read."""
    try:
        entries = json.loads(text)
        values = {field.name: float(entries[field.name]) for field in fields(Promise)}
        boards = int(values.pop("boards"))
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    if not all(0 <= value <= 1 for value in values.values()) or not values["risk"]:
        return None
    return Promise(**values, boards=boards)
