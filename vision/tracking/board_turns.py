"""Turns inferred from the board alone, where there is no clock: pure, one view after another.

What a player lays is a turn once the *other* player's hand has laid a tile: until then tiles may
come, go and be rearranged, and a play that is taken back was none. Whose hand laid a tile is seen
(``vision.tracking.hand_watch``); where it was not, how the tiles lie decides, and only where that
leaves one way:

* tiles that may all be one play are one play;
* tiles that cannot be one are two plays where exactly one parting, in the order in which they came,
  makes two;
* else they are one turn, with a doubt.

A play whose player was not seen is that of the player on turn, for certain if the opponent was seen
to answer it. Two plays of one player in a row mean that the opponent passed, exchanged or lost a
challenge in between: that turn is inferred, and asked about, as is every other player whose hand
was not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from game.board import Board, Square
from game.events import BoardEnding, Side, other
from game.plays.completing import is_play

CONFIRMED: Final = 2
"""In so many views a tile must be seen for it to end the opponent's turn."""

WAIT_NS: Final = 10_000_000_000
"""Where tiles may belong to either of two plays, so long is waited for more of the second."""

OUT_NS: Final = 3_000_000_000
"""A player's last tiles have been played when they have lain there unchanged for so long."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on a square that was empty when the turn before ended."""

    symbol: str
    hands: frozenset[Side]
    """Whose hands may have laid it; none where no hand was seen there."""
    after_ns: int
    """The square was still empty then, ..."""
    at_ns: int
    """... and the tile lay there by then."""
    views: int = 1
    """In how many views it was seen."""

    @property
    def side(self) -> Side | None:
        """Whose it is, where one player's hand alone was there."""
        return next(iter(self.hands)) if len(self.hands) == 1 else None


@dataclass(frozen=True, slots=True)
class BoardView:
    """The board at rest at one moment."""

    t_ns: int
    tiles: Mapping[Square, PlacedTile]
    """The new tiles in sight."""
    hidden: frozenset[Square] = frozenset()
    """Squares that could not be seen."""


@dataclass(frozen=True, slots=True)
class Position:
    """What is known of the game before the open turn."""

    board: Board
    on_turn: Side | None
    rack: int
    """How many tiles a player can lay."""
    last: int | None = None
    """How many tiles the player on turn has left, once the bag is empty."""


@dataclass(frozen=True, slots=True)
class BoardTurn:
    """A turn that has ended."""

    side: Side
    tiles: frozenset[Square]
    """The squares of its tiles; none for a turn without a play."""
    ended_ns: int
    how: BoardEnding
    doubt: str | None = None
    """What is to be asked about it."""
    others: frozenset[Square] = frozenset()
    """The squares of tiles that are not of this turn, and were seen before it was known to end."""


