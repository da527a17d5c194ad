"""Telling the server that it is known who sends a request: a director, or a clock.

Their connections have a place of their own (:mod:`dashboard.streaming.connections`).
"""

from __future__ import annotations

from typing import Final

from flask import request

VOUCH: Final = "tilewatch.vouch"
"""In a request's environment where its server can do this: what is to be called."""


def vouch() -> None:
    """Say so of the request at hand."""
    known = request.environ.get(VOUCH)
    if known is not None:
        known()
