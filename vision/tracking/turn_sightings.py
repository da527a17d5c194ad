"""From a press to the sighting that its turn rests on.

Where each picture is one settled view (``stills``) that is the last one at or before the press, if
it was taken in this turn. In video it is the last still segment, provided that it reaches up to the
press. When the board was covered or moving then, the turn stays *pending*: the first clear segment
within ``LOOK_AHEAD_NS`` after the press is taken, which may have begun before it; failing that the
last clear one before it; failing that the next clear one, up to the next press. Such a turn was
covered, unless the board after the press is as it was before.

A stop of the clock may end a turn too (``game.state.fold.stop_ends_turn``); whether it does is seen
on the board.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from game.board import Board
from game.events import Side
from game.state.fold import GameState, stop_ends_turn
from sensors.interfaces import Frame
from vision.tracking.appearance import same_appearance
from vision.tracking.observer import BoardObserver, Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker, StillSegment

LOOK_AHEAD_NS: Final = 2_500_000_000
"""How long after a press the board may still be taken to be unchanged: the opponent has hardly
begun to place tiles."""


@dataclass(frozen=True)
class SeenTurn:
    """A turn that a press has ended, and the sighting that it rests on."""

    side: Side
    press_ns: int
    sighting: Sighting | None
    covered: str | None = None
    """Why the sighting is not of the moment of the press; None if it is."""
    present: bool = False
    """True if the board is still as it was seen."""


@dataclass
class PendingTurn:
    """A turn whose press came while the board could not be seen."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The turn's last still segments, newest first."""
    out: bool = False
    """True if the clock was stopped and not passed on: it is a turn only if the board says so."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last attempt since the press, which failed."""


class TurnSightings:
    """Finds the sighting of each turn of one game as it is pressed.

    Methods that may settle a turn take the game as it is and return that turn, once.
    """

    def __init__(
        self, observer: BoardObserver, stillness: StillnessTracker, *, stills: bool = False
    ) -> None:
        self._observer, self._stillness = observer, stillness
        self._stills = stills
        self._latest: Frame | None = None
        self.from_ns: int | None = None
        """When the clock of the side on turn was started."""
        self.pending: PendingTurn | None = None

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        self._latest = frame
        if not self._stills:
            self._stillness.add(frame, self.from_ns)

    def turn_ended(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return the turn that a press has ended, or leave it pending until the board is seen."""
        sighting = self._sighting(state, self._observe_at_press(press_ns))
        if self._stills or (sighting is not None and sighting.clear):
            return SeenTurn(side, press_ns, sighting, present=not self._stills)
        self.defer(side, press_ns)
        return None

    def clock_stopped(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return ``side``'s turn if stopping the clock ended it; leave it pending if unsure."""
        sighting = self._sighting(state, self._observe_at_press(press_ns))
        if sighting is not None and sighting.clear:
            return SeenTurn(side, press_ns, sighting) if _ended(state, side, sighting) else None
        if not self._stills:
            self.defer(side, press_ns, out=True)
        return None

    def defer(self, side: Side, press_ns: int, *, out: bool = False) -> None:
        """Leave a turn pending until the board is seen."""
        earlier = self._stillness.earlier
        before = tuple(segment for segment in earlier if segment.began_by(press_ns))
        self.pending = PendingTurn(side, press_ns, tuple(reversed(before)), out)

    def clock_started(self, press_ns: int) -> None:
        """Note that a clock was started: the segments before belong to another turn."""
        self.from_ns = press_ns
        self._stillness.earlier.clear()

    def retry(self, state: GameState, now_ns: int) -> SeenTurn | None:
        """Return the pending turn if it can be settled now."""
        turn = self.pending
        if turn is None:
            return None
        if now_ns - turn.press_ns > LOOK_AHEAD_NS and turn.before:
            return self.settle(state)
        due = self._stillness.attempt(turn.attempt, now_ns)
        return self._seen_after(state, turn) if due else None

    def _seen_after(self, state: GameState, turn: PendingTurn) -> SeenTurn | None:
        """Settle a pending turn by the current segment, if the board is clear in it.

        A stop of the clock that ended no turn is settled without one.
        """
        observation = self._stillness.observe()
        sighting = self._sighting(state, observation)
        if observation is None or sighting is None or not sighting.clear:
            return None
        self.pending = None
        if turn.out and not _ended(state, turn.side, sighting):
            return None
        after = (sighting.frame.t_ns - turn.press_ns) / 1e9
        covered = f"covered or moving at the press, seen {after:.1f} s after it"
        if self._unchanged(turn, observation):
            return SeenTurn(turn.side, turn.press_ns, sighting, present=not turn.out)
        return SeenTurn(turn.side, turn.press_ns, sighting, covered, present=not turn.out)

    def settle(self, state: GameState) -> SeenTurn | None:
        """Settle a pending turn by the best segment there is."""
        turn = self.pending
        if turn is None:
            return None
        # The next press may come before the board has been at rest for long.
        still_ns = self._stillness.still_ns
        if still_ns is not None and 0 < still_ns - turn.press_ns <= LOOK_AHEAD_NS:
            after = self._seen_after(state, turn)
            if self.pending is None:
                return after and replace(after, present=False)
        self.pending = None
        observations = (self._stillness.observe_segment(one) for one in turn.before)
        sightings = (self._sighting(state, one) for one in observations)
        sighting = next((one for one in sightings if one is not None and one.clear), None)
        if sighting is not None:
            before = (turn.press_ns - sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        else:
            sighting = self._sighting(state, self._stillness.observe())
            covered = "covered or moving at the press and since"
        if turn.out and (sighting is None or not _ended(state, turn.side, sighting)):
            return None
        return SeenTurn(turn.side, turn.press_ns, sighting, covered)

    def _sighting(self, state: GameState, observation: Observation | None) -> Sighting | None:
        if observation is None:
            return None
        return self._observer.update(observation, len(state.turns) + 1)

    def _observe_at_press(self, press_ns: int) -> Observation | None:
        if self._stills:
            return self._observer.observe(self._still())
        return self._stillness.observe_at_press(press_ns)

    def _unchanged(self, turn: PendingTurn, now: Observation) -> bool:
        """Return True if the board is as it was before the press, and so at the press too."""
        before = self._stillness.observe_segment(turn.before[0]) if turn.before else None
        return before is not None and bool(same_appearance(before.appearance, now.appearance).all())

    def _still(self) -> tuple[Frame, ...]:
        """Return the latest picture, if it was taken in this turn."""
        frame, since = self._latest, self.from_ns
        return () if frame is None or (since is not None and frame.t_ns <= since) else (frame,)


def _ended(state: GameState, side: Side, sighting: Sighting) -> bool:
    """True if a stop of the clock ended ``side``'s turn, by the board as it was seen."""
    return stop_ends_turn(state, Board.from_rows(sighting.merged.rows)) == side