class BoardTurns:
    """Follows the tiles of the open turn of one game."""

    def __init__(self) -> None:
        self.open: dict[Square, PlacedTile] = {}
        """The new tiles as they were seen last."""
        self._taken: dict[Square, PlacedTile] = {}
        """Those of the turn that ended last."""
        self._ended_ns = 0
        self._seen_ns = 0
        self._changed_ns = 0
        self._answered_ns: int | None = None
        """When an answer to the open play was first seen."""

    def see(self, view: BoardView, position: Position) -> tuple[BoardTurn, ...]:
        """Take the next view; return the turns that it shows to have ended, in order."""
        self._take(view)
        first = self._first_side()
        answer = [
            square
            for square, tile in self.open.items()
            if first is not None and tile.side == other(first) and tile.views >= CONFIRMED
        ]
        if not answer:
            self._answered_ns = None
            return self._unseen_hands(position) or self._played_out(position)
        if self._answered_ns is None:
            self._answered_ns = view.t_ns
        tiles, sure = self._first_play(position, answer)
        if not sure and view.t_ns - self._answered_ns < WAIT_NS and not self._answered(answer):
            return ()
        return self._end(position, tiles, "opponent_placed", sure=sure)

    def finish(self, position: Position) -> tuple[BoardTurn, ...]:
        """Return the turns that are still open: nothing more will be seen."""
        turns: list[BoardTurn] = []
        while self.open:
            first = self._first_side()
            answer = [s for s, tile in self.open.items() if first and tile.side == other(first)]
            tiles, sure = frozenset(self.open), True
            if answer:
                tiles, sure = self._first_play(position, answer)
            found = self._end(position, tiles, "watch_ended", sure=sure)
            turns += found
            tiles_then = {square: tile.symbol for square, tile in self._taken.items()}
            position = replace(
                position, board=position.board.replace(tiles_then), on_turn=other(found[-1].side)
            )
        return tuple(turns)

    # --- the tiles ---

    def _take(self, view: BoardView) -> None:
        before = {square: tile.symbol for square, tile in self.open.items()}
        for square in list(self.open):
            if square not in view.tiles and square not in view.hidden:
                del self.open[square]  # taken back
        for square, tile in view.tiles.items():
            known = self.open.get(square)
            if known is None:
                self.open[square] = tile
            else:
                self.open[square] = replace(known, symbol=tile.symbol, views=known.views + 1)
        if before != {square: tile.symbol for square, tile in self.open.items()}:
            self._changed_ns = view.t_ns
        self._seen_ns = view.t_ns

    def _first_side(self) -> Side | None:
        """Return whose the earliest tile is of those whose player was seen."""
        known = [tile for tile in self.open.values() if tile.side is not None]
        return min(known, key=lambda tile: tile.at_ns).side if known else None

    def _first_play(
        self, position: Position, answer: Collection[Square]
    ) -> tuple[frozenset[Square], bool]:
        """Return the play that lay there before an answer, and whether it is the only one.

        Tiles whose player was not seen belong to either.
        """
        player = other(self.open[next(iter(answer))].side or "left")
        began = min(self.open[square].at_ns for square in answer)
        mine = {square for square, tile in self.open.items() if tile.side == player}
        third = {square for square in mine if self.open[square].after_ns >= began}
        free = [
            square
            for square, tile in self.open.items()
            if tile.side is None and tile.after_ns <= began
        ]
        if not free:
            return frozenset(mine - third), True
        plays = [
            first
            for count in range(len(free) + 1)
            for some in combinations(free, count)
            if self._one_play(position, first := frozenset(mine - third | set(some)))
            and self._in_order(first, self.open.keys() - first)
        ]
        whole = [
            first
            for first in plays
            if self._one_play(self._after(position, first), self.open.keys() - first - third)
        ]
        for found in (whole, plays):
            if len(found) == 1:
                return found[0], True
        early = {square for square in free if self.open[square].at_ns < began}
        return frozenset(mine - third | early), False

    def _answered(self, answer: Collection[Square]) -> bool:
        """True if a tile was placed after an answer by whoever it answered."""
        side = self.open[next(iter(answer))].side
        last = max(self.open[square].at_ns for square in answer)
        return any(
            tile.side not in (None, side) and tile.after_ns >= last for tile in self.open.values()
        )

    def _in_order(self, first: Collection[Square], second: Collection[Square]) -> bool:
        """True if all tiles of the first may have been laid before all of the second."""
        newest = max(self.open[square].after_ns for square in first)
        return not second or newest <= min(self.open[square].at_ns for square in second)

    # --- the turns ---

    def _unseen_hands(self, position: Position) -> tuple[BoardTurn, ...]:
        """Return the first of two plays, where the hand of the second was not seen.

        They are parted where that can be done in one way.
        """
        unseen = {square for square, tile in self.open.items() if tile.side is None}
        confirmed = all(tile.views >= CONFIRMED for tile in self.open.values())
        if not unseen or not confirmed or self._one_play(position, self.open):
            return ()
        parted = self._partings(position, self.open.keys())
        if len(parted) != 1:
            return ()
        first, second = (self._sides_of(play) for play in (parted[0], self.open.keys() - parted[0]))
        if len(first) > 1 or len(second) > 1 or (first and first == second):
            return ()
        return self._end(position, parted[0], "opponent_placed", sure=True)

    def _played_out(self, position: Position) -> tuple[BoardTurn, ...]:
        squares = frozenset(self.open)
        if not squares or position.last != len(squares):
            return ()
        still = self._seen_ns - self._changed_ns >= OUT_NS
        if not still or not self._one_play(position, squares):
            return ()
        return self._end(position, squares, "played_out", sure=True)

    def _end(
        self, position: Position, tiles: frozenset[Square], how: BoardEnding, *, sure: bool
    ) -> tuple[BoardTurn, ...]:
        """End the turn that laid these tiles; the others stay open."""
        turns: list[BoardTurn] = []
        plays, doubt = [tiles], None if sure else "whose hand laid some tiles was not seen"
        if not self._one_play(position, tiles):
            parted = self._partings(position, tiles)
            if len(parted) == 1:
                plays = [parted[0], tiles - parted[0]]
            else:
                doubt = "its tiles make no play"
        expected, seen, taken = position.on_turn, frozenset(self.open), frozenset[Square]()
        for number, play in enumerate(plays):
            last = number == len(plays) - 1
            ended_ns = max(self._ended_ns, *(self.open[square].at_ns for square in play))
            sides = self._sides_of(play)
            next_sides = self._sides_of(self.open.keys() - tiles if last else plays[-1])
            mover = next(iter(sides)) if len(sides) == 1 else expected or "left"
            answered = next_sides == {other(mover)}
            why = doubt
            if len(sides) > 1 or not (sides or (expected and answered)):
                why = why or "whose hand laid it was not seen"
            elif len(plays) > 1 and sides and all(self._sides_of(one) == sides for one in plays):
                why = why or "two plays of one hand, with nothing seen between them"
            if expected is not None and mover != expected:
                why = why or "the turn before it is inferred from the hands"
                passed = self._passed(expected, ended_ns, opening=not position.board.tiles())
                turns.append(replace(passed, others=seen - taken))
            again = not last and next_sides == {mover}
            ended: BoardEnding = "player_placed_again" if again else how
            turns.append(BoardTurn(mover, play, ended_ns, ended, why, seen - taken - play))
            taken |= play
            expected, self._ended_ns = other(mover), ended_ns
        self._answered_ns = None
        self._taken = {square: self.open.pop(square) for square in tiles}
        return tuple(turns)

    def _passed(self, side: Side, before_ns: int, *, opening: bool) -> BoardTurn:
        """Return the turn without a play that must lie before the opponent's."""
        why = "nothing was laid, and the opponent's hand has laid another play"
        if opening:
            why = (
                "the opponent's hand laid the opening play; or the players sit the other way round"
            )
        ended_ns = max(self._ended_ns, before_ns - 1)
        return BoardTurn(side, frozenset(), ended_ns, "player_placed_again", why)

    def _sides_of(self, tiles: Iterable[Square]) -> frozenset[Side]:
        """Return whose hands are known to have laid some of these tiles."""
        sides = {self.open[square].side for square in tiles}
        return frozenset(side for side in sides if side is not None)

    def _partings(
        self, position: Position, squares: Collection[Square]
    ) -> tuple[frozenset[Square], ...]:
        """Return the plays that the earliest of these tiles can be, the others being another.

        Those that all lay there before any of the others go first.
        """
        tiles = frozenset(squares)
        found = []
        for count in range(max(1, len(tiles) - position.rack), min(len(tiles), position.rack + 1)):
            for some in combinations(tiles, count):
                first = frozenset(some)
                second = tiles - first
                if (
                    self._in_order(first, second)
                    and self._one_play(position, first)
                    and self._one_play(self._after(position, first), second)
                ):
                    found.append(first)
        whole = [
            first
            for first in found
            if max(self.open[s].at_ns for s in first)
            < min(self.open[s].at_ns for s in tiles - first)
        ]
        return tuple(whole or found)

    def _after(self, position: Position, squares: Collection[Square]) -> Position:
        """Return the position with these tiles laid."""
        tiles = {square: self.open[square].symbol for square in squares}
        return replace(position, board=position.board.replace(tiles))

    def _one_play(self, position: Position, squares: Collection[Square]) -> bool:
        """True if these tiles can be one play."""
        if len({s.row for s in squares}) > 1 and len({s.col for s in squares}) > 1:
            return False
        tiles = {square: self.open[square].symbol for square in squares}
        return is_play(position.board, tiles, position.rack)
