"""Telling the server that it is known who sends a request: a director, or a clock.

Their connections have a place of their own (:mod:`dashboard.streaming.connections`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from flask import request

VOUCH: Final = "tilewatch.vouch"
"""In a request's environment where its server can do this: what is to be called."""


@dataclass(frozen=True, slots=True)
class Voucher:
    """Who it is, and how many connections of theirs have such a place; the rest are anybody's."""

    kind: str
    name: str
    most: int


def vouch(voucher: Voucher) -> None:
    """Say so of the request at hand."""
    known = cast("Callable[[Voucher], None] | None", request.environ.get(VOUCH))
    if known is not None:
        known(voucher)
