"""The stretches at rest: which one it is now, what it shows, and those that came before it.

A stretch is looked at once it has lasted a moment, before anybody asks, so that a press on a board
at rest finds the answer ready; nothing is read again until something moves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from sensors.interfaces import Frame
from vision.tracking.appearance import appearance_of, same_appearance
from vision.tracking.motion_gate import MotionGate
from vision.tracking.observer import BoardObserver, Observation

AHEAD_NS: Final = 250_000_000
"""A stretch that has lasted so long is looked at; a hand that lays tiles seldom rests longer."""

_AGAIN_NS: Final = 2_000_000_000
"""How often a board is looked for that could not be found or seen, while nothing moves."""

_RETRY_NS: Final = 1_000_000_000
"""How often somebody who waits for a clear view looks at one and the same stretch."""

_KEPT: Final = 3
"""Stretches that are kept from before the press: a hand may have rested in the last."""


@dataclass
class StillSegment:
    """One stretch: its kept frames, newest first, and what they showed if they were looked at."""

    frames: tuple[Frame, ...]
    look: Observation | None = None
    since_ns: int | None = None
    """When it began; None where its kept frames are all that is known of it."""

    def began_by(self, t_ns: int) -> bool:
        """Whether it had begun by then."""
        since = self.frames[-1].t_ns if self.since_ns is None else self.since_ns
        return since <= t_ns

    def spans(self, t_ns: int) -> bool:
        """Whether nothing moved around that moment."""
        return self.began_by(t_ns) and t_ns <= self.frames[0].t_ns


@dataclass
class Attempt:
    """The stretch that somebody looked at last, and when; None before the first time."""

    stretch: int | None = None
    at_ns: int = 0
    clear: bool = False
    """Whether the board was seen."""


class StillnessTracker:
    """Watches frames for one recorder."""

    def __init__(self, observer: BoardObserver) -> None:
        self._observer = observer
        self._settler = MotionGate()
        self._settler.set_roi(observer.corners)
        self._look: Observation | None = None
        self._looked_at: int | None = None
        """The stretch that was looked at last."""
        self._looked_ns = 0
        self._size: tuple[int, ...] = ()
        self.earlier: deque[StillSegment] = deque(maxlen=_KEPT)
        """Stretches of this turn that are over, oldest first."""

    @property
    def number(self) -> int:
        """The present stretch's: a new one means that something moved in between."""
        return self._settler.stretches

    @property
    def present(self) -> Observation | None:
        """What the present stretch showed, if it was looked at already."""
        return self._look if self.looked else None

    @property
    def looked(self) -> bool:
        """Whether the present stretch was looked at already."""
        return self._looked_at == self.number

    def settled(self, at_ns: int) -> bool:
        """Whether the board is at rest at ``at_ns``, as far as frames tell."""
        return self._settler.settled(at_ns)

    @property
    def still_ns(self) -> int | None:
        """When the newest frame was taken, if nothing had moved since the one before it."""
        return self._settler.still_ns

    def due(self, last: Attempt, now_ns: int) -> bool:
        """Whether to look at the present stretch now; ``last`` then says that it was.

        Every stretch is looked at as soon as it is at rest and, until the board was seen in it,
        again from time to time: a view may clear up without a movement that is noticed.
        """
        waited = not last.clear and now_ns - last.at_ns >= _RETRY_NS
        if not (waited or last.stretch != self.number) or not self.settled(now_ns):
            return False
        last.stretch, last.at_ns, last.clear = self.number, now_ns, False
        return True

    def look_at_press(self, press_ns: int) -> Observation | None:
        """What the board showed at a press, if it was at rest then.

        A press may be heard of a little late, when the stretch that it fell into is over.
        """
        if self._settler.settled(press_ns):
            return self.look()
        rest = next((rest for rest in self.earlier if rest.spans(press_ns)), None)
        return None if rest is None else self.look_at(rest)

    def add(self, frame: Frame, since_ns: int | None) -> None:
        """Take the next frame; stretches are kept with the frames after ``since_ns``."""
        self._resize(frame)
        kept = self._settler.frames()
        was_settled = self._settler.settled(frame.t_ns)
        number, from_ns = self.number, self._settler.still_from_ns
        if self._settler.add(frame) and was_settled:
            rest = tuple(f for f in kept if since_ns is None or f.t_ns > since_ns)
            if rest:
                look = self._look if self._looked_at == number else None
                self.earlier.append(StillSegment(rest, look, from_ns))

    def look_ahead(self, now_ns: int) -> Observation | None:
        """Look at the present stretch if it has lasted long enough and is new.

        One in which the board was not found, or was covered, is looked at again after a while.
        """
        if not self._settler.settled(now_ns, AHEAD_NS):
            return None
        if self._looked_at == self.number:
            seen = self._look is not None and not self._look.covered
            if seen or now_ns - self._looked_ns < _AGAIN_NS:
                return None
        return self._look_now()

    def look(self) -> Observation | None:
        """What the present stretch shows, by its newest frame.

        It is read again where something was unclear, or where a square looks otherwise than when
        it was read: too little may have moved to be noticed.
        """
        frames = self._settler.frames()
        look = self._look
        if self._looked_at != self.number or look is None or not frames:
            return self._look_now()
        newest = frames[0]
        if newest.seq == look.frame.seq:
            return look
        if not look.whole:
            return self._look_now()
        looks = appearance_of(newest.image, look.reading.corners)
        if not same_appearance(look.looks, looks).all():
            return self._look_now()
        self._look = replace(look, frame=newest, looks=looks)
        return self._look

    def look_at(self, rest: StillSegment) -> Observation | None:
        """What an earlier stretch showed."""
        if rest.look is None:
            rest.look = self._observer.look(rest.frames)
        return rest.look

    def set_roi(self) -> None:
        """Watch the board where it was seen last."""
        self._settler.set_roi(self._observer.corners)

    @property
    def aimed(self) -> bool:
        """Whether it is known where the board is."""
        return self._settler.aimed

    def _look_now(self) -> Observation | None:
        frames = self._settler.frames()
        self._look = self._observer.look(frames)
        self._looked_at = self.number
        if frames:
            self._looked_ns = frames[0].t_ns
        return self._look

    def _resize(self, frame: Frame) -> None:
        """A camera that was replaced may deliver another size: the board lies there to scale."""
        size = frame.image.shape[:2]
        if self._size and size != self._size:
            self._observer.rescale(size[1] / self._size[1], size[0] / self._size[0])
            self._settler.set_roi(self._observer.corners)
            self.earlier.clear()
        self._size = size
