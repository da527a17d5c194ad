"""The sightings of the open turns, and the turn that waits for a clear view after its press.

Every sighting of a board at rest updates the timeline of the tiles. If every frame is one settled
view (``stills``), a turn is what the last frame before its press shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from game.board import EMPTY, UNREADABLE, Square, is_tile
from game.events import PictureEdge, Side
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.tracking.appearance import same_appearance
from vision.tracking.board_changes import BoardChanges
from vision.tracking.findings import open_questions
from vision.tracking.observer import BoardObserver
from vision.tracking.parameters import LOOK_AHEAD_NS
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker, StillSegment
from vision.tracking.tile_timeline import TileTimeline
from vision.tracking.turn_view import TurnView, named
from vision.tracking.turn_window import OpenTurns

GIVE_UP_NS: Final = 10_000_000_000
"""Time after its press for which a turn waits for a view if none of its tiles is in sight."""

_MOST_GONE: Final = 2
"""If more earlier tiles than this are gone, the board is being cleared: it is no slip."""


@dataclass
class PendingTurn:
    """A turn whose press has come, but that has not been seen clearly yet."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The turn's still segments up to the press, newest first."""
    out: bool = False
    """True if both clocks were stopped: only the board can show if the turn has ended."""
    at: Sighting | None = None
    """The sighting of the board at the press; None if it was not at rest."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last attempt since the press to observe the board that failed."""
    from_ns: int | None = None
    """Time at which the turn began; None if unknown."""
    base: Sighting | None = None
    """The sighting that shows the turn best so far; None if there is none."""
    earlier_taken: bool = False
    """True if all of ``before`` were observed."""


class PictureGap:
    """The newest stretch of time from which there is no picture."""

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._from_ns, self._until_ns = 0, 0

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        if self._latest_ns is not None and frame.t_ns - self._latest_ns > LOOK_AHEAD_NS:
            self._from_ns, self._until_ns = self._latest_ns, frame.t_ns
        self._latest_ns = frame.t_ns

    def holds(self, *times_ns: int) -> bool:
        """True if all these times are in the gap."""
        return all(self._from_ns < t_ns < self._until_ns for t_ns in times_ns)

    def until(self, press_ns: int) -> int:
        """Return the end of the gap that a press fell into; the press's time if into none."""
        return self._until_ns if self._from_ns < press_ns < self._until_ns else press_ns


