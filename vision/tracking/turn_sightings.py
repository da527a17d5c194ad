"""From a press to the sighting that its turn rests on.

Where each picture is one settled view (``stills``) that is the last one at or before the press, if
it was taken in this turn. In video it is the last stretch of frames in which nothing moved,
provided that it reaches up to the press. When the board was covered or moving then, the turn is
*held open*: the first clear stretch within ``LOOK_AHEAD_NS`` after the press is taken, which may
have begun before it; failing that the last clear one before it; failing that the next clear one,
up to the next press. Such a turn was covered, unless the board lay after the press as it had
before it.

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
"""How long after a press the board may still be taken to lie as it did: the opponent has hardly
begun to lay tiles."""


@dataclass(frozen=True)
class SeenTurn:
    """A turn that a press has ended, and the sighting that it rests on."""

    side: Side
    press_ns: int
    sighting: Sighting | None
    covered: str | None = None
    """Why the sighting is not of the moment of the press; None where it is."""
    present: bool = False
    """True if the board still lies as it was seen."""


@dataclass
class PendingTurn:
    """A turn whose press came while the board could not be seen."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The last stretches of the turn at rest, newest first."""
    out: bool = False
    """Whether it is a turn only if the board says so: the clock was stopped and not passed on."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last look since the press, which was in vain."""


class TurnSightings:
    """The turns of one game as they are pressed.

    Each method takes the game as it stands and returns the turn that is settled by it, if any:
    every turn is returned once.
    """

    def __init__(
        self, observer: BoardObserver, rests: StillnessTracker, *, stills: bool = False
    ) -> None:
        self._observer, self._rests = observer, rests
        self._stills = stills
        self._latest: Frame | None = None
        self.from_ns: int | None = None
        """When the clock of whoever is on turn was started."""
        self.held: PendingTurn | None = None
        """The turn that is held open."""

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        self._latest = frame
        if not self._stills:
            self._rests.add(frame, self.from_ns)

    def end(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return the turn that a press has ended, or hold it open until the board is seen."""
        sighting = self._sighting(state, self._look_at_press(press_ns))
        if self._stills or (sighting is not None and sighting.clear):
            return SeenTurn(side, press_ns, sighting, present=not self._stills)
        self.hold(side, press_ns)
        return None

    def stop(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return ``side``'s turn if it ended when the clock was stopped; hold it open if unsure."""
        sighting = self._sighting(state, self._look_at_press(press_ns))
        if sighting is not None and sighting.clear:
            return SeenTurn(side, press_ns, sighting) if _ended(state, side, sighting) else None
        if not self._stills:
            self.hold(side, press_ns, out=True)
        return None

    def hold(self, side: Side, press_ns: int, *, out: bool = False) -> None:
        """Hold a turn open until the board is seen."""
        before = tuple(rest for rest in self._rests.earlier if rest.began_by(press_ns))
        self.held = PendingTurn(side, press_ns, tuple(reversed(before)), out)

    def started(self, press_ns: int) -> None:
        """A clock was started: what lay before belongs to another turn."""
        self.from_ns = press_ns
        self._rests.earlier.clear()

    def try_again(self, state: GameState, now_ns: int) -> SeenTurn | None:
        """Return the turn that was held open if it can be settled now."""
        held = self.held
        if held is None:
            return None
        if now_ns - held.press_ns > LOOK_AHEAD_NS and held.before:
            return self.give_up(state)
        return self._seen_after(state, held) if self._rests.due(held.attempt, now_ns) else None

    def give_up(self, state: GameState) -> SeenTurn | None:
        """Settle a turn that is held open with the best there is."""
        held = self.held
        if held is None:
            return None
        # The next press may come before the board has been at rest for long.
        still_ns = self._rests.still_ns
        if still_ns is not None and 0 < still_ns - held.press_ns <= LOOK_AHEAD_NS:
            after = self._seen_after(state, held)
            if self.held is None:
                return after and replace(after, present=False)
        self.held = None
        seen = (self._sighting(state, self._rests.look_at(rest)) for rest in held.before)
        sighting = next((one for one in seen if one is not None and one.clear), None)
        if sighting is not None:
            before = (held.press_ns - sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        else:
            sighting = self._sighting(state, self._rests.look())
            covered = "covered or moving at the press and since"
        if held.out and (sighting is None or not _ended(state, held.side, sighting)):
            return None
        return SeenTurn(held.side, held.press_ns, sighting, covered)

    def _seen_after(self, state: GameState, held: PendingTurn) -> SeenTurn | None:
        """Settle a turn that is held open with what the board shows now, if it is clear.

        A stop of the clock that ended no turn is settled without one.
        """
        look = self._rests.look()
        sighting = self._sighting(state, look)
        if look is None or sighting is None or not sighting.clear:
            return None
        self.held = None
        if held.out and not _ended(state, held.side, sighting):
            return None
        after = (sighting.frame.t_ns - held.press_ns) / 1e9
        covered = f"covered or moving at the press, seen {after:.1f} s after it"
        unmoved = self._as_before(held, look)
        return SeenTurn(
            held.side, held.press_ns, sighting, None if unmoved else covered, present=not held.out
        )

    def _sighting(self, state: GameState, look: Observation | None) -> Sighting | None:
        return None if look is None else self._observer.update(look, len(state.turns) + 1)

    def _look_at_press(self, press_ns: int) -> Observation | None:
        if self._stills:
            return self._observer.look(self._still())
        return self._rests.look_at_press(press_ns)

    def _as_before(self, held: PendingTurn, look: Observation) -> bool:
        """Whether the board lies as it did before the press, so that it lay so at the press."""
        before = self._rests.look_at(held.before[0]) if held.before else None
        return before is not None and bool(same_appearance(before.looks, look.looks).all())

    def _still(self) -> tuple[Frame, ...]:
        """The latest picture, if it was taken in this turn."""
        frame, since = self._latest, self.from_ns
        return () if frame is None or (since is not None and frame.t_ns <= since) else (frame,)


def _ended(state: GameState, side: Side, sighting: Sighting) -> bool:
    """True if a stop of the clock ended ``side``'s turn, by the board as it was seen."""
    return stop_ends_turn(state, Board.from_rows(sighting.merged.rows)) == side
