"""Notices two plays that lie on the board with no press of the clock between them.

A player who forgets to press makes a turn that the next play ends. It shows on the board, by tiles
that are two plays and no single one, and by the hands: the player's, then the opponent's. From
which edge of the picture each player's arm comes is learnt from the turns that were pressed for.

It costs nothing while nobody forgets to press: hands are looked for only in the pictures between
which a tile was laid, and kept pictures are asked once a tile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, Board, Square, is_tile
from game.events import Side, other
from game.plays.change import compare
from game.plays.completing import is_play
from game.referee.corrected_sightings import put_back, withdrawn_there
from game.state.fold import GameState
from vision.tracking.belief import NOTHING
from vision.tracking.certainty import tiles_certainty
from vision.tracking.composing import hidden
from vision.tracking.hand_watch import OPPOSITE
from vision.tracking.late_tiles import asked_of_last
from vision.tracking.observer import BoardObserver
from vision.tracking.seen_turn import SeenTurn
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import StillnessTracker
from vision.tracking.turn_view import TurnViews
from vision.tracking.two_plays import LaidTile, TwoPlays, two_plays

REST_NS: Final = 1_000_000_000
"""Two plays must lie there unchanged for so long, unless the opponent has pressed."""

_SURE: Final = 0.8
"""A new tile counts when one of its two likeliest letters is so sure: which of them does not matter
for where a play ends."""

_AROUND_NS: Final = 150_000_000
"""So long before and after a tile was laid its hand is looked for, too."""

_ONE_WAY: Final = 0.8
"""Length of the mean of directions from which they are one."""

_LEARNT: Final = 2
"""Tiles of a player from which it is known where the arm comes from."""

_TOWARDS: Final = 0.6
"""Cosine to a player's direction from which an arm may be that player's, ..."""

_APART: Final = 0.5
"""... if it is so much more than that to the other's, ..."""

_AWAY: Final = 0.0
"""... or, where only one is known, up to which it is the other's."""

Way = NDArray[np.float64]


class Seats:
    """Where each player's arm comes from, as the camera sees it."""

    def __init__(self) -> None:
        self._sums: dict[Side, Way] = {}
        self._tiles: dict[Side, int] = {}

    def learn(self, side: Side, ways: Iterable[Way]) -> None:
        """Learn from the tiles of a turn that was certainly this player's."""
        for way in ways:
            self._sums[side] = self._sums.get(side, np.zeros(2)) + way
            self._tiles[side] = self._tiles.get(side, 0) + 1

    def whose(self, way: Way | None) -> Side | None:
        """Return whose arm comes from there; None if that is not known."""
        known = {
            side: total / np.linalg.norm(total)
            for side, total in self._sums.items()
            if self._tiles[side] >= _LEARNT and np.linalg.norm(total) >= _ONE_WAY * _LEARNT
        }
        if way is None or not known:
            return None
        like = {side: float(way @ mean) for side, mean in known.items()}
        best = max(like, key=lambda side: like[side])
        if len(like) == 1:
            return best if like[best] >= _TOWARDS else None if like[best] > _AWAY else other(best)
        apart = like[best] - like[other(best)] >= _APART
        return best if apart and like[best] >= _TOWARDS else None


@dataclass(frozen=True, slots=True)
class _Tile:
    symbol: str
    way: Way | None
    after_ns: int
    at_ns: int


