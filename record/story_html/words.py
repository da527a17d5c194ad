"""Times and names as the account shows them."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from game.tile_symbols import spelled
from record.story import Story
from record.story.event_wording import game_time, lasting

ROLES: Final = {
    "previous": "what the turn before was read from",
    "placed": "with all its tiles",
    "read": "read from this one",
    "changing": "just before tiles were seen to have changed",
    "settled": "before the board changed",
    "altered": "when the board had changed",
    "put_back": "when that was over",
    "changed": "when tiles had changed",
    "stopped": "while the clock stood",
    "ruled": "within seconds of an entry",
    "bumped": "when the whole picture had changed",
    "trouble": "when the table was in trouble",
    "setup": "before the first turn",
}
"""The reasons for keeping a picture, in words, except those that its time shows."""

_PLACED: Final = frozenset({"at", "previous", "setup"})
"""Roles that already say whether a picture is from before or after the press."""

_TENTH_NS: Final = 100_000_000

_NEAR_NS: Final = 300_000_000

_BEFORE_A_NUMBER: Final = re.compile(r"([\u0590-\u08ff])(?=[\W_]*\d)")
"""A right-to-left letter that is followed by a number, with no other letter between."""


def wall(ns: int, zone: tzinfo | None = UTC) -> str:
    """Return a moment as ``14:03:59 UTC+2``; if ``zone`` is None, in the machine's own."""
    then = _at(ns, zone)
    return f"{then:%H:%M:%S} {_offset(then)}"


def moment(story: Story, t_ns: int) -> str:
    """Return a moment on the table's base: the time of day, or in a replay the recording's time.

    The page says once which time it is.
    """
    if story.wall.replayed:
        if t_ns > story.course.seen_ns:
            return "after the recording"
        return game_time(t_ns - story.state.start.t_ns)
    return f"{_at(story.wall.at(t_ns), story.zone):%H:%M:%S}"


def clock_of(story: Story) -> str:
    """Return by which one clock the page goes, and :func:`moment`, in words."""
    if story.wall.replayed:
        return "times count from the start of the recording"
    began = _at(story.wall.at(story.state.start.t_ns), story.zone)
    return f"times of day are {_offset(began)}"


def date(ns: int, zone: tzinfo | None = UTC) -> str:
    """Return a moment with its day."""
    then = _at(ns, zone)
    return f"{then:%Y-%m-%d %H:%M} {_offset(then)}"


def _at(ns: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(ns // 10**9, UTC).astimezone(zone)


def _offset(then: datetime) -> str:
    """Return a zone's offset from UTC, as ``UTC+5:30``; ``UTC`` if it is 0."""
    minutes = round((then.utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    if not minutes:
        return "UTC"
    return f"UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}"


def offset(ns: int) -> str:
    """Return a time relative to a press to the tenth of a second, as ``−1.0 s`` or ``+2:05.6``."""
    sign = "" if abs(ns) < _TENTH_NS // 2 else "−" if ns < 0 else "+"
    return f"{sign}{lasting(abs(ns))}"


def role(
    roles: tuple[str, ...], from_press_ns: int, end: str = "the press", *, dark: str = ""
) -> str:
    """Return why a picture was kept, and whether it is from before or after the press.

    ``end`` is the moment from which the time counts, if no press ended the turn. ``dark`` is why
    nothing is to be seen in it.
    """
    side = f"the last before {end}" if from_press_ns < 0 else f"the first after {end}"
    words = ROLES | {"at": f"at {end}" if abs(from_press_ns) < _NEAR_NS else side}
    words |= {"before": f"before {end}", "after": f"after {end}"}
    own = [one for one in roles if one not in ("before", "around", "after", "thinking")]
    own += [dark] * bool(dark)
    if not _PLACED.intersection(own):
        own.insert(0, "before" if from_press_ns < 0 else "after")
    return ", ".join(words.get(one, one.replace("_", " ")) for one in own)


def plain(text: str) -> str:
    """Return a word of the record as people read it."""
    return text.replace("_", " ")


def escape(text: str) -> str:
    """Return text for HTML, with the letters of a multi-letter tile in place of its symbol.

    A number after a right-to-left name stays on the name's right.
    """
    return html.escape(_BEFORE_A_NUMBER.sub("\\1\N{LEFT-TO-RIGHT MARK}", spelled(text)))
