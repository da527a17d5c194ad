"""The tiles of the last turns: since when each has lain there, as far as the pictures tell.

A sighting says what lies on a square at rest; the small pictures of all frames say between which of
them it came to look so (``vision.tracking.board_watch``). A tile stays known while something
covers it, and goes when its square is seen bare. What a square holds is taken from the newest view
in which nothing covered it, also where that is read only later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, SIZE, UNREADABLE, Board, Square, is_tile
from game.plays.change import compare, same_tile
from game.state.fold import GameState
from vision.tracking.arms import Seen
from vision.tracking.parameters import SETTLE_NS, TURN
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.square_filter import NOTHING, grown
from vision.tracking.stillness import StillnessTracker
from vision.tracking.turn_decoder import TileEvent

_BACK_NS: Final = 6_000_000_000
"""A tile that is back on its square by then had not been taken up: fingers passed for the square.
"""

_SURE: Final = 0.94
"""A tile that is covered now counts as it was read before if it was read as surely as this. Beside
an arm no letter is surer than 0.95, however clear it is: a part of it may be hidden."""


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile, when it was laid, and what shows it."""

    event: TileEvent
    shown: Observation
    """The newest view in which nothing covers it, ..."""
    sure: float
    """... and how sure its letter is there."""
    hand: Seen | None = None
    """The likelihood of the hand that was seen to lay it, if any was looked for."""

    @property
    def readable(self) -> bool:
        """True if its letter is known: the hand that let go of it may have hidden a part of it."""
        return self.event.symbol != UNREADABLE and self.sure >= _SURE