class TurnSightings:
    """The sightings of one game's open turns. Each method takes the game as it stands."""

    def __init__(
        self,
        observer: BoardObserver,
        stillness: StillnessTracker,
        hands: Mapping[Side, PictureEdge] | None,
        *,
        stills: bool,
    ) -> None:
        """``hands``: without a clock, the edge of the picture at which each player sits."""
        self._observer, self._stillness = observer, stillness
        self._by_board, self.stills = hands is not None, stills
        self.timeline = TileTimeline(stillness)
        self.open = OpenTurns(self.timeline, hands)
        self.changes = BoardChanges(stillness, self.timeline, self.open)
        """Watches the settled board, in a game with a clock."""
        self.gap = PictureGap()
        self._latest: Frame | None = None
        self.newest: Sighting | None = None
        """The newest sighting of the open turn."""
        self.is_new = False
        """True if the newest sighting's corrections of earlier turns were not yet returned."""
        self._attempt = Attempt()
        self.now_ns = 0
        self.coming_ns: int | None = None
        """Time of a press that is not recorded yet; None if all are recorded."""
        self.from_ns: int | None = None
        """Time at which the clock of the side on turn was started; None if unknown."""
        self.pending: PendingTurn | None = None

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        self.gap.add(frame)
        self._latest = frame
        self.now_ns = frame.t_ns
        if not self.stills:
            self._stillness.add(frame, self.from_ns)

    def press(self, state: GameState, side: Side, press_ns: int) -> None:
        """Note a press of a player's button, before it is recorded."""
        self.open.press(state, side, press_ns)
        self.coming_ns = press_ns

    def clock_started(self, press_ns: int) -> None:
        """Note that a clock was started: earlier still segments belong to another turn."""
        self.from_ns, self.coming_ns = press_ns, None
        self._stillness.earlier.clear()

    def follow(self, state: GameState) -> None:
        """Update by the turns that were recorded."""
        if self.open.follow(state):
            self._attempt = Attempt()

    def turn_ended(self, state: GameState, side: Side, press_ns: int, *, out: bool = False) -> bool:
        """Take a press or stop that may end a turn; return True if the turn counts at once."""
        self.follow(state)
        self.coming_ns = None
        at = self._observe_at_press(press_ns)
        # A settled view stands for the board at the press.
        at_ns = press_ns if self.stills else None
        sighting = None if at is None else self._take(state, at, at_ns)
        earlier = self._stillness.earlier
        before = [segment for segment in reversed(earlier) if segment.began_by(press_ns)]
        newest = None if at is not None or self.stills else self._stillness.newest(self.from_ns)
        if newest is not None and newest.began_by(press_ns):
            before.insert(0, newest)  # the camera has delivered nothing since
        if not out:
            self.open.expect(side, press_ns)
        self.pending = PendingTurn(
            side, press_ns, tuple(before), out, sighting, from_ns=self.from_ns, base=sighting
        )
        return self.stills

    def observe(self, state: GameState, now_ns: int) -> bool:
        """Observe the board at rest; return True if it was observed."""
        self.follow(state)
        seen = self._stillness.current
        asked = next(open_questions(state), None) is not None or UNREADABLE in state.board.symbols
        # Too little may have moved to be noticed since the turn before.
        wanted = asked if seen is None else self._attempt.segment_id is None
        if wanted and self._stillness.attempt(self._attempt, now_ns):
            seen = self._stillness.observe()
            self._attempt.clear = seen is not None
        if seen is None:
            return False
        if self.newest is None or self.newest.observation is not seen:
            self.is_new = True
            self._take(state, seen)
        return True

    def observe_pending(self, state: GameState, now_ns: int) -> bool:
        """Observe the board for the pending turn if it is time to; return True if observed."""
        turn = self.pending
        if turn is None or not self._stillness.attempt(turn.attempt, now_ns):
            return False
        seen = self._stillness.observe()
        if seen is None:
            return False
        turn.base = self._take(state, seen)
        turn.attempt.clear = turn.base.clear
        return True

    def time_is_up(self, state: GameState, now_ns: int) -> bool:
        """True if the pending turn has waited long enough for a clear view."""
        turn = self.pending
        if turn is None:
            return False
        back_ns = self.gap.until(turn.press_ns)
        waited, blind = now_ns - back_ns, back_ns > turn.press_ns
        if not (waited > LOOK_AHEAD_NS or blind) or not (turn.before or turn.at is not None):
            return False
        self._take_earlier(state, turn)
        return turn.base is not None and bool(self.open.new(state) or waited > GIVE_UP_NS)

    def observe_once_more(self, state: GameState) -> None:
        """Observe the board for the pending turn, whose time is up."""
        turn = self.pending
        if turn is None:
            return
        # The next press may come before the board has been at rest for long.
        still_ns = self._stillness.still_ns
        soon = still_ns is not None and 0 < still_ns - turn.press_ns <= LOOK_AHEAD_NS
        seen = self._stillness.observe() if soon else None
        if seen is not None:
            turn.base = self._take(state, seen)

    def settle(self, state: GameState) -> None:
        """Take the earlier segments, or the board as it is now, for the pending turn."""
        turn = self.pending
        if turn is None:
            return
        self._take_earlier(state, turn)
        if turn.base is None:
            now = self._stillness.observe()
            if now is not None and now.frame.t_ns > (turn.from_ns or 0):
                turn.base = self._take(state, now)

    def _take_earlier(self, state: GameState, turn: PendingTurn) -> None:
        """Update by the turn's still segments up to its press."""
        if turn.earlier_taken:
            return
        turn.earlier_taken = True
        seen = [self._stillness.observe_segment(segment) for segment in turn.before]
        views = [self._take(state, one) for one in seen if one is not None]
        turn.base = turn.at or next(iter(views), None) or turn.base

    def _take(self, state: GameState, seen: Observation, at_ns: int | None = None) -> Sighting:
        """Update by an observation of the board.

        ``at_ns`` is the time at which the board looked like this; None for the time of the frame.
        """
        sighting = self._observer.update(seen, len(state.turns) + 1)
        if not (self._by_board or self.stills):
            self.changes.take(state, sighting)
        if not (self._by_board and _being_cleared(state, sighting)):
            self.timeline.take(state, sighting, at_ns)
            self.open.update(state, sighting)
            if self.newest is None or seen.frame.t_ns >= self.newest.frame.t_ns:
                self.newest = sighting
        return sighting

    def _observe_at_press(self, press_ns: int) -> Observation | None:
        if not self.stills:
            return self._stillness.observe_at_press(press_ns)
        frame, since = self._latest, self.from_ns
        if frame is None or (since is not None and frame.t_ns <= since):
            return None  # the latest picture was taken in an earlier turn
        return self._observer.observe((frame,))

    def is_present(self, sighting: Sighting) -> bool:
        """True if nothing has moved since a sighting, as far as the camera tells."""
        return sighting is self.newest and not self.stills

    def note(
        self,
        turn: PendingTurn,
        base: Sighting,
        view: TurnView,
        tiles: frozenset[Square],
        *,
        clear: bool,
    ) -> str | None:
        """Return a note on what was occluded at the press; None if nothing was."""
        if base is turn.at:
            return view.note("at the press")
        apart_s = (base.frame.t_ns - turn.press_ns) / 1e9
        which = "" if turn.at is None else named(turn.at)
        hidden = f"{which} not clear at the press".lstrip()
        if apart_s <= 0:
            return f"{hidden}, seen {-apart_s:.1f} s before it"
        if not clear:
            return f"{hidden} and since"
        in_view = turn.at is not None and not turn.at.merged.covered.any()
        # A shadow or a hand that moved past hides nothing that was shown before.
        in_view |= turn.at is None and self._laid_by(turn.press_ns, tiles)
        if in_view or self._unchanged(turn, base):
            return None
        return f"{hidden}, seen {apart_s:.1f} s after it"

    def _laid_by(self, press_ns: int, tiles: frozenset[Square]) -> bool:
        """True if each of these tiles was shown before a press."""
        placed = self.timeline.tiles
        return all(square in placed and placed[square].event.by_ns <= press_ns for square in tiles)

    def _unchanged(self, turn: PendingTurn, now: Sighting) -> bool:
        """True if the board looks as it did before the press: it looked so at the press, too."""
        before = self._stillness.observe_segment(turn.before[0]) if turn.before else None
        if before is None:
            return False
        return bool(same_appearance(before.appearance, now.observation.appearance).all())


def _being_cleared(state: GameState, sighting: Sighting) -> bool:
    """True if so many tiles of earlier turns are gone that the board must be being cleared."""
    seen = sighting.board
    last = set(state.turns[-1].tiles) if state.turns else set()
    gone = [
        square
        for square, symbol in state.board.tiles().items()
        if is_tile(symbol) and seen[square] == EMPTY and square.name not in last
    ]
    return len(gone) > _MOST_GONE
