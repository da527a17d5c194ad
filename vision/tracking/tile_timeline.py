"""The tiles of the last turns: the interval in which each was laid, and whose arm was seen.

A sighting tells what lies on a square at rest; the small pictures of all frames tell between which
of them its look changed (``vision.tracking.board_watch``). A tile stays known under an occlusion,
and is removed when its square is seen bare. Its symbol is that of the newest observation in which
nothing occluded it, even if that is read later.
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
from vision.tracking.arms import ArmLikelihood
from vision.tracking.parameters import SETTLE_NS, TURN
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.square_filter import NOTHING, grown
from vision.tracking.stillness import StillnessTracker
from vision.tracking.turn_hypotheses import TileEvent

_SURE: Final = 0.94
"""A tile's symbol is kept under an occlusion if it was read with this posterior. Beside an arm no
posterior is above 0.95, however clear the letter: a part of it may be hidden."""


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile, the interval in which it was laid, and the observation that shows it."""

    event: TileEvent
    shown: Observation
    """The newest observation in which nothing occludes the tile."""
    first: Observation
    """The first observation of the tile."""
    sure: float
    """The posterior of the tile's symbol in ``shown``."""
    arm: ArmLikelihood | None = None
    """The log-likelihood of the arms seen over the tile while it was laid; None if no frame shows
    it."""

    @property
    def readable(self) -> bool:
        """True if the tile's letter is known; a hand may have hidden a part of it."""
        return self.event.symbol != UNREADABLE and self.sure >= _SURE


