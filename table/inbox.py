"""The queue from the devices of a running table to the loop that records them.

Items are given out in the order in which they happened. A press is heard at once, and a picture
some time after it was taken: so a press waits until the pictures from before it have come. Where
none comes, as the camera has failed, it waits for ``PATIENCE_S``, and later presses do not wait.

A loop that is behind is given fewer pictures: the newest before each press that waits, and the
newest of all. A turn is read from what lay there at its press, however late that is looked at.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple, TypeAlias

from game.events import TroubleNoted
from sensors.interfaces import Frame, Press
from sensors.patience import STEP_S, patiently
from table.desk import PendingPost

FRAMES: Final = 3
"""The most frames that wait for the loop from between two presses, ..."""

_MOST: Final = 24
"""... and in all: they take memory."""

PATIENCE_S: Final = 1.0
"""A press waits for the pictures from before it for no longer; any camera is faster."""

_INTERVALS: Final = 15
"""The camera's rate is taken from so many of its newest pictures, ..."""

_SOONER: Final = 0.9
"""... and the next is not taken sooner than after this part of the usual time."""

_QUIET_S: Final = 0.4
"""After so long without a picture all that happened has come, but for what a camera lost."""

_STOOD_STILL_S: Final = 2 * STEP_S
"""A step of waiting that takes so much longer shows that the process stood still."""


class PostedPress(NamedTuple):
    """A press of a button on a page, which waits for its answer."""

    t_ns: int
    posted: PendingPost


Heard: TypeAlias = Press | PostedPress | TroubleNoted
"""Items that are never dropped."""


class Inbox:
    """The items that devices deliver and the loop takes. Thread-safe."""

    def __init__(self) -> None:
        self._heard: deque[Heard] = deque()
        self._frames: deque[Frame] = deque(maxlen=_MOST)
        self._times_ns: deque[int] = deque(maxlen=_INTERVALS)
        """When the newest pictures were taken that have come."""
        self._silent_s = 0.0
        """The time that the loop has waited in vain since the newest came, ..."""
        self._held_s = 0.0
        """... and while a press was the next item."""
        self._changed = threading.Condition()
        self._woken = False

    def put(self, item: Frame | Heard) -> None:
        """Add an item; of too many frames since a press that waits the oldest is dropped."""
        with self._changed:
            if isinstance(item, Frame):
                self._frames.append(item)
                self._drop()
                if self._times_ns and item.t_ns <= self._times_ns[-1]:
                    self._times_ns.clear()  # the camera counts anew
                self._times_ns.append(item.t_ns)
                self._silent_s = 0.0
            else:
                self._heard.append(item)
            self._changed.notify()

    def taken_until_ns(self, now_ns: int) -> int:
        """The time until which every press has been taken."""
        with self._changed:
            return min([now_ns, *(one.t_ns for one in self._heard)])

    @property
    def quiet(self) -> bool:
        """True if pictures were waited for in vain for long enough for what happened to be known.

        Where the process stood still, they are waited for anew.
        """
        return self._silent_s >= _QUIET_S

    def wake(self) -> None:
        """Have ``get`` return, so that the loop can do something else."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def get(self, timeout_s: float) -> Frame | Heard | None:
        """Return the next item; None after the timeout or when woken."""
        with self._changed:
            if not (self._is_due() or self._woken):
                patiently(self._wait, timeout_s)
            self._woken = False
            if not self._is_due():
                return None
            if self._frames and not self._heard_first():
                return self._frames.popleft()
            self._held_s = 0.0
            return self._heard.popleft()

    def _drop(self) -> None:
        """Drop the oldest picture since the newest press that waits, if there are too many."""
        pressed = (one.t_ns for one in self._heard if not isinstance(one, TroubleNoted))
        pressed_ns = max(pressed, default=-1)
        since = [frame for frame in self._frames if frame.t_ns > pressed_ns]
        if len(since) > FRAMES:
            self._frames.remove(since[0])

    def _wait(self, seconds: float) -> bool:
        """Wait for something to do for so long; return True if there is."""
        begun_s = time.monotonic()
        self._changed.wait(seconds)
        passed_s = time.monotonic() - begun_s
        if stood_still := passed_s - seconds > _STOOD_STILL_S:
            # What was pressed meanwhile is heard by a thread that has stood still, too.
            self._changed.wait_for(lambda: False, STEP_S)
        if self._is_due():
            return True
        passed_s = min(passed_s, seconds)
        self._silent_s = 0.0 if stood_still else self._silent_s + passed_s
        self._held_s += passed_s if self._heard else 0.0
        return self._woken

    def _is_due(self) -> bool:
        """True if the next item can be given out."""
        if self._frames and not self._heard_first():
            return True
        if not self._heard:
            return False
        one = self._heard[0]
        return isinstance(one, TroubleNoted) or self._has_seen(one.t_ns)

    def _heard_first(self) -> bool:
        """True if what was heard came before the oldest picture that waits."""
        return bool(self._heard) and self._heard[0].t_ns < self._frames[0].t_ns

    def _has_seen(self, t_ns: int) -> bool:
        """True if all pictures from before a moment have come, or no more are to come."""
        times_ns = list(self._times_ns)
        if len(times_ns) < 2 or max(self._silent_s, self._held_s) >= PATIENCE_S:
            return True
        usual_ns = median(later - sooner for sooner, later in pairwise(times_ns))
        return t_ns < times_ns[-1] + _SOONER * usual_ns
