"""The events of a game as logged, and the game before and after each of them.

A game is folded once, into its steps; the account and the statement of the game follow from these.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from game import events
from game.state.fold import GameState, course
from record.chain import LoggedEvent

_SOURCES: Final = {
    "recorder": "the table",
    "table": "the table",
    "buttons": "the clock",
    "page": "the clock on a page",
    "players": "the players",
}
"""Origins of events that no account entered, in words, by the source in the log."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event and how it was logged."""

    logged: LoggedEvent
    event: events.Event

    @property
    def number(self) -> int:
        """The event's number in the game, from 1, by which a retraction names it."""
        return self.logged.number

    @property
    def by(self) -> str:
        """The person who entered the event; empty if nobody did."""
        return str(getattr(self.event, "by", ""))

    @property
    def who(self) -> str:
        """The person who entered the event, or else its origin, in words."""
        return self.by or _SOURCES.get(self.logged.source, self.logged.source)

    @property
    def why(self) -> str:
        """The reason entered with the event; empty if there is none."""
        return str(getattr(self.event, "why", ""))


@dataclass(frozen=True, slots=True)
class Step(Entry):
    """An event, with the game before and after it."""

    before: GameState | None
    after: GameState

    @property
    def t_ns(self) -> int:
        """When the event happened, on the table's monotonic base."""
        return self.event.press_ns if isinstance(self.event, events.TurnSeen) else self.event.t_ns


def steps_of(entries: Iterable[Entry]) -> tuple[Step, ...]:
    """Fold the entries of a whole game, one step each. Raises ``TilewatchError``."""
    known = tuple(entries)
    steps: list[Step] = []
    before: GameState | None = None
    for entry, after in zip(known, course(one.event for one in known), strict=True):
        steps.append(Step(entry.logged, entry.event, before, after))
        before = after
    return tuple(steps)


def logged_entries(logged: Iterable[LoggedEvent]) -> tuple[Entry, ...]:
    """Read the payloads of a game's events as logged. Raises ``TilewatchError``."""
    return tuple(Entry(one, events.from_payload(one.payload)) for one in logged)


def real_presses(entries: Iterable[Entry]) -> list[tuple[int, str]]:
    """Return the presses of the clock's own buttons, as (time on the table's base, button)."""
    return [
        (one.event.t_ns, one.event.button)
        for one in entries
        if isinstance(one.event, events.ButtonPressed) and one.logged.source == "buttons"
    ]


RECORDING: Final = "recording"
"""The key of the setting that names the recording from which a game was replayed."""


_AT_ANY_TIME: Final = (events.ActionTaken, events.PicturesDeleted, events.RacksOpened)
"""Facts that may be noted long after the game."""


def is_watched(event: events.Event) -> bool:
    """True for what the table noted as it watched the game; False for what came at any time."""
    return isinstance(event, events.FACTS) and not isinstance(event, _AT_ANY_TIME)


def is_replayed(entries: Iterable[Entry]) -> bool:
    """True if a game was replayed from a recording."""
    described = (one.event for one in entries if isinstance(one.event, events.TableDescribed))
    return any(RECORDING in event.settings for event in described)


class WallClock:
    """Wall time of moments on the table's monotonic base, by the nearest fact.

    Facts are logged as the table learns of them, but a turn when it was read, and its pictures with
    it; people's entries may come hours later. What came after its time tells none. The events
    of a replay were logged at the replay's speed, so their wall times say only when it was made.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.replayed = is_replayed(entries)
        """True if the game was replayed from a recording."""
        first: dict[int, int] = {}
        newest_ns = 0
        for one in entries:  # of several at one moment the first one logged counts
            mono_ns = one.logged.mono_ns
            heard_ns = getattr(one.event, "heard_ns", None) or mono_ns  # a page's press comes later
            read_later = isinstance(one.event, events.TurnSeen | events.PicturesKept)
            if read_later or not is_watched(one.event) or heard_ns < newest_ns:
                continue  # it may have been logged long after its moment
            newest_ns = heard_ns
            first.setdefault(mono_ns, one.logged.wall_ns + mono_ns - heard_ns)
        self._known = sorted(first.items())

    def at(self, t_ns: int) -> int:
        """Return the wall time, in ns since 1970."""
        place = bisect_left(self._known, (t_ns,))
        near = self._known[max(0, place - 1) : place + 1]
        mono, wall = min(near, key=lambda one: abs(one[0] - t_ns))
        return wall + t_ns - mono
