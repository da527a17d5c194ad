"""The new tiles on a board, and the plays that they can be parted into.

How the tiles lie, when they were laid and whose hands were seen tell; nothing of the game's course.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from game.board import Board, Square
from game.events import Side, other
from game.plays.completing import is_play


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
class Position:
    """What is known of the game before the open turn."""

    board: Board
    on_turn: Side | None
    rack: int
    """How many tiles a player can lay."""
    last: int | None = None
    """How many tiles the player on turn has left, once the bag is empty."""


class NewTiles(dict[Square, PlacedTile]):
    """The new tiles, by square."""

    def sides_of(self, tiles: Iterable[Square]) -> frozenset[Side]:
        """Return whose hands are known to have laid some of these tiles."""
        sides = {self[square].side for square in tiles}
        return frozenset(side for side in sides if side is not None)

    def after(self, position: Position, squares: Collection[Square]) -> Position:
        """Return the position with these tiles laid."""
        tiles = {square: self[square].symbol for square in squares}
        return replace(position, board=position.board.replace(tiles))

    def one_play(self, position: Position, squares: Collection[Square]) -> bool:
        """True if these tiles can be one play."""
        if not in_line(squares):
            return False
        tiles = {square: self[square].symbol for square in squares}
        return is_play(position.board, tiles, position.rack)

    def plays(self, position: Position, squares: Collection[Square]) -> bool:
        """True if these tiles are one play, or two in one way."""
        return self.one_play(position, squares) or len(self.partings(position, squares)) == 1

    def mostly_seen(self, play: Collection[Square]) -> bool:
        """True if one player's hand alone was seen at most tiles of a play, and at none another."""
        seen = [self[square].side for square in play if self[square].side is not None]
        return len(set(seen)) == 1 and 2 * len(seen) > len(play)

    def apart(self, first: frozenset[Square], second: frozenset[Square]) -> bool:
        """True if two plays are parted by their players, or for certain by their times."""
        ended_ns = max(self[square].at_ns for square in first)
        began_ns = min(self[square].after_ns for square in second)
        seen = self.mostly_seen(first) and self.mostly_seen(second)
        return self.sides_of(first) != self.sides_of(second) or (ended_ns <= began_ns and seen)

    def in_order(self, first: Collection[Square], second: Collection[Square]) -> bool:
        """True if all tiles of the first may have been laid before all of the second."""
        newest = max(self[square].after_ns for square in first)
        return not second or newest <= min(self[square].at_ns for square in second)

    def partings(
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
                    self.in_order(first, second)
                    and self.one_play(position, first)
                    and self.one_play(self.after(position, first), second)
                ):
                    found.append(first)
        whole = [
            first
            for first in found
            if max(self[s].at_ns for s in first) < min(self[s].at_ns for s in tiles - first)
        ]
        return tuple(whole or found)

    def by_turns(
        self, position: Position, first: Side, contrary: float, *, whole: bool = True
    ) -> list[frozenset[Square]]:
        """Return the plays by turns that the tiles make in the order in which they were laid.

        None where there are several shortest ways, or no way in which the other player's hand was
        seen at no more than a share of ``contrary`` of each play's tiles. Unless ``whole``, tiles
        of the last play may be hidden still. A tile that was long hidden may have been laid at any
        time until it was seen: where the middle of that time makes no plays, its end counts.
        """
        times = {square: (tile.after_ns + tile.at_ns, tile.at_ns) for square, tile in self.items()}
        for at in (0, 1):
            order = sorted(self, key=lambda square: times[square][at])
            found = self._plays_in(position, order, first, contrary, whole=whole)
            if found:
                return found
        return []

    def _plays_in(
        self, position: Position, order: list[Square], first: Side, contrary: float, *, whole: bool
    ) -> list[frozenset[Square]]:
        """Return the plays by turns that the tiles make in this order.

        What may follow depends on the last play alone: of the ways that end in the same one, two
        tell as well as all that there are several.
        """
        starts = position.on_turn or first
        ways: list[list[frozenset[Square]]] = [[]]
        sides = starts, other(starts)
        while ways:
            full = [way for way in ways if sum(map(len, way)) == len(order)]
            if full:
                return full[0] if len(full) == 1 else []
            ending: dict[frozenset[Square], list[list[frozenset[Square]]]] = {}
            for way in ways:
                for play in self._next_plays(position, order, sum(map(len, way)), whole):
                    alike = ending.setdefault(play, [])
                    if (
                        len(alike) < 2
                        and self._contrary(play, sides[len(way) % 2]) <= contrary
                        and not (way and self._came_with(play, way[-1], position.rack))
                    ):
                        alike.append([*way, play])
            ways = [way for alike in ending.values() for way in alike]
        return []

    def _came_with(self, play: frozenset[Square], before: frozenset[Square], rack: int) -> bool:
        """True if no hand was seen at a play, and it can be the end of the one before it.

        All of it lay there as soon as that one did, in line with it.
        """
        unseen = not any(self[square].hands for square in play)
        by_ns = max(self[square].at_ns for square in before)
        together = all(self[square].at_ns <= by_ns for square in play)
        return unseen and together and in_line(before | play) and len(before | play) <= rack

    def _contrary(self, play: Collection[Square], side: Side) -> float:
        """Return at what share of a play's tiles only the hand of this player's opponent was."""
        return sum(self[square].side == other(side) for square in play) / len(play)

    def _next_plays(
        self, position: Position, order: list[Square], done: int, whole: bool
    ) -> Iterator[frozenset[Square]]:
        """Yield the plays that may have been made next, the first ``done`` tiles being played."""
        after = self.after(position, order[:done])
        for end in range(done + 1, min(done + position.rack, len(order)) + 1):
            play = frozenset(order[done:end])
            begun = not whole and end == len(order) and in_line(play)
            if begun or self.one_play(after, play):
                yield play


def in_line(squares: Collection[Square]) -> bool:
    """True if these squares are all in one row or column."""
    return len({s.row for s in squares}) <= 1 or len({s.col for s in squares}) <= 1
