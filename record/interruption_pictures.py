"""Pictures taken between presses: stops, rulings, bumps, trouble, the set-up, and thinking.

While the clock is stopped in a game, and for a while after its end, a frame is kept every second
and at every change. When something is entered, when the table is in trouble, or when most of the
picture changes at once, frames are kept for some seconds. Before the first press only changes are
kept. A long stop without changes gets fewer pictures, and each stretch a limited number, so that an
unattended table fills no disk. ``record.evidence`` stops pictures on a full disk, and
``record.retention`` deletes old ones. Between these, ``record.thinking_pictures`` keeps small ones.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from game.events import FACTS, Event, Picture, PicturesKept, TroubleNoted
from game.state.fold import GameState
from record.picture_change import CHANGED, difference, shrunk
from record.picture_keeper import PictureKeeper
from record.thinking_pictures import ThinkingPictures
from sensors.interfaces import Frame

SECOND: Final = 1_000_000_000
EVERY_NS: Final = SECOND
LOOK_NS: Final = SECOND // 5
"""The time between two checks for a change, and the least time between two pictures of changes."""

LONG_NS: Final = 10 * 60 * SECOND
THINLY_NS: Final = 10 * SECOND
"""The time between two pictures after ``LONG_NS`` of a stop, apart from changes."""

AFTER_END_NS: Final = 120 * SECOND
LINGER_NS: Final = 5 * SECOND
"""The time for which pictures are kept after a ruling, a bump or trouble."""

MOST: Final = 1500
"""The most pictures of one stretch."""
MOST_AT_SETUP: Final = 120

_BUMPED: Final = 0.5
"""The least share of changed blocks that is a bump or a change of light: no hand covers so much."""


class InterruptionPictures:
    """Keeps the pictures of one game's interruptions."""

    def __init__(self, keeper: PictureKeeper) -> None:
        self._keeper = keeper
        self.thinking = ThinkingPictures(keeper)
        """The pictures of the turn that is being made."""
        self._known: int | None = None
        """How many events of the game have been handled; None before the first frame."""
        self._stretch: str = ""
        """The stretch in progress: ``stopped``, ``setup``, or empty if none is."""
        self._since_ns = 0
        self._count = 0
        self._last_ns: int | None = None
        """When the newest picture was kept."""
        self._looked_ns: int | None = None
        self._kept: np.ndarray | None = None
        """The newest picture kept, as ``shrunk`` gives it."""
        self._before: np.ndarray | None = None
        """The newest picture compared, as ``shrunk`` gives it."""
        self._linger: tuple[str, int] = ("", 0)
        """A role, and the time until which frames are kept for it."""

    def frame(self, frame: Frame, state: GameState, *, pending: bool) -> list[PicturesKept]:
        """Take the next frame; return the events to record.

        ``pending``: a turn has ended but is not logged yet, so the pictures are of that turn.
        """
        now = frame.t_ns
        self._enter(state, now)
        self._note_events(state, now)
        if self._looked_ns is not None and now - self._looked_ns < LOOK_NS:
            return []
        self._looked_ns = now
        small = shrunk(frame.image)
        if self._before is not None and difference(small, self._before) > _BUMPED:
            self._linger = ("bumped", now + LINGER_NS)
        self._before = small
        thought = self.thinking.frame(frame, small, state)
        role = self._role(now, small)
        sha = self._keeper.store(frame) if role else None
        if sha is None:
            return thought
        self._last_ns, self._kept = now, small
        self._count += 1
        turn = len(state.turns) + pending
        return [*thought, PicturesKept(turn, (Picture(role, sha, now),), now)]

    def _enter(self, state: GameState, now_ns: int) -> None:
        stretch = _stretch_of(state, now_ns)
        if stretch != self._stretch:
            self._stretch, self._since_ns, self._count = stretch, now_ns, 0
            self._last_ns = self._kept = None

    def _note_events(self, state: GameState, now_ns: int) -> None:
        events = state.progress.events
        new = () if self._known is None else events[self._known :]
        self._known = len(events)
        for event in new:
            if role := _role_of(event):
                self._linger = (role, now_ns + LINGER_NS)
                self._last_ns = None  # the next frame is kept at once

    def _role(self, now_ns: int, small: np.ndarray) -> str:
        """Return the reason for keeping a frame; empty if the frame is not kept."""
        most = MOST_AT_SETUP if self._stretch == "setup" else MOST
        if self._count >= most:
            return ""
        role, until = self._linger
        lingers = now_ns <= until
        if not self._stretch and not lingers:
            return ""
        changed = self._kept is None or difference(small, self._kept) > CHANGED
        apart = EVERY_NS if now_ns - self._since_ns < LONG_NS or lingers else THINLY_NS
        due = self._last_ns is None or now_ns - self._last_ns >= apart
        if self._stretch == "setup" and not lingers:
            return "setup" if changed and due else ""
        if not due and not (changed and self._stretch):
            return ""
        return role if lingers else self._stretch


def _stretch_of(state: GameState, now_ns: int) -> str:
    if not state.timed:
        return ""
    if state.status == "waiting":
        return "setup"
    if state.status == "running":
        return "stopped" if state.clocks.running is None else ""
    if state.signed is not None:
        return ""
    ended = max(state.progress.stopped_ns or 0, *(turn.press_ns for turn in state.turns[-1:]), 0)
    return "stopped" if now_ns - ended < AFTER_END_NS else ""


def _role_of(event: Event) -> str:
    if isinstance(event, TroubleNoted):
        return "trouble"
    return "" if isinstance(event, FACTS) else "ruled"
