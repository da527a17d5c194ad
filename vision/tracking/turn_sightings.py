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
"""How long after a press the board may still be taken to lie as it did: the opponent has hardly
begun to lay tiles."""

Seen = Callable[[Side, int, Sighting | None, str | None], None]
"""Told of a turn: whose, when it was pressed, what was seen, and why that is not of the press."""


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

    ``update`` gives the sighting that a look amounts to; ``seen`` is told of each turn, once;
    ``stop_ends`` says whose turn a stop of the clock ended by the board as it lay then.
    """

    def __init__(
        self,
        observer: BoardObserver,
        rests: StillnessTracker,
        update: Callable[[Observation | None], Sighting | None],
        seen: Seen,
        stop_ends: Callable[[Board], Side | None],
        *,
        stills: bool,
    ) -> None:
        self._observer, self._rests = observer, rests
        self._update, self._seen, self._stop_ends = update, seen, stop_ends
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

    def end(self, side: Side, press_ns: int) -> bool:
        """A press has ended a turn; whether it was seen at the press, on a board at rest."""
        if self._stills:
            self._seen(side, press_ns, self._update(self._observer.look(self._still())), None)
            return False
        sighting = self._update(self._rests.look_at_press(press_ns))
        if sighting is not None and sighting.clear:
            self._seen(side, press_ns, sighting, None)
            return True
        self.hold(side, press_ns)
        return False

    def stop(self, side: Side, press_ns: int) -> None:
        """The clock was stopped in ``side``'s turn, which may have ended it."""
        if self._stills:
            look = self._observer.look(self._still())
        else:
            look = self._rests.look_at_press(press_ns)
        sighting = self._update(look)
        if sighting is not None and sighting.clear:
            if self._ended(side, sighting):
                self._seen(side, press_ns, sighting, None)
        elif not self._stills:
            self.hold(side, press_ns, out=True)

    def hold(self, side: Side, press_ns: int, *, out: bool = False) -> None:
        """Hold a turn open until the board is seen."""
        before = tuple(rest for rest in self._rests.earlier if rest.began_by(press_ns))
        self.held = PendingTurn(side, press_ns, tuple(reversed(before)), out)

    def started(self, press_ns: int) -> None:
        """A clock was started: what lay before belongs to another turn."""
        self.from_ns = press_ns
        self._rests.earlier.clear()

    def try_again(self, now_ns: int) -> bool:
        """See whether a turn that is held open can be settled now.

        Returns:
            whether it was, by the board as it lies after the press.
        """
        held = self.held
        if held is None:
            return False
        if now_ns - held.press_ns > LOOK_AHEAD_NS and held.before:
            self.give_up()
            return False
        return self._rests.due(held.attempt, now_ns) and self._seen_after(held)

    def _seen_after(self, held: PendingTurn) -> bool:
        """Settle a turn that is held open with what the present stretch shows, if it is clear."""
        look = self._rests.look()
        sighting = self._update(look)
        if look is None or sighting is None or not sighting.clear:
            return False
        self.held = None
        if held.out and not self._ended(held.side, sighting):
            return True
        after = (sighting.frame.t_ns - held.press_ns) / 1e9
        covered = f"covered or moving at the press, seen {after:.1f} s after it"
        unmoved = self._as_before(held, look)
        self._seen(held.side, held.press_ns, sighting, None if unmoved else covered)
        return True

    def give_up(self) -> None:
        """Settle a turn that is held open with the best there is."""
        held = self.held
        if held is None:
            return
        # The next press may come before the board has been at rest for long.
        still_ns = self._rests.still_ns
        soon = still_ns is not None and 0 < still_ns - held.press_ns <= LOOK_AHEAD_NS
        if soon and self._seen_after(held):
            return
        self.held = None
        seen = (self._update(self._rests.look_at(rest)) for rest in held.before)
        sighting = next((one for one in seen if one is not None and one.clear), None)
        if sighting is not None:
            before = (held.press_ns - sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        else:
            sighting = self._update(self._rests.look())
            covered = "covered or moving at the press and since"
        if held.out and (sighting is None or not self._ended(held.side, sighting)):
            return
        self._seen(held.side, held.press_ns, sighting, covered)

    def _ended(self, side: Side, sighting: Sighting) -> bool:
        return self._stop_ends(Board.from_rows(sighting.merged.rows)) == side

    def _as_before(self, held: PendingTurn, look: Observation) -> bool:
        """Whether the board lies as it did before the press, so that it lay so at the press."""
        before = self._rests.look_at(held.before[0]) if held.before else None
        return before is not None and bool(same_appearance(before.looks, look.looks).all())

    def _still(self) -> tuple[Frame, ...]:
        """The latest picture, if it was taken in this turn."""
        frame, since = self._latest, self.from_ns
        return () if frame is None or (since is not None and frame.t_ns <= since) else (frame,)
