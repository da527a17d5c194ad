"""The answer to a page that asks for the time, which also measures its round trip."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from dashboard.clock.round_trips import RoundTrips
from dashboard.responses import json_answer
from dashboard.sent import LONGEST_ID


def time_answer(trips: RoundTrips, now_ns: int, rate: float) -> Response:
    """Return the time, with a number that the page of ``?page=`` sends back as ``?echo=``."""
    page_id = request.args.get("page", "")
    reply: dict[str, Any] = {"now_ns": now_ns, "rate": rate}
    if 0 < len(page_id) <= LONGEST_ID:
        if echo := request.args.get("echo"):
            trips.answered(page_id, echo, now_ns)
        reply["number"] = trips.asked(page_id, now_ns)
    return json_answer(reply)
