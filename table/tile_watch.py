"""What becomes of the last play's tiles: after its press, and while the clock stands.

For ``AFTERWARDS_NS`` after a press the board is looked at whenever it comes to rest. Tiles of the
play that are gone or are others, with nothing new beside them, were changed by whoever had pressed:
that becomes a ``TilesChanged`` event with its picture. New tiles are the opponent's play, and an
earlier tile that is touched then is the opponent's doing too.

While the clock stands after a play it is watched as well. When the tiles of the play have been
taken off, or lie there again, that becomes a ``BoardSeen`` event: the game tells by it whether the
play was challenged off. Where the clock goes on the moment the hand has left, the first clear view
after that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Board, Square, is_tile
from game.events import BoardSeen, TilesChanged
from game.plays.change import same_tile
from game.state.fold import GameState, play_was_moved
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.observer import Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker
from vision.tracking.turn_sightings import LOOK_AHEAD_NS

AFTERWARDS_NS: Final = 3_000_000_000
"""How long after a press what vanishes is put down to whoever pressed."""

_SURE: Final = 0.9
"""How sure it must be of each square of a play that its tile was taken off, or lies there again."""

Weigh = Callable[[Observation | None, int | None], Sighting | None]
"""The sighting that a look amounts to in a turn; without one, in that which goes on."""

Changed = Callable[
    [type[TilesChanged] | type[BoardSeen], Sighting, Iterable[ReadingCorrection]], None
]
"""Told of a change to the last play's tiles: as what it is logged, what was seen, and what that
corrects of earlier turns."""


@dataclass
class _Afterwards:
    """A turn that has just ended, and may still be tampered with."""

    until_ns: int
    attempt: Attempt
    """The last look at the board since; that at the turn, where nothing has moved since."""


class TileWatch:
    """Watches the tiles of one game; ``state`` gives the game as it stands."""

    def __init__(
        self,
        rests: StillnessTracker,
        state: Callable[[], GameState],
        weigh: Weigh,
        changed: Changed,
    ) -> None:
        self._rests, self._state, self._update, self._changed = rests, state, weigh, changed
        self._afterwards: _Afterwards | None = None
        self._standing = Attempt()
        """The last look at the board while the clock stood."""
        self._until_ns: int | None = None
        """Until when a look at it is due though the clock has gone on since."""

    def pressed(self, press_ns: int) -> None:
        """A button is pressed; to be called before that is recorded."""
        self._afterwards = None
        if not self.stands:
            self._standing, self._until_ns = Attempt(), None
        elif not (self._standing.clear and self._standing.segment_id == self._rests.segment_id):
            self._until_ns = press_ns + LOOK_AHEAD_NS

    def turn_seen(self, press_ns: int) -> None:
        """The turn that a press ended was seen on a board at rest."""
        seen = self._rests.current
        attempt = Attempt()
        if seen is not None:
            attempt = Attempt(self._rests.segment_id, seen.frame.t_ns, clear=True)
        self._afterwards = _Afterwards(press_ns + AFTERWARDS_NS, attempt)
        self._until_ns = None

    def look(self, now_ns: int) -> None:
        """Look at the board if it is time to."""
        if self._afterwards is not None:
            self._look_after_press(self._afterwards, now_ns)
        elif (self.stands or self._is_due(now_ns)) and self._rests.attempt(self._standing, now_ns):
            self._standing.clear = self.see(self._rests.observe())
            if self._standing.clear:
                self._until_ns = None

    @property
    def stands(self) -> bool:
        """Whether the clock stands after a play, which may be taken off."""
        return self._after_play and self._state().clocks.running is None

    @property
    def _after_play(self) -> bool:
        turns = self._state().turns
        return bool(turns) and turns[-1].kind == "play"

    def _is_due(self, now_ns: int) -> bool:
        return self._after_play and self._until_ns is not None and now_ns <= self._until_ns

    def see(self, look: Observation | None) -> bool:
        """See whether the last play was taken off, or put back, while the clock stands.

        Returns:
            whether the board could be seen.
        """
        state = self._state()
        last = state.turns[-1]
        # What lies there again was laid in its own turn.
        sighting = self._update(look, last.number if state.play_off else None)
        if sighting is None or not sighting.clear:
            return False
        merged = sighting.merged
        sure = all(merged.confidence[Square.parse(name)] >= _SURE for name in last.tiles)
        if sure and play_was_moved(state, Board.from_rows(merged.rows)):
            # That a tile was taken off corrects nothing.
            others = [c for c in merged.corrections if c.square.name not in last.tiles]
            self._changed(BoardSeen, sighting, others)
        return True

    def _look_after_press(self, afterwards: _Afterwards, now_ns: int) -> None:
        state = self._state()
        if now_ns > afterwards.until_ns or state.status != "running":
            self._afterwards = None
            return
        if not self._rests.attempt(afterwards.attempt, now_ns):
            return
        sighting = self._update(self._rests.observe(), None)
        if sighting is None or not sighting.clear:
            return
        afterwards.attempt.clear = True
        at, later = state.board, Board.from_rows(sighting.merged.rows)
        # What was read wrong at the press is no change since.
        misread = {correction.square for correction in sighting.merged.corrections}
        moved = tuple(square for square in at.diff(later) if square not in misread)
        if any(later[square] == UNREADABLE for square in moved):
            return  # a hand rests there, and what it holds may pass for a tile
        fresh = [square for square in moved if at[square] == EMPTY]
        gone = [square for square in moved if is_tile(at[square]) and not _same(at, later, square)]
        if fresh:
            self._afterwards = None  # the opponent plays
        elif gone and state.turns[-1].tiles.keys() >= {square.name for square in gone}:
            self._afterwards = None
            self._changed(TilesChanged, sighting, sighting.merged.corrections)


def _same(at: Board, later: Board, square: Square) -> bool:
    return same_tile(at[square], later[square]) or FACE_DOWN in (at[square], later[square])
