"""From a press to the sighting that its turn rests on.

Where each picture is one settled view (``stills``) that is the last one at or before the press, if
it was taken in this turn. In video evidence is kept by square: what counts is each square's newest
clear view in the turn. What covers other squares matters only where it may hide a part of the play
(``vision.tracking.turn_view``). Then, and where something moved at the press, the turn stays
*pending*: a view from after the press counts for what lay there before it, as the pictures in
between tell (``vision.tracking.square_history``). After ``LOOK_AHEAD_NS`` a play that is in sight
is scored as far as it is, with a doubt about those squares; of what was never in sight the next
clear view tells, up to the next press.

A tile that comes into sight later and lay there at the press of the turn before is reported as a
correction of that turn.

A stop of the clock may end a turn too (``game.state.fold.stop_ends_turn``); whether it does is seen
on the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square, is_tile
from game.events import Side
from game.state.fold import GameState, stop_ends_turn
from sensors.interfaces import Frame
from vision.tracking.appearance import lies_there_still, same_appearance
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.late_tiles import (
    completing_tiles,
    confirmed,
    open_questions,
    read_late,
    unread_completing,
    with_misoriented,
)
from vision.tracking.observer import BoardObserver
from vision.tracking.seen_turn import PendingTurn, SeenTurn
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker, StillSegment
from vision.tracking.turn_view import TurnViews
from vision.tracking.unseen_plays import PictureGap, plays_of_unseen
from vision.tracking.view_doubts import SURE, TurnView

LOOK_AHEAD_NS: Final = 2_500_000_000
"""How long after a press the board may still be taken to be unchanged: the opponent has hardly
begun to place tiles."""

GIVE_UP_NS: Final = 10_000_000_000
"""How long after a press a turn of which no tile is in sight waits for one, where earlier views
can stand in."""

_PLACED_UNSEEN: Final = 0.9
"""How sure the player of a turn is where a tile came into sight only after the press."""


@dataclass(frozen=True)
class _Last:
    """The last turn, and what of it was not seen."""

    number: int
    press_ns: int
    squares: frozenset[Square] | None
    """Those in doubt; None: all of them."""
    certain: bool
    """True if none was."""
    sighting: Sighting
    """What was seen of it."""

    def still_there(self, sighting: Sighting) -> NDArray[np.bool_]:
        """Return the squares that look as they did then, and not bare: bool (15, 15)."""
        before, now = self.sighting.observation, sighting.observation
        if before is None or now is None:
            return np.zeros((SIZE, SIZE), np.bool_)
        bare = sighting.merged.belief.empty_appearance
        still = lies_there_still(before.appearance, now.appearance, bare)
        return np.asarray(still & ~self.sighting.merged.covered & ~sighting.merged.covered)


class TurnSightings:
    """Finds the sighting of each turn of one game as it is pressed.

    Methods that may settle a turn take the game as it is and return that turn, once.
    """

    def __init__(
        self, observer: BoardObserver, stillness: StillnessTracker, *, stills: bool = False
    ) -> None:
        self._observer, self._stillness = observer, stillness
        self._views = TurnViews(observer, stillness)
        self._stills = stills
        self._latest: Frame | None = None
        self._gap = PictureGap()
        self._last: _Last | None = None
        self._late_attempt = Attempt()
        self.from_ns: int | None = None
        """When the clock of the side on turn was started."""
        self.pending: PendingTurn | None = None

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        self._gap.add(frame)
        self._latest = frame
        if not self._stills:
            self._stillness.add(frame, self.from_ns)

    def turn_ended(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return the turn that a press has ended, or leave it pending until the board is seen."""
        at = self._observe_at_press(press_ns)
        if at is not None:
            view = self._views.view(state, at, self._before(press_ns))
            if view.certain or self._stills:
                present = not self._stills
                return self._seen(state, side, press_ns, view, view.note("at the press"), present)
        elif self._stills:
            return SeenTurn(side, press_ns, None, doubt=None)
        self.defer(side, press_ns, at=at)
        return None

    def clock_stopped(self, state: GameState, side: Side, press_ns: int) -> SeenTurn | None:
        """Return ``side``'s turn if stopping the clock ended it; leave it pending if unsure."""
        at = self._observe_at_press(press_ns)
        if at is not None:
            view = self._views.view(state, at, self._before(press_ns))
            if view.certain:
                if not _ended(state, side, view.sighting):
                    return None
                note = view.note("at the press")
                return self._seen(state, side, press_ns, view, note, False)
        if not self._stills:
            self.defer(side, press_ns, out=True, at=at)
        return None

    def defer(
        self, side: Side, press_ns: int, *, out: bool = False, at: Observation | None = None
    ) -> None:
        """Leave a turn pending until the board is seen; ``at`` is what was seen at the press."""
        before = self._before(press_ns)
        newest = None if at is not None else self._stillness.newest(self.from_ns)
        if newest is not None and newest.began_by(press_ns):
            before = (newest, *before)  # the camera has delivered nothing since
        self.pending = PendingTurn(side, press_ns, before, out, at, from_ns=self.from_ns)

    def clock_started(self, press_ns: int) -> None:
        """Note that a clock was started: the segments before belong to another turn."""
        self.from_ns = press_ns
        self._stillness.earlier.clear()

    def retry(self, state: GameState, now_ns: int) -> SeenTurn | None:
        """Return the pending turn if it can be settled now."""
        turn = self.pending
        if turn is None:
            return None
        back_ns = self._gap.until(turn.press_ns)
        waited, blind = now_ns - back_ns, back_ns > turn.press_ns
        if (waited > LOOK_AHEAD_NS or blind) and (turn.before or turn.at is not None):
            best = self._best_before(state, turn)
            if best is not None and (best.tiles or waited > GIVE_UP_NS):
                return self._settled(state, turn, best)
        due = self._stillness.attempt(turn.attempt, now_ns)
        return self._seen_after(state, turn) if due else None

    def settle(self, state: GameState) -> SeenTurn | None:
        """Settle a pending turn by the best views there are."""
        turn = self.pending
        if turn is None:
            return None
        # The next press may come before the board has been at rest for long.
        still_ns = self._stillness.still_ns
        if still_ns is not None and 0 < still_ns - turn.press_ns <= LOOK_AHEAD_NS:
            after = self._seen_after(state, turn)
            if self.pending is None:
                return after and replace(after, present=False)
        best = self._best_before(state, turn)
        if best is not None:
            return self._settled(state, turn, best)
        self.pending = None
        now = self._stillness.observe()
        if now is None or now.frame.t_ns <= (turn.from_ns or 0):  # that was an earlier turn
            return None if turn.out else SeenTurn(turn.side, turn.press_ns, None, doubt=None)
        view = self._views.view(state, now, (), turn.press_ns)
        if now.frame.t_ns <= turn.press_ns:  # and more may have been laid since
            view = self._views.before(state, (StillSegment.of(now),)) or view
        covered = "covered or moving at the press and since"
        if turn.out and not _ended(state, turn.side, view.sighting):
            return None
        return self._seen(state, turn.side, turn.press_ns, view, covered, False)

    def late(self, state: GameState, now_ns: int) -> tuple[ReadingCorrection, ...]:
        """Return what the board as it is now, if it is at rest, shows of the turn before."""
        last, certain = self._last, self._last is None or self._last.certain
        asked = next(open_questions(state), None) is not None
        if certain and not asked and UNREADABLE not in state.board.symbols:
            if last is None or now_ns - last.press_ns > GIVE_UP_NS:
                return ()
            if self._stillness.current is None:
                return ()  # a view of its own is not worth a reading
        if not self._stillness.attempt(self._late_attempt, now_ns):
            return ()
        observation = self._stillness.observe()
        if observation is None:
            return ()
        sighting = self._observer.update(observation, len(state.turns) + 1)
        self._late_attempt.clear = sighting.clear
        return self._shown_later(state, sighting)

    def _shown_later(self, state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
        """Return what a sighting shows of earlier turns."""
        found = (*read_late(state, sighting), *self._seen_late(state, sighting))
        changed = {correction.square for correction in found}
        sure = (one for one in confirmed(state, sighting) if one.square not in changed)
        return with_misoriented((*found, *sure), sighting)

    def _seen_late(self, state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
        """Return what a sighting shows to have lain there at the press of the turn before."""
        last = self._last
        if last is None or last.number != len(state.turns):
            return ()
        in_doubt = last.squares or frozenset()
        tiles = {
            square: symbol
            for square, symbol in Board.from_rows(sighting.merged.rows).tiles().items()
            if is_tile(symbol) and not is_tile(state.board[square])
        }
        soon = self._placed_soon(state, last.press_ns, tiles, sighting)
        why = f"came into sight at the press of turn {last.number}, and completes it"
        found = [ReadingCorrection(last.number, square, tiles[square], why) for square in soon]
        if last.certain:
            still_there = partial(last.still_there, sighting)
            completing = unread_completing(state, tiles, still_there) - soon
            why = f"could not be read at the press of turn {last.number}, and completes it"
            found += [ReadingCorrection(last.number, s, tiles[s], why) for s in completing]
            return tuple(found)
        placements = self._stillness.placements(tiles, sighting)
        known = {s: p.before_press(last.press_ns) for s, p in placements.items()}
        surely = {s for s in tiles if sighting.merged.confidence[s] >= SURE}
        # One that lay there, but is not surely read, counts only where the play needs it.
        early = {s: None if at and s not in surely else at for s, at in known.items()}
        completing = completing_tiles(state, tiles, early, unseen=last.squares is None)
        for square, symbol in tiles.items():
            if square in soon:
                continue
            before = True if square in completing else known[square]
            sure = square in completing or square in surely
            if before is None and set(tiles) <= in_doubt:
                at_once = sighting.frame.t_ns - last.press_ns <= LOOK_AHEAD_NS
                before = True if at_once else None
            if before and sure:
                why = f"lay there before the press of turn {last.number}, and was seen later"
                found.append(ReadingCorrection(last.number, square, symbol, why))
            elif before is False and square in in_doubt:
                why = f"laid after the press of turn {last.number}"
                found.append(ReadingCorrection(last.number, square, EMPTY, why))
        if found and last.squares is not None:
            left = last.squares - {correction.square for correction in found}
            self._last = replace(last, squares=left)
        return tuple(found)

    def _placed_soon(
        self, state: GameState, press_ns: int, tiles: Mapping[Square, str], sighting: Sighting
    ) -> frozenset[Square]:
        """Return those tiles that complete the last turn, and came into sight at its press."""
        last = state.turns[-1]
        new = {square: tile for square, tile in tiles.items() if state.board[square] == EMPTY}
        if not new or last.kind not in ("play", "exchange_or_pass", "not_known"):
            return frozenset()
        known = {Square.parse(name): symbol for name, symbol in last.tiles.items()}
        rack = state.rulebook.rack_tiles
        return self._views.placed_soon(last.before, known, new, rack, sighting, press_ns)

    def _seen(
        self,
        state: GameState,
        side: Side,
        press_ns: int,
        view: TurnView,
        covered: str | None,
        present: bool,
    ) -> SeenTurn:
        self.pending = None
        late = self._shown_later(state, view.sighting)
        at_press = view.sighting.frame.t_ns <= press_ns + LOOK_AHEAD_NS
        if view.certain and (at_press or view.answered):
            new = self._views.new_tiles(state, view.sighting)
            late += plays_of_unseen(state, new)
        number = len(state.turns) + 1
        self._last = _Last(number, press_ns, view.doubt, view.certain, view.sighting)
        self._late_attempt = Attempt()
        sure = view.certainty(state)
        whose = 1.0 if sure == 0 or not self._seen_since(state, view, press_ns) else _PLACED_UNSEEN
        certainty = {"tiles": round(sure, 4), "player": whose, "time": 1.0}
        seen = SeenTurn(side, press_ns, view.sighting, covered, present, view.doubt, certainty)
        return replace(seen, corrections=late, undated=self._undated(view, press_ns))

    def _undated(self, view: TurnView, press_ns: int) -> bool:
        """True if no picture tells on which side of a press the new tiles of a view were laid."""
        back_ns = self._gap.until(press_ns)
        shown = view.tiles and back_ns <= view.sighting.frame.t_ns
        return shown and not view.answered and back_ns - press_ns > GIVE_UP_NS

    def _seen_since(self, state: GameState, view: TurnView, press_ns: int) -> bool:
        """Return True if a tile came into sight after the press, and may have been placed then."""
        if view.sighting.frame.t_ns <= press_ns:
            return False
        new = self._views.new_squares(state, view.sighting)
        placements = self._stillness.placements(new, view.sighting)
        return any(placements[square].before_press(press_ns) is None for square in new)

    def _seen_after(self, state: GameState, turn: PendingTurn) -> SeenTurn | None:
        """Settle a pending turn by the current segment, if it shows all that matters.

        A stop of the clock that ended no turn is settled without one.
        """
        observation = self._stillness.observe()
        if observation is None:
            return None
        blind = self._gap.until(turn.press_ns) > turn.press_ns + LOOK_AHEAD_NS
        view = self._views.view(
            state, observation, turn.before, turn.press_ns, turn.at, blind=blind
        )
        if not view.certain:
            return None
        turn.attempt.clear = True
        self.pending = None
        if turn.out and not _ended(state, turn.side, view.sighting):
            return None
        after = (observation.frame.t_ns - turn.press_ns) / 1e9
        covered: str | None = f"covered or moving at the press, seen {after:.1f} s after it"
        if self._unchanged(turn, observation) or self._in_view(state, turn):
            covered = None
        return self._seen(state, turn.side, turn.press_ns, view, covered, not turn.out)

    def _best_before(self, state: GameState, turn: PendingTurn) -> TurnView | None:
        """Return the view that the board at the press and before it gives, if it was seen."""
        if turn.best is None:
            views = [self._views.before(state, turn.before)]
            if turn.at is not None:
                views.insert(0, self._views.view(state, turn.at, turn.before))
            seen = [view for view in views if view is not None]
            turn.best = next((view for view in seen if view.tiles), seen[0] if seen else None)
        return turn.best

    def _settled(self, state: GameState, turn: PendingTurn, view: TurnView) -> SeenTurn | None:
        """Settle a pending turn by what was seen up to its press."""
        self.pending = None
        if turn.out and not _ended(state, turn.side, view.sighting):
            return None
        covered = view.note("at the press")
        if turn.at is None:
            before = (turn.press_ns - view.sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        return self._seen(state, turn.side, turn.press_ns, view, covered, False)

    def _before(self, press_ns: int) -> tuple[StillSegment, ...]:
        """Return the segments of this turn that are over, newest first."""
        earlier = self._stillness.earlier
        return tuple(reversed([segment for segment in earlier if segment.began_by(press_ns)]))

    def _unchanged(self, turn: PendingTurn, now: Observation) -> bool:
        """Return True if the board is as it was before the press, and so at the press too."""
        before = self._stillness.observe_segment(turn.before[0]) if turn.before else None
        return before is not None and bool(same_appearance(before.appearance, now.appearance).all())

    def _in_view(self, state: GameState, turn: PendingTurn) -> bool:
        """Return True if nothing covered the board at the press, though not all could be read."""
        if turn.at is None:
            return False
        sighting = self._observer.update(turn.at, len(state.turns) + 1)
        return not sighting.merged.covered.any()

    def _observe_at_press(self, press_ns: int) -> Observation | None:
        if not self._stills:
            return self._stillness.observe_at_press(press_ns)
        frame, since = self._latest, self.from_ns
        if frame is None or (since is not None and frame.t_ns <= since):
            return None  # the latest picture was taken in an earlier turn
        return self._observer.observe((frame,))


def _ended(state: GameState, side: Side, sighting: Sighting) -> bool:
    """True if a stop of the clock ended ``side``'s turn, by the board as it was seen."""
    return stop_ends_turn(state, Board.from_rows(sighting.merged.rows)) == side
