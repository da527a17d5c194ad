"""A simulated table before the real recorder: its frames, presses and words, each in its time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from game.errors import TilewatchError
from game.events import Event
from sensors.interfaces import Frame, Press
from simulation import Announcement, Moment, SimulatedTable
from simulation.merging import undrawn

Item = Frame | Press | Announcement


class Recorder(Protocol):
    """What takes the items: ``table.recorder.Recorder``."""

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""

    def press(self, press: Press) -> Any:
        """Take a press."""

    def record(self, event: Event, source: str) -> Any:
        """Apply and log one event. Raises ``TilewatchError``, with nothing changed."""

    def finish(self) -> None:
        """Settle a turn that is still held open."""


def stream(table: SimulatedTable) -> Iterator[Item]:
    """Frames, presses and words in order of time; a frame before a press of the same moment."""
    for item in undrawn(table):
        if isinstance(item, Moment):
            frame = table.draw(item)
            if frame is not None:
                yield frame
        else:
            yield item


class PendingClaims:
    """What is said at the table, until it makes sense.

    What is said of a turn can come before the camera has seen it, because a hand was in the way.
    """

    def __init__(self) -> None:
        self.unheard: list[tuple[Event, str]] = []
        """What was said and has not made sense yet, with its source."""

    def say(self, event: Event, source: str) -> None:
        """Somebody says something."""
        self.unheard.append((event, source))

    def hear(self, recorder: Recorder) -> None:
        """Record whatever makes sense by now."""
        if self.unheard:
            self.unheard = [one for one in self.unheard if not _heard(recorder, *one)]


class Listener:
    """Hands what happens at the table to a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._hearsay = PendingClaims()

    @property
    def unheard(self) -> list[Event]:
        """What was said and has not made sense yet."""
        return [event for event, _ in self._hearsay.unheard]

    def hand(self, item: Item) -> None:
        """One more thing happens."""
        if isinstance(item, Frame):
            self._recorder.frame(item)
        elif isinstance(item, Press):
            self._recorder.press(item)
        else:
            self._hearsay.say(item.event, "players")
        self._hearsay.hear(self._recorder)

    def finish(self) -> None:
        """Nothing more will happen."""
        self._recorder.finish()
        self._hearsay.hear(self._recorder)


def _heard(recorder: Recorder, event: Event, source: str) -> bool:
    try:
        recorder.record(event, source)
    except TilewatchError:
        return False
    return True
