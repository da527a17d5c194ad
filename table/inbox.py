"""The queue from the devices of a running table to the loop that records them."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final

from sensors.interfaces import Frame, Press
from table.health.alerts import Alert

FRAMES: Final = 3
"""The most frames that wait for the loop; a slow machine sees fewer, never older ones."""


class Inbox:
    """The items that devices deliver and the loop takes. Thread-safe."""

    def __init__(self) -> None:
        self._presses: deque[Press | Alert] = deque()
        self._frames: deque[Frame] = deque(maxlen=FRAMES)
        self._changed = threading.Condition()
        self._woken = False

    def put(self, item: Frame | Press | Alert) -> None:
        """Add an item; of too many frames the oldest is dropped."""
        with self._changed:
            if isinstance(item, Frame):
                self._frames.append(item)
            else:
                self._presses.append(item)
            self._changed.notify()

    def taken_until_ns(self, now_ns: int) -> int:
        """Until when every press was taken, if it is ``now_ns``."""
        with self._changed:
            return min([now_ns, *(press.t_ns for press in self._presses)])

    def wake(self) -> None:
        """Have ``get`` return, so that the loop can do something else."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def get(self, timeout_s: float) -> Frame | Press | Alert | None:
        """Return the oldest item; None after the timeout or when woken."""
        with self._changed:
            self._changed.wait_for(
                lambda: bool(self._presses or self._frames or self._woken), timeout_s
            )
            self._woken = False
            if self._presses and (not self._frames or self._presses[0].t_ns < self._frames[0].t_ns):
                return self._presses.popleft()
            if self._frames:
                return self._frames.popleft()
            return self._presses.popleft() if self._presses else None
