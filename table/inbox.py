"""The queue from the devices of a running table to the loop that records them.

Items are given out in the order in which they happened. A press arrives at once, but a picture some
time after it was taken, so a press waits until the earlier pictures have come. If none comes
because the camera has failed, it waits for ``PATIENCE_S``, and later presses do not wait.

A loop that is behind gets fewer pictures: the newest before each waiting press, and the newest of
all. So a turn is always read from the board at its press, however late it is processed.
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
"""The most frames between two presses that wait for the loop."""

_MOST: Final = 24
"""The most frames that wait for the loop in all, to save memory."""

PATIENCE_S: Final = 1.0
"""The longest time that a press waits for earlier pictures; any camera is faster."""

_INTERVALS: Final = 15
"""The number of newest pictures from which the camera's usual interval is computed."""

_SOONER: Final = 0.9
"""The next picture is not expected before this share of the usual interval has passed."""

_QUIET_S: Final = 0.4
"""After so long without a picture, every picture that was taken has come or is lost."""

_STOOD_STILL_S: Final = 2 * STEP_S
"""If a step of waiting takes this much longer than planned, the process was paused."""


class PostedPress(NamedTuple):
    """A press of a button on a page, which waits for its answer."""

    t_ns: int
    posted: PendingPost


Heard: TypeAlias = Press | PostedPress | TroubleNoted
"""The items that are never dropped."""


class Inbox:
    """The items that devices deliver and the loop takes. Thread-safe."""

    def __init__(self) -> None:
        self._heard: deque[Heard] = deque()
        self._frames: deque[Frame] = deque(maxlen=_MOST)
        self._times_ns: deque[int] = deque(maxlen=_INTERVALS)
        """The times at which the newest pictures were taken."""
        self._silent_s = 0.0
        """The time that the loop has waited without any item since the newest picture."""
        self._held_s = 0.0
        """The time that the loop has waited while a press was the next item."""
        self._changed = threading.Condition()
        self._woken = False

    def put(self, item: Frame | Heard) -> None:
        """Add an item; if too many frames wait since the newest press, drop the oldest of them."""
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
        """Return the time up to which every press has been given out."""
        with self._changed:
            return min([now_ns, *(one.t_ns for one in self._heard)])

    @property
    def quiet(self) -> bool:
        """True if no picture has come for so long that nothing earlier can still arrive.

        After a pause of the process the wait begins again.
        """
        return self._silent_s >= _QUIET_S

    def wake(self) -> None:
        """Make ``get`` return, so that the loop can do something else."""
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
        """Wait for up to ``seconds``; return True if an item can be given out, or if woken."""
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
        """Return True if the next item can be given out."""
        if self._frames and not self._heard_first():
            return True
        if not self._heard:
            return False
        one = self._heard[0]
        return isinstance(one, TroubleNoted) or self._has_seen(one.t_ns)

    def _heard_first(self) -> bool:
        """Return True if the oldest press or trouble is older than the oldest waiting picture."""
        return bool(self._heard) and self._heard[0].t_ns < self._frames[0].t_ns

    def _has_seen(self, t_ns: int) -> bool:
        """Return True if all pictures before a moment have come, or no more are expected."""
        times_ns = list(self._times_ns)
        if len(times_ns) < 2 or max(self._silent_s, self._held_s) >= PATIENCE_S:
            return True
        usual_ns = median(later - sooner for sooner, later in pairwise(times_ns))
        return t_ns < times_ns[-1] + _SOONER * usual_ns
