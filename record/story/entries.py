"""The events of a game as logged, and the game before and after each of them.

A game is folded once, into its steps; all that is told of it and stated about it follows from them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from game.events import ButtonPressed, Event, TableDescribed, TurnSeen, from_payload
from game.state.fold import GameState, course
from record.chain import LoggedEvent


@dataclass(frozen=True, slots=True)
class Entry:
    """One event and how it was logged."""

    logged: LoggedEvent
    event: Event

    @property
    def number(self) -> int:
        """Its number in the game, the start being 1: what a retraction names."""
        return self.logged.number

    @property
    def by(self) -> str:
        """The person who entered it; empty if nobody did."""
        return str(getattr(self.event, "by", ""))

    @property
    def why(self) -> str:
        """The reason that was entered with it."""
        return str(getattr(self.event, "why", ""))


@dataclass(frozen=True, slots=True)
class Step(Entry):
    """An event, with the game before and after it."""

    before: GameState | None
    after: GameState

    @property
    def t_ns(self) -> int:
        """When the event happened, on the table's monotonic base."""
        return self.event.press_ns if isinstance(self.event, TurnSeen) else self.event.t_ns


def steps_of(entries: Iterable[Entry]) -> tuple[Step, ...]:
    """Fold the entries of a whole game, one step each. Raises ``TilewatchError``."""
    known = tuple(entries)
    steps: list[Step] = []
    before: GameState | None = None
    for entry, after in zip(known, course(one.event for one in known), strict=True):
        steps.append(Step(entry.logged, entry.event, before, after))
        before = after
    return tuple(steps)


def logged_entries(events: Iterable[LoggedEvent]) -> tuple[Entry, ...]:
    """Read the payloads of a game's events as logged. Raises ``TilewatchError``."""
    return tuple(Entry(one, from_payload(one.payload)) for one in events)


def real_presses(entries: Iterable[Entry]) -> list[tuple[int, str]]:
    """The presses of the clock's own buttons, as (time on the table's base, button)."""
    return [
        (one.event.t_ns, one.event.button)
        for one in entries
        if isinstance(one.event, ButtonPressed) and one.logged.source == "buttons"
    ]


RECORDING: Final = "recording"
"""The setting of a game that was replayed from a recording: the recording's name."""


class WallClock:
    """Wall time of moments on the table's monotonic base, by the nearest logged event.

    The events of a replay were logged as fast as it went. So that tells only when it was replayed.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.replayed = any(
            isinstance(one.event, TableDescribed) and RECORDING in one.event.settings
            for one in entries
        )
        """True if the times of the game are those of a recording, from its beginning."""
        first: dict[int, int] = {}
        for one in entries:  # of several at one moment the first one logged counts
            first.setdefault(one.logged.mono_ns, one.logged.wall_ns)
        self._known = sorted(first.items())

    def at(self, t_ns: int) -> int:
        """The wall time, in ns since 1970."""
        place = bisect_left(self._known, (t_ns,))
        near = self._known[max(0, place - 1) : place + 1]
        mono, wall = min(near, key=lambda one: abs(one[0] - t_ns))
        return wall + t_ns - mono
