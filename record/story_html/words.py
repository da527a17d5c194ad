"""Times and names as the account shows them."""

from __future__ import annotations

import html
import time
from typing import Final

from game.tile_symbols import spelled

ROLES: Final = {
    "before": "before the press",
    "at": "at the press",
    "after": "after the press",
    "read": "read from this one",
    "changed": "when tiles had changed",
    "around": "around the press",
    "stopped": "while the clock stood",
    "ruled": "when something was entered",
    "bumped": "when the board had moved",
    "trouble": "when the table was in trouble",
    "setup": "before the first turn",
}


def utc(ns: int) -> str:
    """A moment, as ``14:03:59``."""
    return time.strftime("%H:%M:%S", time.gmtime(ns // 10**9))


def date(ns: int) -> str:
    """A moment with its day."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ns // 10**9))


def game_time(ns: int) -> str:
    """The time since a game began, as ``1:02:07`` or ``4:31``."""
    minutes, seconds = divmod(max(0, ns) // 10**9, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def offset(ns: int, digits: int = 2) -> str:
    """A time from a press, as ``−1.02 s``."""
    sign = "−" if ns < 0 else "+"
    return f"{sign}{abs(ns) / 1e9:.{digits}f} s"


def role(roles: tuple[str, ...]) -> str:
    """What a picture was kept for."""
    return ", ".join(ROLES.get(one, one.replace("_", " ")) for one in roles)


def plain(text: str) -> str:
    """A stored word as people read it."""
    return text.replace("_", " ")


def escape(text: str) -> str:
    """Return text for HTML, with what tiles of several letters say in place of their symbols."""
    return html.escape(spelled(text))
