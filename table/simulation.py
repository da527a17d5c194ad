"""A simulated table before the real recorder: its frames, presses and words, each in its time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from game.errors import TilewatchError
from game.events import Event
from sensors.interfaces import Frame, Press
from sensors.simulated import Said, SimulatedTable
from table.recorder import Recorder

Item = Frame | Press | Said


def stream(table: SimulatedTable) -> Iterator[Item]:
    """Frames, presses and words in order of time; a frame before a press of the same moment."""

    def keyed(items: Iterator[Item], rank: int) -> Iterator[tuple[int, int, Item]]:
        for item in items:
            yield item.t_ns, rank, item

    streams = (
        keyed(table.camera().frames(), 0),
        keyed(table.buttons().presses(), 1),
        keyed(table.said(), 2),
    )
    for _, _, item in heapq.merge(*streams, key=lambda entry: entry[:2]):
        yield item


class Listener:
    """Hands what happens at the table to a recorder.

    What is said of a turn can come before the camera has seen it, because a hand was in the way:
    it is said again until it makes sense.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.unheard: list[Event] = []
        """What was said and has not made sense yet."""

    def hand(self, item: Item) -> None:
        """One more thing happens."""
        if isinstance(item, Frame):
            self._recorder.frame(item)
        elif isinstance(item, Press):
            self._recorder.press(item)
        else:
            self.unheard.append(item.event)
        self._hear()

    def finish(self) -> None:
        """Nothing more will happen."""
        self._recorder.finish()
        self._hear()

    def _hear(self) -> None:
        if self.unheard:
            self.unheard = [event for event in self.unheard if not self._heard(event)]

    def _heard(self, event: Event) -> bool:
        try:
            self._recorder.record(event, "players")
        except TilewatchError:
            return False
        return True
