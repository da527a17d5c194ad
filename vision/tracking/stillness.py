"""The still segments of a video: the current one, its observation, and those before it.

A segment is observed once it has lasted a moment, before anybody asks, so that a press on a board
at rest finds the reading ready; nothing is read again until something moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, UNREADABLE, Square
from sensors.interfaces import Frame
from vision.rectify import Corners
from vision.tracking.appearance import appearance_of, same_appearance
from vision.tracking.arm_ways import way_of_arms
from vision.tracking.hand_watch import OPPOSITE
from vision.tracking.motion_gate import MotionGate, quarter_turns
from vision.tracking.observer import BoardObserver
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.small_pictures import SmallPictures
from vision.tracking.square_history import UNKNOWN, Placement, SquareHistory
from vision.tracking.view_doubts import reads_empty

AHEAD_NS: Final = 250_000_000
"""A segment that has lasted so long is observed; a hand that places tiles seldom rests longer."""

_RESTLESS_NS: Final = 1_500_000_000
"""A board that a shadow never lets come to rest is observed after so long, as soon as nothing has
moved for a moment."""

_AGAIN_NS: Final = 2_000_000_000
"""Interval between attempts to find a board that was not found or was covered, while nothing
moves."""

_SPACING_NS: Final = 200_000_000
"""Interval between the readings of one segment in which something was unclear, ..."""

_MOST_READ: Final = 3
"""... and how many frames are read and combined."""

_RETRY_NS: Final = 1_000_000_000
"""Interval between observations of one segment for somebody who waits for a clear view."""

_AT_PRESS_NS: Final = 1_500_000_000
"""So long before a press the hand that presses is looked for."""

_MOST_PICTURES: Final = 8
"""A hand is looked for in so many pictures."""

_MAX_EARLIER: Final = 3
"""Segments kept from before the press: a hand may have rested in the last."""


@dataclass
class StillSegment:
    """One segment: its kept frames, newest first, and their observation if there is one."""

    frames: tuple[Frame, ...]
    observation: Observation | None = None
    since_ns: int | None = None
    """When it began; None where only its kept frames are known."""

    @classmethod
    def of(cls, observation: Observation) -> StillSegment:
        """Return the segment of which only an observation is kept."""
        return cls((observation.frame,), observation)

    def began_by(self, t_ns: int) -> bool:
        """Return True if it had begun by then."""
        since = self.frames[-1].t_ns if self.since_ns is None else self.since_ns
        return since <= t_ns

    def spans(self, t_ns: int) -> bool:
        """Return True if nothing moved around that moment."""
        return self.began_by(t_ns) and t_ns <= self.frames[0].t_ns


@dataclass
class Attempt:
    """Somebody's last attempt at a clear view; ``segment_id`` is None before the first."""

    segment_id: int | None = None
    at_ns: int = 0
    clear: bool = False
    """True if the board was seen."""


