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

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from game.board import Board
from game.events import Side
from sensors.interfaces import Frame
from vision.tracking.appearance import same_appearance
from vision.tracking.observer import BoardObserver, Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker, StillSegment

LOOK_AHEAD_NS: Final = 2_500_000_000
"""How long after a press the board may still be taken to be unchanged: the opponent has hardly
begun to place tiles."""

Seen = Callable[[Side, int, Sighting | None, str | None], None]
"""Called for a turn with its side, the time of its press, the sighting, and the reason why that is
not of the press itself."""


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

    ``update`` gives the sighting that an observation leads to; ``seen`` is called once for each
    turn; ``stop_ends`` says whose turn a stop of the clock ended, given the board.
    """

    def __init__(
        self,
        observer: BoardObserver,
        stillness: StillnessTracker,
        update: Callable[[Observation | None], Sighting | None],
        seen: Seen,
        stop_ends: Callable[[Board], Side | None],
        *,
        stills: bool,
    ) -> None:
        self._observer, self._stillness = observer, stillness
        self._update, self._seen, self._stop_ends = update, seen, stop_ends
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

    def turn_ended(self, side: Side, press_ns: int) -> bool:
        """Note that a press ended a turn; return True if it was seen then, on a board at rest."""
        if self._stills:
            self._seen(side, press_ns, self._update(self._observer.observe(self._still())), None)
            return False
        sighting = self._update(self._stillness.observe_at_press(press_ns))
        if sighting is not None and sighting.clear:
            self._seen(side, press_ns, sighting, None)
            return True
        self.defer(side, press_ns)
        return False

    def clock_stopped(self, side: Side, press_ns: int) -> None:
        """Note that the clock was stopped in ``side``'s turn, which may have ended it."""
        if self._stills:
            observation = self._observer.observe(self._still())
        else:
            observation = self._stillness.observe_at_press(press_ns)
        sighting = self._update(observation)
        if sighting is not None and sighting.clear:
            if self._ended(side, sighting):
                self._seen(side, press_ns, sighting, None)
        elif not self._stills:
            self.defer(side, press_ns, out=True)

    def defer(self, side: Side, press_ns: int, *, out: bool = False) -> None:
        """Leave a turn pending until the board is seen."""
        earlier = self._stillness.earlier
        before = tuple(segment for segment in earlier if segment.began_by(press_ns))
        self.pending = PendingTurn(side, press_ns, tuple(reversed(before)), out)

    def clock_started(self, press_ns: int) -> None:
        """Note that a clock was started: the segments before belong to another turn."""
        self.from_ns = press_ns
        self._stillness.earlier.clear()

    def retry(self, now_ns: int) -> bool:
        """Settle a pending turn, if the board can be seen now; return True if it was settled so."""
        turn = self.pending
        if turn is None:
            return False
        if now_ns - turn.press_ns > LOOK_AHEAD_NS and turn.before:
            self.settle()
            return False
        return self._stillness.attempt(turn.attempt, now_ns) and self._seen_after(turn)

    def _seen_after(self, turn: PendingTurn) -> bool:
        """Settle a pending turn by the current segment, if the board is clear in it."""
        observation = self._stillness.observe()
        sighting = self._update(observation)
        if observation is None or sighting is None or not sighting.clear:
            return False
        self.pending = None
        if turn.out and not self._ended(turn.side, sighting):
            return True
        after = (sighting.frame.t_ns - turn.press_ns) / 1e9
        covered = f"covered or moving at the press, seen {after:.1f} s after it"
        unchanged = self._unchanged(turn, observation)
        self._seen(turn.side, turn.press_ns, sighting, None if unchanged else covered)
        return True

    def settle(self) -> None:
        """Settle a pending turn by the best segment there is."""
        turn = self.pending
        if turn is None:
            return
        # The next press may come before the board has been at rest for long.
        still_ns = self._stillness.still_ns
        soon = still_ns is not None and 0 < still_ns - turn.press_ns <= LOOK_AHEAD_NS
        if soon and self._seen_after(turn):
            return
        self.pending = None
        sightings = (self._update(self._stillness.observe_segment(one)) for one in turn.before)
        sighting = next((one for one in sightings if one is not None and one.clear), None)
        if sighting is not None:
            before = (turn.press_ns - sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        else:
            sighting = self._update(self._stillness.observe())
            covered = "covered or moving at the press and since"
        if turn.out and (sighting is None or not self._ended(turn.side, sighting)):
            return
        self._seen(turn.side, turn.press_ns, sighting, covered)

    def _ended(self, side: Side, sighting: Sighting) -> bool:
        return self._stop_ends(Board.from_rows(sighting.merged.rows)) == side

    def _unchanged(self, turn: PendingTurn, now: Observation) -> bool:
        """Return True if the board is as it was before the press, and so at the press too."""
        before = self._stillness.observe_segment(turn.before[0]) if turn.before else None
        return before is not None and bool(same_appearance(before.appearance, now.appearance).all())

    def _still(self) -> tuple[Frame, ...]:
        """Return the latest picture, if it was taken in this turn."""
        frame, since = self._latest, self.from_ns
        return () if frame is None or (since is not None and frame.t_ns <= since) else (frame,)
