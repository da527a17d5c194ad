"""Times and names as the account shows them."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from game.tile_symbols import spelled
from record.story import Story

ROLES: Final = {
    "previous": "what the turn before was read from",
    "before": "before the press",
    "after": "after the press",
    "read": "read from this one",
    "changed": "when tiles had changed",
    "stopped": "while the clock stood",
    "ruled": "when something was entered",
    "bumped": "when the board had moved",
    "trouble": "when the table was in trouble",
    "setup": "before the first turn",
}
"""The reason for keeping a picture, without those that its time tells."""

_PLACED: Final = frozenset({"at", "previous", "setup"})
"""Roles that say by themselves on which side of the press a picture lies."""

_NEAR_NS: Final = 300_000_000

_BEFORE_A_NUMBER: Final = re.compile(r"([\u0590-\u08ff])(?=[\W_]*\d)")
"""The end of what is written from right to left, where only a number is next."""


def wall(ns: int, zone: tzinfo | None = UTC) -> str:
    """A moment, as ``14:03:59 UTC+2``; without a zone, by the machine's own."""
    then = _at(ns, zone)
    return f"{then:%H:%M:%S} {_offset(then)}"


def moment(story: Story, t_ns: int) -> str:
    """A moment on the table's base: the time of day, or in a replay the time of the recording."""
    if story.wall.replayed:
        return f"{game_time(t_ns - story.state.start.t_ns)} of the recording"
    return wall(story.wall.at(t_ns), story.zone)


def date(ns: int, zone: tzinfo | None = UTC) -> str:
    """A moment with its day."""
    then = _at(ns, zone)
    return f"{then:%Y-%m-%d %H:%M} {_offset(then)}"


def _at(ns: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(ns // 10**9, UTC).astimezone(zone)


def _offset(then: datetime) -> str:
    """How far a zone is from UTC, as ``UTC+5:30``; ``UTC`` itself."""
    minutes = round((then.utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    if not minutes:
        return "UTC"
    return f"UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}"


def game_time(ns: int) -> str:
    """The time since a game began, as ``1:02:07`` or ``4:31``."""
    minutes, seconds = divmod(max(0, ns) // 10**9, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def offset(ns: int, digits: int = 2) -> str:
    """A time from a press, as ``−1.02 s``."""
    sign = "−" if ns < 0 else "+"
    return f"{sign}{abs(ns) / 1e9:.{digits}f} s"


def role(roles: tuple[str, ...], from_press_ns: int) -> str:
    """The reason for keeping a picture, and its side of the press."""
    side = "the last before the press" if from_press_ns < 0 else "the first after the press"
    words = ROLES | {"at": "at the press" if abs(from_press_ns) < _NEAR_NS else side}
    own = [one for one in roles if one not in ("before", "around", "after")]
    if not _PLACED.intersection(own):
        own.insert(0, "before" if from_press_ns < 0 else "after")
    return ", ".join(words.get(one, one.replace("_", " ")) for one in own)


def plain(text: str) -> str:
    """A stored word as people read it."""
    return text.replace("_", " ")


def escape(text: str) -> str:
    """Return text for HTML, with what tiles of several letters say in place of their symbols.

    A number after a name that is written from right to left stays on its right.
    """
    return html.escape(_BEFORE_A_NUMBER.sub("\\1\N{LEFT-TO-RIGHT MARK}", spelled(text)))