class TileTimeline:
    """Follows the tiles of one game."""

    def __init__(self, stillness: StillnessTracker) -> None:
        self._stillness = stillness
        self.tiles: dict[Square, LaidTile] = {}
        """The tiles on the board, but for those of earlier turns than the last few."""
        self._newest_ns = 0
        """When the newest view was taken."""
        self.others: dict[Square, Observation] = {}
        """Earlier tiles that show another face than they did, and the view that shows it."""
        self.beside_arm: frozenset[Square] = frozenset()
        """Squares that were in sight only beside an arm, as far as they seem to hold a tile."""
        self.maybe: dict[Square, float] = {}
        """How likely each square that passes for bare, in plain sight, is to hold a blank."""
        self._gone: dict[Square, tuple[int, LaidTile]] = {}
        """The tiles that went out of sight last, and when."""
        self._bare_ns = np.zeros((SIZE, SIZE), np.int64)
        """int64 (15, 15): when each square was last seen without a tile, ..."""
        self._seen_ns = np.full((SIZE, SIZE), -1, np.int64)
        """... and when it was last in plain sight."""

    @property
    def seen_ns(self) -> int:
        """When the board was seen last: now, if nothing has moved since the newest view."""
        now_ns = self._stillness.still_ns if self._stillness.current is not None else None
        return max(self._newest_ns, now_ns or 0)

    @property
    def seen(self) -> NDArray[np.int64]:
        """int64 (15, 15): when each square was last in plain sight."""
        return np.where(self._seen_ns == self._newest_ns, self.seen_ns, self._seen_ns)

    def take(self, state: GameState, sighting: Sighting, at_ns: int | None = None) -> None:
        """Take a view: of each square that was not in plain sight since.

        ``at_ns`` is when the board lay so, if not just when the picture was taken.
        """
        now_ns = sighting.frame.t_ns if at_ns is None else at_ns
        if not sighting.legible:
            return
        merged, seen = sighting.merged, sighting.board
        known = state.known_board(seen)
        knocked = {target for _, target in compare(known, seen, state.rulebook.rack_tiles).moved}
        newer = ~merged.covered & (self._seen_ns < now_ns)
        self._seen_ns[newer] = now_ns
        self._newest_ns = max(self._newest_ns, now_ns)
        posterior = merged.belief.posterior
        near = grown(merged.covered)
        fresh: dict[Square, TileEvent] = {}
        for row, col in np.argwhere(newer).tolist():
            square, symbol = Square(row, col), merged.rows[row][col]
            held = 1.0 - float(posterior[row, col, NOTHING])
            self.maybe.pop(square, None)
            if square in self.tiles and state.board[square] != EMPTY:
                if is_tile(symbol):
                    self._face(square, state.board[square], symbol, sighting.observation)
                    continue
            elif square in knocked or is_tile(known[square]):
                # It passed for a new tile if an arm hid the square that it came from.
                self._goes(square, now_ns)
                if is_tile(known[square]):
                    self._face(square, known[square], symbol, sighting.observation)
                continue
            if symbol == EMPTY:
                self._bare(square, now_ns)
                if held > 1 - TURN.certain:
                    self.maybe[square] = held
            else:
                sure = TURN.unread if symbol == UNREADABLE else float(merged.confidence[square])
                held = max(held, sure)
                held = min(held, TURN.beside_arm) if near[square] else held
                event = TileEvent(symbol, 0, now_ns, held)
                letter = float(merged.confidence[square])
                self._held(square, LaidTile(event, sighting.observation, letter), fresh)
        self._place(fresh, sighting)
        if sighting.clear:
            self._stillness.know(sighting)
        beside = {square for square in fresh if near[square]}
        clear = {s for s in self.beside_arm if newer[s] and not near[s]}
        self.beside_arm = (self.beside_arm | beside) - clear

    def forget(self, board: Board) -> None:
        """Forget the tiles that lay on a board: they are settled."""
        for square in [square for square in self.tiles if board[square] != EMPTY]:
            del self.tiles[square]
        self._gone.clear()

    def _face(self, square: Square, known: str, symbol: str, shown: Observation) -> None:
        """Note what an earlier tile shows."""
        if is_tile(symbol) and symbol != FACE_DOWN and not same_tile(known, symbol):
            self.others[square] = shown
        elif is_tile(symbol):
            self.others.pop(square, None)

    def _bare(self, square: Square, now_ns: int) -> None:
        self._goes(square, now_ns)
        self._bare_ns[square] = now_ns

    def _goes(self, square: Square, now_ns: int) -> None:
        tile = self.tiles.pop(square, None)
        if tile is not None:
            self._gone[square] = now_ns, tile

    def _held(self, square: Square, new: LaidTile, fresh: dict[Square, TileEvent]) -> None:
        """Note a tile, and in ``fresh`` that it is new."""
        known, symbol = self.tiles.get(square), new.event.symbol
        gone_ns, gone = self._gone.get(square, (0, None))
        if known is None and gone is not None and gone.event.symbol == symbol:
            known = gone if new.event.by_ns - gone_ns <= _BACK_NS else None
        if known is None:
            fresh[square], self.tiles[square] = new.event, new
        elif symbol == UNREADABLE:
            self.tiles[square] = known
        else:
            p = max(new.event.p, known.event.p)
            event = replace(known.event, symbol=symbol, p=p)
            self.tiles[square] = replace(known, event=event, shown=new.shown, sure=new.sure)

    def _place(self, fresh: Mapping[Square, TileEvent], sighting: Sighting) -> None:
        """Find out since when new tiles have lain there, and whose arm was there."""
        if not fresh:
            return
        placements = self._stillness.placements(fresh, sighting)
        spans = {}
        for square, event in fresh.items():
            placement = placements[square]
            by_ns = placement.by_ns or event.by_ns
            after_ns = placement.after_ns or int(self._bare_ns[square])
            after_ns = after_ns if after_ns <= by_ns else 0  # skin was read as a bare square
            timed = replace(event, after_ns=after_ns, by_ns=by_ns)
            self.tiles[square] = replace(self.tiles[square], event=timed)
            if placement.after_ns is not None and placement.by_ns is not None:
                spans[square] = after_ns - SETTLE_NS, by_ns + SETTLE_NS
        in_sight = [square for square in self.tiles if not sighting.merged.covered[square]]
        corners, seen_ns = sighting.reading.corners, sighting.frame.t_ns
        for square, hand in self._stillness.hands_at(corners, spans, seen_ns, in_sight).items():
            self.tiles[square] = replace(self.tiles[square], hand=hand)
