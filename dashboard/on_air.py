"""A page for a stream shows no trouble: if it cannot be shown, it is empty and transparent.

Whoever runs the show reads on the control page and the page of links what the trouble is. An empty
page asks again by itself, so its trouble is known for as long as it lasts.
"""

from __future__ import annotations

import html
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flask import Response, request

from dashboard.parts import part
from dashboard.security import under_policy

AGAIN_S: Final = 10
"""Seconds after which an empty page asks again."""

LASTS_S: Final = 2.5 * AGAIN_S
"""Seconds after which a trouble that was not met again is over."""

MOST: Final = 40
"""AirTroubles that are kept; addresses can be made up by anybody."""

_ON_AIR: Final = re.compile(r"/(?:overlay|obs|api/(?:broadcasts|annotations)/obs)/")
_SHOWN: Final = 300
"""Characters of an address and of its trouble that are kept."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An address that shows nothing, and why."""

    address: str
    """Path and parameters; a token is not among them."""
    slot: str
    why: str
    since_s: float
    """When it was first met, in Unix seconds."""


class AirTroubles:
    """The last trouble of each address that is asked for now. Safe to use from any thread."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._met: dict[str, tuple[Trouble, float]] = {}

    def met(self, address: str, slot: str, why: str) -> None:
        """Note that an address was just refused, and why."""
        now, address = self._now(), address[:_SHOWN]
        with self._lock:
            before = self._met.pop(address, None)
            new = before is None or before[0].why != why[:_SHOWN]
            first = now if new or before is None else before[0].since_s
            self._met[address] = Trouble(address, slot[:_SHOWN], why[:_SHOWN], first), now
            while len(self._met) > MOST:
                del self._met[next(iter(self._met))]

    def all(self) -> list[Trouble]:
        """Return the troubles that last, oldest first."""
        until = self._now() - LASTS_S
        with self._lock:
            self._met = {key: one for key, one in self._met.items() if one[1] >= until}
            return sorted((one for one, _ in self._met.values()), key=lambda one: one.since_s)


def goes_on_air(path: str) -> bool:
    """True if a path is that of an overlay or a value for a scene."""
    return _ON_AIR.match(path) is not None


def note(text: str) -> None:
    """Keep the trouble of the current request, if what it asks for goes on air.

    A monitor of the control page is not on air.
    """
    if goes_on_air(request.path) and request.args.get("monitor") != "yes":
        slot = (request.view_args or {}).get("slot") or request.path.split("/")[2]
        part(AirTroubles).met(_address(slot), slot, text)


def _address(slot: str) -> str:
    """Return the address of the request's page, without its token.

    The scripts of open pages ask below ``live``: which page it was is not known.
    """
    path = request.path
    if path.startswith(f"/overlay/{slot}/live"):
        path = f"/overlay/{slot}/…"
    shown = [f"{name}={value}" for name, value in request.args.items() if name != "token"]
    return f"{path}?{'&'.join(shown)}" if shown else path


def shows_nothing() -> bool:
    """True if the current request is that of a page on air."""
    return goes_on_air(request.path) and "text/html" in request.headers.get("Accept", "")


def nothing(status: int, text: str) -> Response:
    """Return a page that shows nothing on air, and asks again; a screen reader has why."""
    made = Response(
        empty_page(text),
        status=status,
        headers={"Cache-Control": "no-store", "Refresh": str(AGAIN_S)},
    )
    return under_policy(made, frame_ancestors="'self'")


def empty_page(text: str) -> str:
    """Return the HTML of a page that has a title and nothing to see."""
    shown = html.escape(text)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{shown}</title>'
        f'<body data-trouble="{shown}"><main aria-label="{shown}"></main></body></html>\n'
    )
