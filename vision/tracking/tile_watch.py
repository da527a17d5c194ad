"""Watches the tiles of the last play after its press, and while the clock is stopped.

For ``AFTERWARDS_NS`` after a press the board is observed whenever it comes to rest. If tiles of the
play are gone or have changed, and no new ones lie beside them, the player who pressed has changed
them: that becomes a ``TilesChanged`` event with its picture. What new tiles are, the decoder says;
an earlier tile that is touched with them was touched by the opponent.

While the clock is stopped after a play, a ``BoardSeen`` event records that its tiles were taken off
or put back: by it the game knows whether the play was challenged off. If the clock is started the
moment the hand has left, the first clear view after that counts. Another event records, at any
time, that tiles of a withdrawn play have gone: what comes there later is laid anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Board, Square, is_tile
from game.events import BoardSeen, TilesChanged
from game.plays.change import same_tile
from game.state.fold import GameState, play_was_moved
from vision.tracking.observer import BoardObserver
from vision.tracking.parameters import LOOK_AHEAD_NS
from vision.tracking.results import TileChange
from vision.tracking.sighting import Observation
from vision.tracking.stillness import Attempt, StillnessTracker

AFTERWARDS_NS: Final = 3_000_000_000
"""Tiles that vanish within this time after a press were taken by the player who pressed."""

_SURE: Final = 0.9
"""A play counts as taken off, or put back, if each of its squares shows so with this posterior."""


@dataclass
class _Afterwards:
    """A turn that has just ended, whose tiles may still be changed."""

    until_ns: int
    attempt: Attempt
    """The last attempt to observe the board since the turn; the turn's own if nothing has moved."""


class TileWatch:
    """Watches the tiles of one game; each method takes the game as it stands."""

    def __init__(self, stillness: StillnessTracker, observer: BoardObserver) -> None:
        self._stillness, self._observer = stillness, observer
        self._afterwards: _Afterwards | None = None
        self._stopped = Attempt()
        """The last attempt to observe the board while the clock was stopped."""
        self._until_ns: int | None = None
        """Until this time the board is observed as with a stopped clock, although the clock was
        started; None if not."""

    def pressed(self, state: GameState, press_ns: int) -> None:
        """Note a press, before it is recorded."""
        self._afterwards = None
        if not stopped_after_play(state):
            self._stopped, self._until_ns = Attempt(), None
        elif not (self._stopped.clear and self._stopped.segment_id == self._stillness.segment_id):
            self._until_ns = press_ns + LOOK_AHEAD_NS

    def turn_seen(self, press_ns: int) -> None:
        """Watch the tiles of a turn that was seen on a board still at rest."""
        seen = self._stillness.current
        attempt = Attempt()
        if seen is not None:
            attempt = Attempt(self._stillness.segment_id, seen.frame.t_ns, clear=True)
        self._afterwards = _Afterwards(press_ns + AFTERWARDS_NS, attempt)
        self._until_ns = None

    def observe(self, state: GameState, now_ns: int) -> TileChange | None:
        """Observe the board if it is time to; return a change to the last play, else None."""
        if self._afterwards is not None:
            return self._after_press(state, self._afterwards, now_ns)
        stopped = stopped_after_play(state) or self._is_due(state, now_ns)
        stopped = stopped or bool(state.turns and state.position.withdrawn)
        if not stopped or not self._stillness.attempt(self._stopped, now_ns):
            return None
        change = self.compare(state, self._stillness.observe())
        if self._stopped.clear:
            self._until_ns = None
        return change

    def compare(self, state: GameState, seen: Observation | None) -> TileChange | None:
        """Return the change if the last play was taken off or put back at a stopped clock.

        Also if tiles of a withdrawn play have gone.
        """
        last = state.turns[-1]
        # Tiles that were put back belong to the turn in which they were first played.
        turn = last.number if state.play_off else len(state.turns) + 1
        sighting = self._observer.update(seen, turn) if seen is not None else None
        self._stopped.clear = sighting is not None and sighting.clear
        squares = [*state.position.withdrawn] or [Square.parse(name) for name in last.tiles]
        if sighting is None or not sighting.shows(squares):
            return None
        merged = sighting.merged
        sure = all(merged.confidence[square] >= _SURE for square in squares)
        if not sure or not play_was_moved(state, sighting.board):
            return None
        # That a tile was taken off corrects nothing.
        others = [c for c in merged.corrections if c.square not in squares]
        return TileChange(BoardSeen, sighting, others)

    def _is_due(self, state: GameState, now_ns: int) -> bool:
        return _after_play(state) and self._until_ns is not None and now_ns <= self._until_ns

    def _after_press(
        self, state: GameState, afterwards: _Afterwards, now_ns: int
    ) -> TileChange | None:
        if now_ns > afterwards.until_ns or state.status != "running":
            self._afterwards = None
            return None
        if not self._stillness.attempt(afterwards.attempt, now_ns):
            return None
        seen = self._stillness.observe()
        sighting = self._observer.update(seen, len(state.turns) + 1) if seen is not None else None
        if sighting is None or not sighting.clear:
            return None
        afterwards.attempt.clear = True
        at, later = state.board, sighting.board
        # A square that was misread at the press, or not read, has not changed since.
        read = Board.from_rows(state.turns[-1].seen.rows)
        misread = {correction.square for correction in sighting.merged.corrections}
        moved = [s for s in at.diff(later) if s not in misread and read[s] != UNREADABLE]
        if any(later[square] == UNREADABLE for square in moved):
            return None  # a hand rests there, and what it holds may pass for a tile
        fresh = [square for square in moved if at[square] == EMPTY]
        gone = [square for square in moved if is_tile(at[square]) and not _same(at, later, square)]
        if fresh:
            self._afterwards = None  # the opponent plays
        elif gone and state.turns[-1].tiles.keys() >= {square.name for square in gone}:
            self._afterwards = None
            return TileChange(TilesChanged, sighting, sighting.merged.corrections)
        return None


def stopped_after_play(state: GameState) -> bool:
    """True if the clock is stopped after a play, which may then be taken off."""
    return _after_play(state) and state.clocks.running is None


def _after_play(state: GameState) -> bool:
    return bool(state.turns) and state.turns[-1].kind == "play"


def _same(at: Board, later: Board, square: Square) -> bool:
    return same_tile(at[square], later[square]) or FACE_DOWN in (at[square], later[square])
