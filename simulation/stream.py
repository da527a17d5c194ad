"""A simulated table before the real recorder: frames, presses and announcements in time order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from game.errors import TilewatchError
from game.events import Event
from sensors.interfaces import Frame, Press
from simulation import Announcement, Moment, SimulatedTable

Item = Frame | Press | Announcement


class Recorder(Protocol):
    """The recorder that takes the items: ``table.recorder.Recorder``."""

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""

    def press(self, press: Press) -> Any:
        """Take a press."""

    def record(self, event: Event, source: str) -> Any:
        """Apply and log one event. Raises ``TilewatchError``, with nothing changed."""

    def finish(self) -> None:
        """Settle a turn that is still held open."""


def stream(table: SimulatedTable) -> Iterator[Item]:
    """Yield frames, presses and announcements by time; at the same moment, frames come first."""
    for item in table.happenings():
        if isinstance(item, Moment):
            frame = table.draw(item)
            if frame is not None:
                yield frame
        else:
            yield item


class PendingClaims:
    """Announcements at the table that wait until they can be recorded.

    A player can announce something of a turn before the camera has seen it, if a hand was in the
    way.
    """

    def __init__(self) -> None:
        self.pending: list[tuple[Event, str]] = []
        """Announcements that do not fit the game yet, with their source."""

    def add(self, event: Event, source: str) -> None:
        """Add an announcement."""
        self.pending.append((event, source))

    def record_into(self, recorder: Recorder) -> None:
        """Record those that fit the game by now."""
        if self.pending:
            self.pending = [one for one in self.pending if not _recorded(recorder, *one)]


class Listener:
    """Hands what happens at the table to a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._claims = PendingClaims()

    @property
    def pending(self) -> list[Event]:
        """The announcements that do not fit the game yet."""
        return [event for event, _ in self._claims.pending]

    def hand(self, item: Item) -> None:
        """Take the next item."""
        if isinstance(item, Frame):
            self._recorder.frame(item)
        elif isinstance(item, Press):
            self._recorder.press(item)
        else:
            self._claims.add(item.event, "players")
        self._claims.record_into(self._recorder)

    def finish(self) -> None:
        """Finish the game."""
        self._recorder.finish()
        self._claims.record_into(self._recorder)


def _recorded(recorder: Recorder, event: Event, source: str) -> bool:
    try:
        recorder.record(event, source)
    except TilewatchError:
        return False
    return True
