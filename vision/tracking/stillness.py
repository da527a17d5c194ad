"""Detects the still segments of a video, and observes the board in them.

A *still segment* is a run of frames between which nothing moved: all of them show the same board.
It is observed as soon as the board is at rest, so that a press finds the reading ready. It is not
read again until something moves, but for squares that were unclear.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final

import numpy as np

from game.board import EMPTY, UNREADABLE, Square
from sensors.interfaces import Frame
from vision.reading import symbols_of
from vision.rectify import Corners, Image, quarter_turns
from vision.tracking.appearance import appearance_of, same_appearance
from vision.tracking.arms import (
    LEAST,
    ArmLikelihood,
    Arms,
    arm_likelihood,
    lines_under,
    reach_of,
    with_tiles,
)
from vision.tracking.board_watch import UNKNOWN, BoardWatch, Placement
from vision.tracking.observer import BoardObserver
from vision.tracking.parameters import AGAIN_NS, SETTLE_NS, SQUARE
from vision.tracking.sighting import Observation, Sighting

_KEPT: Final = 3
"""The number of frames kept of a segment, to be read and combined, and of past segments kept."""

_OVER: Final = 1.5
"""An arm is over the board if it is so far in, in squares; not if it rests at the rim. Tiles along
the rim are less far in, however many."""

AT_RIM: Final = LEAST // 2
"""Least pixels of an arm that comes in over the rim: most of it is beside the board."""


@dataclass
class StillSegment:
    """One still segment: its kept frames, newest first, and their observation if there is one."""

    frames: tuple[Frame, ...]
    since_ns: int
    """Time of its first frame."""
    observation: Observation | None = None
    observed_ns: int | None = None
    """Time of the newest frame in which a board was looked for, found or not; None if in none."""

    def began_by(self, t_ns: int) -> bool:
        """True if the segment began at ``t_ns`` or before."""
        return self.since_ns <= t_ns

    def spans(self, t_ns: int) -> bool:
        """True if ``t_ns`` lies within the segment."""
        return self.since_ns <= t_ns <= self.frames[0].t_ns


@dataclass
class Attempt:
    """The last attempt of one caller at a clear view; ``segment_id`` is None before the first."""

    segment_id: int | None = None
    at_ns: int = 0
    clear: bool = False
    """True if the attempt gave a clear view."""


class StillnessTracker:
    """Segments the frames of one game, and observes the board in each still segment."""

    def __init__(self, observer: BoardObserver) -> None:
        self._observer = observer
        self._watch = BoardWatch(observer.corners)
        self._before = self._watch
        """The watch of the place at which the board lay before."""
        self._now = StillSegment((), 0)
        """The current segment."""
        self.segment_id = 0
        """The number of the current segment: a new number means that something moved in between."""
        self._sought_ns = -AGAIN_NS
        self.earlier: deque[StillSegment] = deque(maxlen=_KEPT)
        """The past segments of this turn, oldest first: a hand may have rested in one."""

    # --- frames ---

    def add(self, frame: Frame, since_ns: int | None = None) -> bool:
        """Take the next frame; return True if something moved since the frame before.

        If the frame ends a segment, only that segment's frames after ``since_ns`` are kept.
        """
        now, t_ns = self._now, frame.t_ns
        last = now.frames[0] if now.frames else None
        if last is not None and frame.image.shape != last.image.shape:
            self._rescale(last, frame)
        segment = self.newest(since_ns)
        moved = self._watch.add(frame)
        if moved and segment is not None:
            self.earlier.append(segment)
        if moved or last is None or t_ns - last.t_ns > AGAIN_NS:
            self._now = StillSegment((frame,), t_ns)
            self.segment_id += 1
        else:
            near = len(now.frames) > 1 and last.t_ns - now.frames[1].t_ns < SETTLE_NS
            now.frames = (frame, *now.frames[near:])[:_KEPT]
        return moved

    def add_dark(self, frame: Frame) -> None:
        """Take a frame that is too dark to be read: it belongs to no segment."""
        self._watch.add_dark(frame)

    def is_settled(self, at_ns: int) -> bool:
        """Return True if the board was at rest at ``at_ns``, by the frames so far."""
        still_ns, since_ns = self.still_ns, self._now.since_ns
        if still_ns is None or still_ns - since_ns < SETTLE_NS:
            return False
        return since_ns <= at_ns <= still_ns + AGAIN_NS

    @property
    def still_ns(self) -> int | None:
        """Time of the newest frame if nothing has moved since the previous frame; else None."""
        now = self._now
        return now.frames[0].t_ns if len(now.frames) > 1 else None

    def newest(self, since_ns: int | None) -> StillSegment | None:
        """Return the current segment with its frames after ``since_ns``; None if it is not at rest.

        A camera that has failed goes on showing its last segment.
        """
        still_ns = self.still_ns
        if still_ns is None or not self.is_settled(still_ns):
            return None
        frames = self._now.frames
        frames = tuple(frame for frame in frames if since_ns is None or frame.t_ns > since_ns)
        return replace(self._now, frames=frames) if frames else None

    # --- observations ---

    @property
    def observed(self) -> bool:
        """True if a board was looked for in the current segment, found or not."""
        return self._now.observed_ns is not None

    @property
    def current(self) -> Observation | None:
        """The observation of the current segment; None if there is none."""
        return self._now.observation

    def attempt(self, last: Attempt, now_ns: int) -> bool:
        """Return True if the current segment is to be observed now, and note it in ``last``.

        It is to be as soon as the board is at rest, and again every ``AGAIN_NS`` until a view is
        clear:
        occlusion may end without a movement that is detected.
        """
        waited = not last.clear and now_ns - last.at_ns >= AGAIN_NS
        new = last.segment_id != self.segment_id
        if not (waited or new) or not self.is_settled(now_ns):
            return False
        last.segment_id, last.at_ns, last.clear = self.segment_id, now_ns, False
        return True

    def observe_ahead(self, now_ns: int) -> Observation | None:
        """Observe the current segment if it is at rest and was not observed, or not completely.

        A segment without a board, or with a large occlusion, is observed again after ``AGAIN_NS``;
        one with a few unread squares, in the next frames. Returns None if nothing new was observed.
        """
        now = self._now
        if not self.is_settled(now_ns):
            return None
        if now.observed_ns is None:
            return self._observe(now.frames)
        last, waited_ns = now.observation, now_ns - now.observed_ns
        if last is None or last.covered:
            return self.observe() if waited_ns >= AGAIN_NS else None
        more = not last.complete and len(last.parts) < _KEPT and waited_ns >= SETTLE_NS
        return self.observe() if more else None

    def observe(self) -> Observation | None:
        """Observe the current segment by its newest frame.

        The frame is read only if a square was unclear, or looks different from when it was read: a
        movement may have been too small to be detected.
        """
        now = self._now
        last = now.observation
        if last is None:
            return self._observe(now.frames)
        newest = now.frames[0]
        if newest.seq == last.frame.seq:
            return last
        if not last.complete and len(last.parts) < _KEPT:
            return self._observe((newest, *(frame for frame, _ in last.parts)))
        appearance = last.appearance
        if not self._watch.unchanged(last.frame.t_ns, newest.t_ns):
            appearance = appearance_of(newest.image, last.reading.corners)
            if not same_appearance(last.appearance, appearance).all():
                return self._observe(now.frames)
        now.observation = replace(last, frame=newest, appearance=appearance)
        now.observed_ns = newest.t_ns
        return now.observation

    def observe_at_press(self, press_ns: int) -> Observation | None:
        """Observe the board as it was at a press; return None if it was not at rest then.

        The segment at the press may be over already when the press is reported.
        """
        if self.is_settled(press_ns):
            return self.observe()
        segment = next((one for one in self.earlier if one.spans(press_ns)), None)
        return None if segment is None else self.observe_segment(segment)

    def observe_segment(self, segment: StillSegment) -> Observation | None:
        """Observe an earlier segment."""
        if segment.observation is None:
            segment.observation = self._observer.observe(segment.frames)
        return segment.observation

    def _observe(self, frames: Sequence[Frame]) -> Observation | None:
        """Observe the current segment by these frames, newest first."""
        now = self._now
        now.observation = found = self._observer.observe(frames, now.observation)
        now.observed_ns = frames[0].t_ns if frames else None
        if found is None or found.covered or self._watch.corners is None:
            return found
        if self._turns_to(found.reading.corners) is None:
            # Watched where it lay before, a tile that is laid at its edge would not be noticed.
            self._know_bare(found)
        return found

    # --- the board's place and its squares ---

    def watch_board(self) -> None:
        """Detect motion only at the place where the board was seen last."""
        self._watch = BoardWatch(self._observer.corners)

    def find_board(self, now_ns: int) -> None:
        """Look for a board that was not found yet, while something moves: once in ``AGAIN_NS``.

        The small pictures from then on tell who laid the tiles that lie there when the board first
        comes to rest.
        """
        known = self._observer.corners is not None
        if known or not self._now.frames or now_ns - self._sought_ns < AGAIN_NS:
            return
        self._sought_ns = now_ns
        found = self._observer.observe(self._now.frames[:1])
        if found is not None:
            self._know_bare(found)

    def remember(self, sighting: Sighting, *, first: bool = False) -> None:
        """Take a committed sighting as the reference of the board's place and appearance.

        ``first``: it is the first clear view of a board that was found earlier, so that its tiles
        were laid between the two.
        """
        turns = quarter_turns(self._watch.corners, sighting.reading.corners)
        if turns and self._observer.guessed:
            self._watch.turn(turns)
        elif turns != 0:
            self._watch_from(sighting.frame, sighting.reading.corners)
        self.know(sighting, first=first)

    def know(self, sighting: Sighting, *, first: bool = False) -> None:
        """Take the appearance of the squares in plain sight as their reference."""
        merged = sighting.merged
        symbols = symbols_of(merged.rows)
        other = sighting.observation.not_of_frame
        hidden = merged.covered | (symbols == UNREADABLE) | (False if other is None else other)
        if first and self._watch.known is not None:
            hidden |= symbols != EMPTY
        self._watch.know(sighting.frame.t_ns, hidden)

    def _know_bare(self, found: Observation) -> None:
        """Detect motion where a picture shows the board; its bare squares become references."""
        reading = found.reading
        if quarter_turns(self._watch.corners, reading.corners) != 0:
            self._watch_from(found.frame, reading.corners)
        symbols = symbols_of(reading.rows)
        bare = (symbols == EMPTY) & (reading.confidence >= SQUARE.sure)
        self._watch.know(found.frame.t_ns, ~bare)

    def _watch_from(self, frame: Frame, corners: Corners) -> None:
        """Detect motion at these corners, from this frame on."""
        self._before, self._watch = self._watch, BoardWatch(corners)
        self._watch.add(frame)

    def _rescale(self, last: Frame, frame: Frame) -> None:
        """Scale the board's place: a new camera delivers another picture size."""
        down, across = np.divide(frame.image.shape[:2], last.image.shape[:2])
        self._observer.rescale(float(across), float(down))
        self.watch_board()
        self.earlier.clear()

    def _turns_to(self, corners: Corners) -> int | None:
        """Return the quarter turns clockwise from the board that is watched to one at ``corners``.

        None if it lies elsewhere, or is turned although its letters tell its orientation.
        """
        turns = quarter_turns(self._watch.corners, corners)
        return None if turns and not self._observer.guesses else turns

    def _watch_at(self, corners: Corners) -> tuple[BoardWatch, int | None]:
        """Return the watch of the place now or before, and the turns as ``_turns_to`` has them."""
        turns = self._turns_to(corners)
        if turns is not None:
            return self._watch, turns
        return self._before, quarter_turns(self._before.corners, corners)

    def lay_until(self, corners: Corners, from_ns: int, to_ns: int) -> int:
        """Return when the board was last seen at these corners, here or before, in an interval."""
        return self._watch_at(corners)[0].as_known_until(from_ns, to_ns)

    def placements(self, squares: Iterable[Square], sighting: Sighting) -> dict[Square, Placement]:
        """Return the interval of frames in which the tile on each of these squares was laid."""
        turns = self._turns_to(sighting.reading.corners)
        if turns is None:
            return dict.fromkeys(squares, UNKNOWN)
        return self._watch.placements(squares, sighting.frame.t_ns, turns)

    def arm_likelihoods(
        self,
        corners: Corners,
        spans: Mapping[Square, tuple[int, int]],
        seen_ns: int,
        tiles: Iterable[Square],
        least: int = LEAST,
    ) -> dict[Square, ArmLikelihood]:
        """Return the log-likelihood of the arms seen over tiles, by the direction they come from.

        Args:
            corners: the board's corners, the first of them at the first square; here or before.
            spans: the interval, in ns, in which an arm over each square is evidence.
            seen_ns: a time at which all tiles on the board were in plain sight.
            tiles: the squares of the tiles.
            least: the least pixels of an arm.
        """
        watch, turns = self._watch_at(corners)
        bare = self._bare(watch, turns, seen_ns, tiles)
        if not bare or turns is None or not spans:
            return {}
        first_ns, last_ns = (
            f(span[at] for span in spans.values()) for at, f in enumerate((min, max))
        )
        shown = watch.between(first_ns, last_ns, SETTLE_NS)
        pictures = [*shown, *watch.in_the_dark(first_ns, last_ns)]
        arms = Arms(bare, {t_ns: np.rot90(one, turns) for t_ns, one in pictures}, least)
        found = {}
        for square, (from_ns, to_ns) in spans.items():
            times = [t_ns for t_ns, _ in shown if from_ns <= t_ns <= to_ns]
            every = [t_ns for t_ns, _ in pictures if from_ns <= t_ns <= to_ns]
            before = watch.between(from_ns - AGAIN_NS, from_ns, AGAIN_NS)
            over = arms.over(square, every, [np.rot90(one, turns) for _, one in before])
            gaps = (until - since for since, until in pairwise([from_ns, *times, to_ns]))
            if over or max(gaps) < AGAIN_NS:  # a hand that nobody could see tells nothing
                lines = lines_under(over, corners, square)
                found[square] = arm_likelihood(lines, any_arm=bool(over))
        return found

    def arms_over(
        self, corners: Corners, seen_ns: int, tiles: Iterable[Square]
    ) -> list[tuple[ArmLikelihood, bool]]:
        """Return the log-likelihood of each arm that reaches over the board in the newest frame.

        With each, True if it lies right across the board: it may be two arms that touch. The
        arguments are those of ``arm_likelihoods``.
        """
        watch, turns = self._watch_at(corners)
        bare, newest = self._bare(watch, turns, seen_ns, tiles), watch.newest
        if not bare or turns is None or newest is None:
            return []
        found = []
        for arm in Arms(bare, {0: np.rot90(newest, turns)}, AT_RIM).at(0):
            tips, depth = reach_of(arm)
            lines = [lines_under([arm], corners, tip) for tip in chain(*tips)]
            if lines and depth >= _OVER:
                each = [arm_likelihood(one, any_arm=True) for one in lines]
                across = any(one and other for one, other in zip(tips, tips[2:], strict=False))
                found.append((np.logaddexp.reduce(each) - np.log(len(each)), across))
        return found

    def _bare(
        self, watch: BoardWatch, turns: int | None, seen_ns: int, tiles: Iterable[Square]
    ) -> list[Image]:
        """Return references of the board without arms; empty if there are none."""
        if watch.known is None or turns is None:
            return []
        bare = [np.rot90(watch.known, turns)]
        for _, one in watch.between(seen_ns - AGAIN_NS, seen_ns, 0)[-1:]:
            bare.append(with_tiles(bare[0], np.rot90(one, turns), tiles))  # nor is a tile an arm
        return bare