class ForgottenPress:
    """Watches the open turn of one game with a clock."""

    def __init__(self, observer: BoardObserver, stillness: StillnessTracker) -> None:
        self._observer, self._stillness = observer, stillness
        self._views = TurnViews(observer, stillness)
        self._seats = Seats()
        self._open: dict[Square, _Tile] = {}
        """The new tiles as they were seen last."""
        self._bare_ns: dict[Square, int] = {}
        """When each square was last seen without a tile."""
        self._observed: Observation | None = None
        self._seen: Sighting | None = None
        """The sighting of the current view, while it may show two plays."""
        self._noted: frozenset[Square] | None = None
        """The first of the two plays that were reported last."""
        self._asked: frozenset[Square] | None = None
        """The same of those that were asked about last."""
        self._turns = 0
        self._claim: tuple[Side, int] | None = None
        """The player who has pressed out of turn, and when."""

    def claim(self, state: GameState, side: Side, press_ns: int) -> None:
        """Note a press by the player who is not on turn, while the opponent's clock runs."""
        on_turn = state.on_turn == other(side) == state.clocks.running
        self._claim = (side, press_ns) if on_turn and state.status == "running" else None

    def claimed(self, state: GameState) -> int | None:
        """Return when the player on turn pressed before it was known whose turn it was."""
        claim, self._claim = self._claim, None
        return claim[1] if claim is not None and claim[0] == state.on_turn else None

    def look(self, state: GameState, now_ns: int) -> tuple[Side, TwoPlays, Sighting] | None:
        """Return who is on turn, the two plays that have come to rest, and the sighting of them.

        Where it is not certain that they are two turns, once.
        """
        self._follow(state)
        seen = self._stillness.current
        if seen is None or state.on_turn is None or state.status != "running":
            return None
        if seen is not self._observed:
            self._observed = seen
            sighting = self._observer.update(seen, len(state.turns) + 1)
            self._take(state, sighting)
            self._seen = sighting
        plays = None if self._seen is None else self._plays(state)
        if plays is None or self._seen is None:
            self._seen = None if self._claim is None else self._seen
            return None
        rested = now_ns - self._seen.frame.t_ns >= REST_NS
        noted = self._noted == plays.first and not plays.certain
        if noted or not (rested or self._claim is not None):
            return None
        self._noted = plays.first
        return state.on_turn, plays, self._seen

    def at_press(self, state: GameState, seen: SeenTurn) -> tuple[Side, TwoPlays, Sighting] | None:
        """Return the same of a press that is about to end both as one turn."""
        if seen.sighting is None:
            return None
        new = _new_tiles(state, seen.sighting)
        if len(new) < 2 or is_play(state.board, new, state.rulebook.rack_tiles):
            return None
        self._follow(state)
        self._take(state, seen.sighting)
        plays = self._plays(state, seen.side)
        return None if plays is None else (seen.side, plays, seen.sighting)

    def first_turn(
        self, state: GameState, side: Side, plays: TwoPlays, sighting: Sighting
    ) -> SeenTurn | None:
        """Return the first of two plays as a turn; ``sighting`` shows both.

        None if it is not certain that it was one.
        """
        if not plays.certain:
            return None
        mask = np.zeros((SIZE, SIZE), np.bool_)
        for square in _new_tiles(state, sighting).keys() - plays.first:
            mask[square] = True  # laid after the second player's press, too
        if sighting.observation is None:
            return None
        seen = hidden(sighting.observation, mask, sighting.merged.covered)
        view = self._views.view(state, seen, ())
        merged = view.sighting.merged
        rows = tuple(
            "".join(EMPTY if mask[row, col] else symbol for col, symbol in enumerate(line))
            for row, line in enumerate(merged.rows)
        )
        shown = replace(view.sighting, merged=replace(merged, rows=rows))
        if set(_new_tiles(state, shown)) != plays.first:
            return None
        sure = round(tiles_certainty(state, shown), 4)
        certainty = {"tiles": sure, "player": 1.0, "time": 0.5}
        return SeenTurn(side, plays.ended_ns, shown, certainty=certainty, ended="opponent_placed")

    def ask(self, plays: TwoPlays) -> bool:
        """Return True if two plays were not yet asked about, and note that they are now."""
        new, self._asked = self._asked != plays.first, plays.first
        return new

    # --- the tiles ---

    def _follow(self, state: GameState) -> None:
        """Learn from the turns that were recorded, and forget their tiles."""
        if len(state.turns) == self._turns:
            return
        last, placed = state.turns[-1] if state.turns else None, self._open
        pressed = len(state.turns) == self._turns + 1 and last is not None
        if pressed and last is not None and last.seen.ended is None and last.kind == "play":
            mine = (placed.get(Square.parse(name)) for name in last.tiles)
            ways = [tile.way for tile in mine if tile is not None and tile.way is not None]
            self._seats.learn(last.side, ways)
        self._turns, self._noted, self._asked = len(state.turns), None, None
        self._seen, self._observed = None, None
        self._open = {
            square: tile for square, tile in placed.items() if not is_tile(state.board[square])
        }

    def _take(self, state: GameState, sighting: Sighting) -> None:
        """Take the new tiles of a sighting."""
        now_ns, merged = sighting.frame.t_ns, sighting.merged
        new = _new_tiles(state, sighting)
        for row in range(SIZE):
            for col in range(SIZE):
                square = Square(row, col)
                if merged.rows[row][col] == EMPTY and not merged.covered[square]:
                    self._open.pop(square, None)
                    self._bare_ns[square] = now_ns
        fresh = [square for square in new if square not in self._open]
        if not fresh:
            return
        placements = self._stillness.placements(fresh, sighting)
        for square in fresh:
            placement = placements[square]
            after_ns = placement.after_ns or self._bare_ns.get(square, 0)
            at_ns = placement.by_ns or now_ns
            known = placement.after_ns is not None and placement.by_ns is not None
            span = after_ns - _AROUND_NS, at_ns + _AROUND_NS
            corners = sighting.reading.corners
            way = self._stillness.arm_way(corners, *span, square) if known else None
            self._open[square] = _Tile(new[square], way, after_ns, at_ns)

    def _plays(self, state: GameState, side: Side | None = None) -> TwoPlays | None:
        on_turn = side or state.on_turn
        since = state.progress.pressed_ns or 0
        if side is not None:  # the press that ends this turn is known; it began at the one before
            since = state.turns[-1].press_ns if state.turns else 0
        if on_turn is None:
            return None
        claim = None if self._claim is None else self._claim[1]
        tiles = {
            square: LaidTile(tile.symbol, self._seats.whose(tile.way), tile.after_ns, tile.at_ns)
            for square, tile in self._open.items()
            if claim is None or tile.after_ns < claim
        }
        if any(tile.at_ns <= since for tile in tiles.values()):
            return None  # the turn before is not all that it was seen to be
        unseen = bool(state.turns) and state.turns[-1].seen.sighted_ns is None
        if unseen and any(tile.after_ns < since for tile in tiles.values()):
            return None  # they may be of turns that nobody saw
        rack = state.rulebook.rack_tiles
        plays = two_plays(state.board, tiles, on_turn, rack, asked_of_last(state))
        if plays is None or plays.certain:
            return plays
        # Whoever presses has played; and arms from two sides are those of two players.
        certain = claim is not None or self._two_arms(plays)
        return replace(plays, certain=certain) if certain or plays.paused else None

    def _two_arms(self, plays: TwoPlays) -> bool:
        """True if the arms that made the two plays came from two sides."""
        ways = []
        for squares in (plays.first, plays.second):
            seen = [way for s in squares if (way := self._open[s].way) is not None]
            if not seen:
                return False
            ways.append(np.mean(seen, axis=0))
        return bool(ways[0] @ ways[1] <= OPPOSITE)


def _new_tiles(state: GameState, sighting: Sighting) -> dict[Square, str]:
    """Return the tiles in sight that were laid since the last turn and were read for certain.

    An earlier tile that was knocked aside, or put back where it lay, is nobody's play, nor is one
    of a withdrawn play that still lies there.
    """
    merged = sighting.merged
    board = Board.from_rows(merged.rows)
    placed = compare(state.board, board, state.rulebook.rack_tiles).placed
    position = state.progress.ledger.position
    known = put_back(position, board).keys() | withdrawn_there(position, board).keys()
    return {
        square: symbol
        for square, symbol in placed.items()
        if is_tile(symbol)
        and not is_tile(state.board[square])
        and square not in known
        and not merged.covered[square]
        and _is_tile_for_certain(sighting, square)
    }


def _is_tile_for_certain(sighting: Sighting, square: Square) -> bool:
    """True if a tile lies there, be it one of two letters that look alike."""
    tiles = np.delete(sighting.merged.belief.posterior[square], NOTHING)
    likeliest = float(np.sort(tiles)[-2:].sum())
    return max(likeliest, float(sighting.merged.confidence[square])) >= _SURE
