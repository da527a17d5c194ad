"""The round trips to a clock's page, measured here: they limit how early a press may be stamped.

A page stamps its presses itself, and whoever holds its link can stamp what they like. But they
cannot answer before they were asked: every answer about the time has a number that is used once,
the page sends the number back at once, and the time between is a round trip. The shortest of the
last ones bounds how wrong the page's own idea of the time may be (half of it, as in NTP) together
with the way of the press itself (the other half, about). So a press counts at the earliest

    when it arrived - (shortest round trip, at most MAX_TRIP_NS) - ALLOWANCE_NS

A page that answers late on purpose makes its round trips longer: hence ``MAX_TRIP_NS``, so that no
press is ever moved back by more than half a second this way.

A press that was lost and sent again arrives later than this. It is moved back further only if the
server noticed a break: a page that had asked for the time twice a second was not heard for
``SILENCE_NS``. Then its press may count from the moment at which the page was last heard. A page
can also fall silent on purpose, so each side gains at most ``OUTAGES_NS`` by silences in one game.
The log has the claimed time and the time of arrival beside the accepted time.


The answer to a page that asks for the time, which also measures its round trip.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Response, request

from dashboard.responses import json_answer
from dashboard.sent import LONGEST_ID

MS: Final = 1_000_000
ALLOWANCE_NS: Final = 150 * MS
"""The delay allowed besides the round trip: a busy phone, a busy server, jitter."""

MAX_TRIP_NS: Final = 350 * MS
"""The longest round trip that is believed."""

SILENCE_NS: Final = 1_000 * MS
"""The silence after which a page, which asks twice a second, counts as disconnected."""

RESENT_NS: Final = 3_000 * MS
"""The time after a silence in which one of its presses may come: it is sent again for a while."""

OUTAGES_NS: Final = 3_000 * MS
"""The total by which one side's presses are moved back for silences in one game."""

_KNOWN: Final = 3
"""The round trips that a page must have made before its silence counts as a broken connection."""

_TRIPS: Final = 40
_NUMBERS: Final = 8
_PAGES: Final = 16


@dataclass(slots=True)
class _Page:
    asked: OrderedDict[str, int] = field(default_factory=OrderedDict)
    """The numbers given out that have not come back yet, each with the time it was given out."""
    trips: deque[int] = field(default_factory=lambda: deque(maxlen=_TRIPS))
    heard_ns: int | None = None
    silence: tuple[int, int] | None = None
    """The newest silence: its start and its end."""


class RoundTrips:
    """The pages of one table's clock. Safe to use from any thread. Times are the table's."""

    def __init__(self, rate: float = 1.0) -> None:
        """``rate`` is how fast the table's time runs."""
        self._rate = rate
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, _Page] = OrderedDict()
        self._outages: dict[tuple[str, str], int] = {}
        """The time given for silences so far, by game and side."""

    def asked(self, page_id: str, now_ns: int) -> str:
        """Note that a page asks for the time; return a number that it has to send back at once."""
        number = secrets.token_urlsafe(9)
        with self._lock:
            page = self._heard(page_id, now_ns)
            page.asked[number] = now_ns
            while len(page.asked) > _NUMBERS:
                page.asked.popitem(last=False)
        return number

    def answered(self, page_id: str, number: str, now_ns: int) -> None:
        """Note that a number came back; one that this page was not given is ignored."""
        with self._lock:
            page = self._heard(page_id, now_ns)
            asked_ns = page.asked.pop(number, None)
            if asked_ns is not None:
                page.trips.append(max(0, now_ns - asked_ns))

    def shortest(self, page_id: str) -> int | None:
        """Return the shortest of a page's last round trips; None before the first."""
        with self._lock:
            page = self._pages.get(page_id)
            return min(page.trips, default=None) if page is not None else None

    def accepted(self, page_id: str, game_id: str, side: str, made_ns: int, now_ns: int) -> int:
        """Return the time at which a press that arrives now counts; its page claims ``made_ns``.

        ``side`` is the side whose clock the press stops.
        """
        with self._lock:
            page = self._heard(page_id, now_ns)
            trip = min(page.trips, default=0)
            lead = min(trip, round(MAX_TRIP_NS * self._rate)) + round(ALLOWANCE_NS * self._rate)
            usual = max(made_ns, now_ns - lead)
            supported = self._supported(page, now_ns)
            if made_ns >= usual or supported is None or supported >= usual:
                return min(usual, now_ns)
            self._outages = {key: ns for key, ns in self._outages.items() if key[0] == game_id}
            left = round(OUTAGES_NS * self._rate) - self._outages.get((game_id, side), 0)
            back = min(usual - max(made_ns, supported), max(0, left))
            self._outages[game_id, side] = self._outages.get((game_id, side), 0) + back
            return usual - back

    def _supported(self, page: _Page, now_ns: int) -> int | None:
        """Return the time at which the connection broke; None unless it was restored just now."""
        if page.silence is None or len(page.trips) < _KNOWN:
            return None
        since, until = page.silence
        return since if now_ns - until <= RESENT_NS * self._rate else None

    def _heard(self, page_id: str, now_ns: int) -> _Page:
        page = self._pages.setdefault(page_id, _Page())
        self._pages.move_to_end(page_id)
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        if page.heard_ns is not None and now_ns - page.heard_ns > SILENCE_NS * self._rate:
            page.silence = (page.heard_ns, now_ns)
        page.heard_ns = now_ns
        return page


def time_answer(trips: RoundTrips, now_ns: int, rate: float) -> Response:
    """Return the time, with a number that the page of ``?page=`` sends back as ``?echo=``."""
    page_id = request.args.get("page", "")
    reply: dict[str, Any] = {"now_ns": now_ns, "rate": rate}
    if 0 < len(page_id) <= LONGEST_ID:
        if echo := request.args.get("echo"):
            trips.answered(page_id, echo, now_ns)
        reply["number"] = trips.asked(page_id, now_ns)
    return json_answer(reply)