class TileTimeline:
    """The tiles of one game that came in its last turns."""

    def __init__(self, stillness: StillnessTracker) -> None:
        self._stillness = stillness
        self.tiles: dict[Square, LaidTile] = {}
        """The tiles laid in the last few turns that are on the board."""
        self._newest_ns = 0
        """Time of the newest sighting."""
        self.others: dict[Square, Observation] = {}
        """Squares of earlier turns' tiles that show another face now, with the observation that
        shows it.
        """
        self.beside_arm: frozenset[Square] = frozenset()
        """Squares of new tiles that were in sight only beside an occlusion."""
        self.maybe: dict[Square, float] = {}
        """The probability that a square in plain sight that reads as bare holds a blank."""
        self._gone: dict[Square, tuple[LaidTile, bool]] = {}
        """The tiles whose squares were seen bare since, and if in plain sight: once at most, since
        a hand that was not made out may be taken for a bare square."""
        self._bare_ns = np.zeros((SIZE, SIZE), np.int64)
        """int64 (15, 15): the time at which each square was last seen bare."""
        self._surely_bare_ns = np.zeros((SIZE, SIZE), np.int64)
        """int64 (15, 15): the same, of squares beside no occlusion that hold no blank."""
        self._seen_ns = np.full((SIZE, SIZE), -1, np.int64)
        """int64 (15, 15): the time at which each square was last in plain sight."""

    @property
    def seen_ns(self) -> int:
        """Time until which the board was seen: now, if it has rested since the newest sighting."""
        now_ns = self._stillness.still_ns if self._stillness.current is not None else None
        return max(self._newest_ns, now_ns or 0)

    @property
    def seen(self) -> NDArray[np.int64]:
        """int64 (15, 15): as ``seen_ns``, of each square: when it was last in plain sight."""
        return np.where(self._seen_ns == self._newest_ns, self.seen_ns, self._seen_ns)

    def take(self, state: GameState, sighting: Sighting, at_ns: int | None = None) -> None:
        """Update by a sighting the squares that no later sighting has shown in plain sight.

        ``at_ns`` is the time at which the board looked like this; None for the time of the frame.
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
                self._goes(square, beside=bool(near[square]))
                if is_tile(known[square]):
                    self._face(square, known[square], symbol, sighting.observation)
                continue
            if symbol == EMPTY:
                self._goes(square, beside=bool(near[square]))
                self._bare_ns[square] = now_ns
                if held > 1 - TURN.certain:
                    self.maybe[square] = held
                elif not near[square]:
                    self._surely_bare_ns[square] = now_ns
            else:
                sure = TURN.unread if symbol == UNREADABLE else float(merged.confidence[square])
                held = max(held, sure)
                held = min(held, TURN.beside_arm) if near[square] else held
                event = TileEvent(symbol, 0, now_ns, held)
                letter = float(merged.confidence[square])
                shown = sighting.observation
                self._held(square, LaidTile(event, shown, shown, letter), fresh)
        self._place(fresh, sighting)
        if sighting.clear:
            self._stillness.know(sighting)
        beside = {square for square in fresh if near[square]}
        clear = {s for s in self.beside_arm if newer[s] and not near[s]}
        self.beside_arm = (self.beside_arm | beside) - clear

    def forget(self, board: Board) -> None:
        """Forget the tiles that lie on ``board``: they belong to settled turns."""
        for square in [square for square in self.tiles if board[square] != EMPTY]:
            del self.tiles[square]
        self._gone.clear()

    def _face(self, square: Square, known: str, symbol: str, shown: Observation) -> None:
        """Note the face that a tile of an earlier turn shows."""
        if is_tile(symbol) and symbol != FACE_DOWN and not same_tile(known, symbol):
            self.others[square] = shown
        elif is_tile(symbol):
            self.others.pop(square, None)

    def _goes(self, square: Square, *, beside: bool) -> None:
        """Note that a tile is not seen; it may be there if that was ``beside`` an occlusion."""
        tile = self.tiles.pop(square, None)
        if tile is not None:
            self._gone[square] = tile, not beside
        elif not beside and square in self._gone:
            tile, in_sight = self._gone.pop(square)
            if not in_sight:
                self._gone[square] = tile, True

    def _held(self, square: Square, new: LaidTile, fresh: dict[Square, TileEvent]) -> None:
        """Note a tile; a new one is added to ``fresh``."""
        known, symbol = self.tiles.get(square), new.event.symbol
        gone, _ = self._gone.get(square, (None, False))
        if known is None and gone is not None and gone.event.symbol == symbol:
            known = gone
        if known is None:
            fresh[square], self.tiles[square] = new.event, new
        elif symbol == UNREADABLE:
            self.tiles[square] = known
        else:
            p = max(new.event.p, known.event.p)
            event = replace(known.event, symbol=symbol, p=p)
            self.tiles[square] = replace(known, event=event, shown=new.shown, sure=new.sure)

    def _place(self, fresh: Mapping[Square, TileEvent], sighting: Sighting) -> None:
        """Find in the small pictures when the new tiles were laid, and the arms seen over them."""
        if not fresh:
            return
        placements = self._stillness.placements(fresh, sighting)
        spans = {}
        for square, event in fresh.items():
            placement = placements[square]
            by_ns = placement.by_ns or event.by_ns
            after_ns = placement.after_ns or int(self._bare_ns[square])
            after_ns = after_ns if after_ns <= by_ns else 0  # skin was read as a bare square
            bare_ns = int(self._surely_bare_ns[square])
            bare_ns = bare_ns if bare_ns <= by_ns else 0
            timed = replace(event, after_ns=after_ns, by_ns=by_ns, bare_ns=bare_ns)
            self.tiles[square] = replace(self.tiles[square], event=timed)
            if placement.after_ns is not None and placement.by_ns is not None:
                spans[square] = after_ns - SETTLE_NS, by_ns + SETTLE_NS
        in_sight = [square for square in self.tiles if not sighting.merged.covered[square]]
        corners, seen_ns = sighting.reading.corners, sighting.frame.t_ns
        for square, arm in self._stillness.arm_likelihoods(
            corners, spans, seen_ns, in_sight
        ).items():
            self.tiles[square] = replace(self.tiles[square], arm=arm)