class StillnessTracker:
    """Watches the frames of one game for still segments and observes the board in them."""

    def __init__(self, observer: BoardObserver) -> None:
        self._observer = observer
        self._gate = MotionGate()
        self._gate.set_roi(observer.corners)
        self._observation: Observation | None = None
        self._observed_segment: int | None = None
        self._observed_ns = 0
        self._sought_ns = -_RETRY_NS
        self._size: tuple[int, ...] = ()
        self.earlier: deque[StillSegment] = deque(maxlen=_MAX_EARLIER)
        """The segments of this turn that are over, oldest first."""

    @property
    def segment_id(self) -> int:
        """The number of the current segment: a new one means that something moved in between."""
        return self._gate.segment_id

    @property
    def current(self) -> Observation | None:
        """The observation of the current segment, if there is one."""
        return self._observation if self.observed else None

    @property
    def observed(self) -> bool:
        """True if the current segment was observed, whether a board was found or not."""
        return self._observed_segment == self.segment_id

    def is_settled(self, at_ns: int) -> bool:
        """Return True if the board is at rest at ``at_ns``, by the frames so far."""
        return self._gate.is_settled(at_ns)

    def is_at_rest(self, now_ns: int) -> bool:
        """Return True if the current segment has lasted long enough to be observed ahead."""
        return self._gate.is_settled(now_ns, AHEAD_NS)

    @property
    def still_ns(self) -> int | None:
        """Time of the newest frame, if nothing had moved since the one before it."""
        return self._gate.still_ns

    def attempt(self, last: Attempt, now_ns: int) -> bool:
        """Return True, and note it in ``last``, if the current segment is to be observed now.

        Every segment is observed as soon as it is settled and, until the board was seen in it,
        again from time to time: a view may clear up without a movement that is noticed.
        """
        waited = not last.clear and now_ns - last.at_ns >= _RETRY_NS
        new = last.segment_id != self.segment_id
        if not (waited or new) or not self.is_settled(now_ns):
            return False
        last.segment_id, last.at_ns, last.clear = self.segment_id, now_ns, False
        return True

    def observe_at_press(self, press_ns: int) -> Observation | None:
        """Observe the board as it was at a press; return None if it was not at rest then.

        A press may be reported a little late, when the segment that it fell into is over.
        """
        if self._gate.is_settled(press_ns):
            return self.observe()
        segment = next((one for one in self.earlier if one.spans(press_ns)), None)
        return None if segment is None else self.observe_segment(segment)

    def add(self, frame: Frame, since_ns: int | None) -> None:
        """Take the next frame; of a segment that ends, keep the frames after ``since_ns``."""
        self._follow_size(frame)
        segment = self.newest(since_ns)
        if self._gate.add(frame) and segment is not None:
            self.earlier.append(segment)

    def newest(self, since_ns: int | None) -> StillSegment | None:
        """Return the current segment, with its frames after ``since_ns``.

        None if something moved just before its last frame. That may be long ago: a camera that
        fails has shown the board until then.
        """
        at_ns = self._gate.latest_ns
        if at_ns is None or not self._gate.is_settled(at_ns):
            return None
        kept = self._gate.frames()
        frames = tuple(f for f in kept if since_ns is None or f.t_ns > since_ns)
        if not frames:
            return None
        return StillSegment(frames, self.current, self._gate.still_from_ns)

    def observe_ahead(self, now_ns: int, *, restless: bool = False) -> Observation | None:
        """Observe the current segment if it has lasted long enough and is new.

        One in which the board was not found, or was covered, is observed again after a while.
        With ``restless``, a shorter one is observed if none was for a while.
        """
        late = restless and now_ns - self._observed_ns >= _RESTLESS_NS
        if not (self.is_at_rest(now_ns) or (late and self.is_settled(now_ns))):
            return None
        last, waited = self._observation, now_ns - self._observed_ns
        if not self.observed:
            return self._observe_now()
        if last is None or last.covered:
            return self._observe_now() if waited >= _AGAIN_NS else None
        if not last.complete and len(last.parts) < _MOST_READ and waited >= _SPACING_NS:
            return self.observe()
        return None

    def observe(self) -> Observation | None:
        """Observe the current segment by its newest frame.

        It is read again where something was unclear, or where a square looks different from when it
        was read: too little may have moved to be noticed.
        """
        frames, last = self._gate.frames(), self.current
        if last is None or not frames:
            return self._observe_now()
        newest = frames[0]
        if newest.seq == last.frame.seq:
            return last
        if not last.complete and len(last.parts) < _MOST_READ:
            return self._observe_now((newest, *(frame for frame, _ in last.parts)))
        if self._gate.history.unchanged(last.frame.t_ns, newest.t_ns):
            self._observation = replace(last, frame=newest)
            return self._observation
        appearance = appearance_of(newest.image, last.reading.corners)
        if not same_appearance(last.appearance, appearance).all():
            return self._observe_now()
        self._observation = replace(last, frame=newest, appearance=appearance)
        return self._observation

    def observe_segment(self, segment: StillSegment) -> Observation | None:
        """Observe an earlier segment."""
        if segment.observation is None:
            segment.observation = self._observer.observe(segment.frames)
        return segment.observation

    def remember(self, sighting: Sighting, *, first: bool = False) -> None:
        """Watch for motion where the board was seen, and know its squares by how they look.

        If the board was found before its ``first`` clear view, the tiles in that view were laid in
        between.
        """
        self._gate.set_roi(self._observer.corners, guessed=self._observer.guessed)
        merged = sighting.merged
        symbols = np.array([list(row) for row in merged.rows])
        other = None if sighting.observation is None else sighting.observation.not_of_frame
        hidden = merged.covered | (symbols == UNREADABLE) | (False if other is None else other)
        if first and self._gate.history.known is not None:
            hidden |= symbols != EMPTY
        self._gate.history.know(sighting.frame.t_ns, hidden)

    def placements(self, squares: Iterable[Square], sighting: Sighting) -> dict[Square, Placement]:
        """Return between which frames the tiles of a sighting were laid on these squares."""
        turns = self._turns_to(sighting.reading.corners)
        if turns is None:
            return dict.fromkeys(squares, UNKNOWN)
        return self._gate.history.placements(squares, sighting.frame.t_ns, turns)

    def hand_changed(
        self, tiles: Mapping[Square, Placement], press_ns: int, corners: Corners
    ) -> bool:
        """Return True if one of these tiles came from another side than the hand at a press.

        ``corners`` are the board's in the view that shows the tiles.
        """
        pressing = self.arm_way(corners, press_ns - _AT_PRESS_NS, press_ns)
        for square, placement in tiles.items():
            if placement.after_ns is None or placement.by_ns is None or pressing is None:
                continue
            laying = self.arm_way(corners, placement.after_ns, placement.by_ns, square)
            if laying is not None and float(pressing @ laying) <= OPPOSITE:
                return True
        return False

    def arm_way(
        self, corners: Corners, from_ns: int, to_ns: int, square: Square | None = None
    ) -> NDArray[np.float64] | None:
        """Return the way from which the arms came that were over the board then, if it is one.

        Args:
            corners: the board's, in the view that its squares are counted by.
            from_ns: since when.
            to_ns: until when.
            square: only arms over it count.
        """
        known, turns = self.history.known, self._turns_to(corners)
        if known is None or turns is None:
            return None
        shown = self.history.between(from_ns, to_ns, _MOST_PICTURES)
        plain = np.rot90(known, turns).astype(np.float32)
        return way_of_arms([np.rot90(one, turns) for one in shown], plain, corners, square)

    def _turns_to(self, corners: Corners) -> int | None:
        """Return how many corners further clockwise a board begins than its history.

        None if it lies elsewhere, or is turned although its letters show which way round it lies.
        """
        roi = self._gate.roi
        turns = None if roi is None else quarter_turns(roi, corners)
        return None if turns and not self._observer.guesses else turns

    def watch_board(self) -> None:
        """Watch for motion where the board was seen last."""
        self._gate.set_roi(self._observer.corners)

    @property
    def history(self) -> SquareHistory:
        """How the squares looked in the last seconds, of the board at ``roi``."""
        return self._gate.history

    @property
    def pictures(self) -> SmallPictures:
        """Makes the small pictures of its frames."""
        return self._gate.pictures

    @property
    def roi(self) -> Corners | None:
        """The board's corners where it watches."""
        return self._gate.roi

    def find_board(self, now_ns: int) -> Frame | None:
        """Look for a board that was not seen yet while something moves: once a second.

        It is watched from then on, so that it is known later who laid which tiles before it was
        first at rest. Returns the frame that shows it; None if it was not found.
        """
        frames = self._gate.frames()
        known = self._observer.corners is not None
        if known or not frames or now_ns - self._sought_ns < _RETRY_NS:
            return None
        self._sought_ns = now_ns
        found = self._observer.observe(frames[:1])
        if found is None:
            return None
        self._gate.find(found.frame, found.reading.corners, reads_empty(found.reading))
        return found.frame

    def _observe_now(self, frames: Sequence[Frame] | None = None) -> Observation | None:
        """Observe the current segment by its frames, or by some of them, newest first."""
        frames = self._gate.frames() if frames is None else frames
        self._observation = self._observer.observe(frames, self.current)
        self._observed_segment = self.segment_id
        if frames:
            self._observed_ns = frames[0].t_ns
        self._follow_board()
        return self._observation

    def _follow_board(self) -> None:
        """Watch a board that was moved or turned where it lies now.

        Watched where it lay before, a tile that is laid at its edge would not be noticed.
        """
        found, roi = self._observation, self._gate.roi
        if found is None or found.covered or roi is None:
            return
        turns = quarter_turns(roi, found.reading.corners)
        if turns is None or (turns and not self._observer.guesses):
            self._gate.follow(found.frame, found.reading.corners, reads_empty(found.reading))

    def _follow_size(self, frame: Frame) -> None:
        """Scale the board's place if a camera that was replaced delivers another picture size."""
        size = frame.image.shape[:2]
        if self._size and size != self._size:
            self._observer.rescale(size[1] / self._size[1], size[0] / self._size[0])
            self._gate.restart(self._observer.corners)
            self.earlier.clear()
        self._size = size
