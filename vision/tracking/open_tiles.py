"""The new tiles of the turn that is open, kept from one view to the next."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from game.board import Square
from game.events import Side, other
from game.plays.completing import is_play
from vision.tracking.new_tiles import NewTiles, PlacedTile, Position

CONFIRMED: Final = 2
"""In so many views a tile must be seen for it to end the opponent's turn, or to amend another."""

_MOST_PLAYS: Final = 2
"""To so many of the last plays a tile that was read late may be added."""

BACK_NS: Final = 6_000_000_000
"""A tile that is back on its square by then had not been taken up."""


@dataclass(frozen=True, slots=True)
class BoardView:
    """The board at rest at one moment."""

    t_ns: int
    tiles: Mapping[Square, PlacedTile]
    """The new tiles in sight."""
    hidden: frozenset[Square] = frozenset()
    """Squares that could not be seen."""


@dataclass(frozen=True, slots=True)
class LateTiles:
    """Tiles that complete a play, and were read only when its turn had ended."""

    play: frozenset[Square]
    """The squares of the tiles that were read in time."""
    tiles: Mapping[Square, str]


@dataclass(frozen=True, slots=True)
class EndedPlay:
    """A play of a turn that has ended."""

    before: Position
    side: Side
    tiles: Mapping[Square, str]
    ended_ns: int
    """When its turn ended."""


class OpenTiles(NewTiles):
    """The new tiles as they were seen last."""

    def __init__(self) -> None:
        super().__init__()
        self.seen_ns = 0
        """When the newest view was taken, ..."""
        self.changed_ns = 0
        """... and when a tile came, went or was read otherwise."""
        self.disbelieved: set[Square] = set()
        """Tiles at which a hand was seen that cannot have laid them."""
        self.late: dict[Square, PlacedTile] = {}
        """Tiles on the board that were read only when their turn had ended."""
        self.unasked: set[Square] = set()
        """Those of them that were not asked about yet."""
        self.ended: deque[EndedPlay] = deque(maxlen=_MOST_PLAYS)
        """The last plays whose turns have ended, newest first."""
        self.amended: set[Square] = set()
        """Late tiles that were added to their turn once: somebody may have taken that back."""
        self._gone: dict[Square, tuple[int, PlacedTile]] = {}
        """The tiles that went out of sight last, and when."""
        self._ended_ns = 0
        self._last: tuple[Side | None, int] = None, -1
        """Whose turn ended last, and when the first tile of its answer was laid."""

    def take(self, view: BoardView) -> None:
        """Take the next view."""
        before = {square: tile.symbol for square, tile in self.items()}
        for square in [s for s in self if s not in view.tiles and s not in view.hidden]:
            # Taken back; or fingers over it passed for a bare square.
            self._gone[square] = view.t_ns, self.pop(square)
        for square in [s for s in self.late if s not in view.tiles and s not in view.hidden]:
            del self.late[square]
            self.unasked.discard(square)
        for square, tile in view.tiles.items():
            known = self.get(square)
            if known is not None:
                self[square] = replace(known, symbol=tile.symbol, views=known.views + 1)
                continue
            # When it was laid is known best from when it came into sight.
            was = self.late.pop(square, None)
            placed = tile if was is None else replace(was, symbol=tile.symbol, views=was.views + 1)
            if square in self.amended or self._is_late(placed):
                self.late[square] = placed
                if was is None and square not in self.amended:
                    self.unasked.add(square)
            else:
                self[square] = self._back(square, placed, view.t_ns)
        if before != {square: tile.symbol for square, tile in self.items()}:
            self.changed_ns = view.t_ns
        self.seen_ns = view.t_ns

    def completed(self) -> LateTiles | None:
        """Return tiles that complete one of the last plays, of those that were read late.

        Each is returned once. Where they may be of more than one play, of the newest, and the next
        turn asks about them.
        """
        counted = {square for play in self.ended for square in play.tiles}
        late = {
            square: tile
            for square, tile in self.late.items()
            if (tile.views >= CONFIRMED or square in counted) and square not in self.amended
        }
        for tiles in [late, *({square: tile} for square, tile in late.items())]:
            fits = [play for play in self.ended if tiles and _completes(tiles, play)]
            if fits:
                self.amended |= tiles.keys()
                if len(fits) == 1:
                    self.unasked -= tiles.keys()
                symbols = {square: tile.symbol for square, tile in tiles.items()}
                return LateTiles(frozenset(fits[0].tiles), symbols)
        return None

    def find_late(self, position: Position) -> None:
        """Take tiles for late that were hidden when a play ended, and complete it.

        Not where all tiles that lie there now may be one play of the open turn.
        """
        for play in self.ended:
            late = {
                square: tile
                for square, tile in self.items()
                if tile.after_ns < play.ended_ns and square not in self.amended
            }
            alone = len(late) == len(self)
            if late and _completes(late, play) and (alone or not self.one_play(position, self)):
                self.late |= late
                for square in late:
                    del self[square]
                return

    def take_late(self) -> None:
        """Open the tiles again that were read late and added to no play."""
        for square in self.late.keys() - self.amended:
            self[square] = self.late.pop(square)

    def end(self, tiles: Collection[Square], side: Side | None, ended_ns: int) -> None:
        """Drop the tiles of a turn that has ended; the others answer it."""
        rest = [self[square].at_ns for square in self.keys() - set(tiles)]
        self._last, self._ended_ns = (side, min(rest, default=-1)), ended_ns
        for square in tiles:
            del self[square]
        self._gone.clear()
        self.disbelieved -= set(tiles)

    def first_side(self) -> Side | None:
        """Return whose the earliest tile is of those whose player was seen."""
        known = [tile for tile in self.values() if tile.side is not None]
        return min(known, key=lambda tile: tile.at_ns).side if known else None

    def disbelieve(self, squares: Collection[Square], side: Side, *, asked: bool = True) -> None:
        """Take back whose hand was seen at tiles that only this player can have laid."""
        for square in squares:
            tile = self[square]
            if tile.side == other(side):
                self[square] = replace(tile, hands=frozenset())
                if asked:
                    self.disbelieved.add(square)

    def _is_late(self, tile: PlacedTile) -> bool:
        """True if a tile that has come into view was laid in a turn that has ended."""
        side, answered_ns = self._last
        return tile.at_ns <= self._ended_ns or (tile.side == side and tile.at_ns <= answered_ns)

    def _back(self, square: Square, tile: PlacedTile, now_ns: int) -> PlacedTile:
        """Return a tile that has come into view: as it was known, if it was only out of sight."""
        gone_ns, known = self._gone.get(square, (0, tile))
        same = known.symbol == tile.symbol and now_ns - gone_ns <= BACK_NS
        return replace(known, views=known.views + (known is not tile)) if same else tile


def _completes(tiles: Mapping[Square, PlacedTile], play: EndedPlay) -> bool:
    """True if tiles that were read late can be of a play, whose hand is not the other's."""
    whole = {**play.tiles, **{square: tile.symbol for square, tile in tiles.items()}}
    theirs = any(tile.side == other(play.side) for tile in tiles.values())
    return not theirs and is_play(play.before.board, whole, play.before.rack)
