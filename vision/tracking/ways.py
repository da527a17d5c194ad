"""The ways in which new tiles can have been laid by turns: by time, by hands and by how they lie.

A tile that lay under a hand for long may have been laid at any moment of that time, so that tiles
can often be parted into plays in several ways. Those with the fewest turns are the likeliest; where
there are others as good, nobody but the players knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Final

from game.board import Square
from game.events import SIDES, Side, other
from vision.tracking.new_tiles import NewTiles, PlacedTile, Position, in_line
from vision.tracking.two_plays import HOVERING, PAUSE_NS

MOST_TRIED: Final = 6_000
"""So many plays are tried at most, which takes half a second on a laptop."""

ANSWER_NS: Final = 1_000_000_000
"""Between the last tile of a play and the first of its answer is more time than this."""

_PASSES: Final = 0.05
"""About so many turns lay no tile: of 1,012 in forty tournament records 38 are passes or exchanges,
and challenges are lost."""

_DOUBTED: Final = 0.2
"""Another order of two plays is asked about if it is at least so many times as likely."""

PLACING_NS: Final = 200_000_000
"""Nobody lays a tile after another sooner."""


@dataclass(frozen=True, slots=True)
class Play:
    """A play of a way; one without tiles is a pass, an exchange or a lost challenge."""

    side: Side
    tiles: frozenset[Square]


Way = tuple[Play, ...]


class Ways:
    """Looks for the ways in which some tiles can have been laid."""

    def __init__(self, tiles: NewTiles, *, hovering: float = 0.0, whole: bool = True) -> None:
        """Prepare a search.

        Args:
            tiles: what was laid.
            hovering: at up to this share of a play's tiles only the other player's hand was seen.
            whole: if not, tiles of the last play may be hidden still.
        """
        self._tiles, self._hovering, self._whole = tiles, hovering, whole
        self._tried = 0
        self._fits: dict[tuple[frozenset[Square], frozenset[Square]], bool] = {}
        """Whether tiles are a play, given which others are not played yet."""

    @property
    def too_many(self) -> bool:
        """True if more plays would have to be tried than there is time for."""
        return self._tried > MOST_TRIED

    def of(
        self, position: Position, side: Side, turns: int, *, passed: bool = True
    ) -> Iterator[Way]:
        """Yield the ways with so many turns of which the first is this player's.

        Unless ``passed`` is False, that one is a play, and no pass.
        """
        return self._of(position, frozenset(self._tiles), side, turns, -ANSWER_NS, passed=passed)

    def _of(
        self,
        position: Position,
        rest: frozenset[Square],
        side: Side,
        turns: int,
        ended_ns: int,
        *,
        passed: bool,
    ) -> Iterator[Way]:
        """Yield the ways in which the rest can have been laid after a turn that ended then."""
        if turns == 0 or not rest:
            if not (turns or rest):
                yield ()
            return
        for play in [rest] if turns == 1 else runs(rest):
            self._tried += 1
            if self.too_many:
                return
            end_ns = self._end_ns(play, side, ended_ns)
            others = [self._tiles[square].at_ns for square in rest - play]
            if end_ns is None or any(at_ns < end_ns + ANSWER_NS for at_ns in others):
                continue
            begun = turns == 1 and not self._whole and in_line(play)
            if not (begun or self._is_play(position, rest, play)):
                continue
            after = self._tiles.after(position, play)
            for way in self._of(after, rest - play, other(side), turns - 1, end_ns, passed=False):
                yield (Play(side, play), *way)
        if not passed and turns > 1:
            end_ns = ended_ns + ANSWER_NS
            for way in self._of(position, rest, other(side), turns - 1, end_ns, passed=True):
                yield (Play(side, frozenset()), *way)

    def _end_ns(self, play: frozenset[Square], side: Side, ended_ns: int) -> int | None:
        """Return when a play can have been complete at the earliest; None if it cannot be.

        ``ended_ns`` is when the turn before ended.
        """
        tiles = sorted((self._tiles[square] for square in play), key=lambda tile: tile.at_ns)
        at_ns = [ended_ns + ANSWER_NS + PLACING_NS * number for number in range(len(tiles))]
        late = any(tile.at_ns < at for tile, at in zip(tiles, at_ns, strict=True))
        contrary = sum(tile.side == other(side) for tile in tiles) > self._hovering * len(tiles)
        if late or contrary or (ended_ns >= 0 and _came_before(tiles)):
            return None
        return max(at_ns[-1], *(tile.after_ns for tile in tiles))

    def _is_play(
        self, position: Position, rest: frozenset[Square], play: frozenset[Square]
    ) -> bool:
        known = self._fits.get((rest, play))
        if known is None:
            known = self._tiles.one_play(position, play)
            self._fits[rest, play] = known
        return known


def _came_before(tiles: Sequence[PlacedTile]) -> bool:
    """True if some of a play's tiles lay there long before the others, and nobody's hand was seen.

    They are of the play before.
    """
    for count in range(1, len(tiles)):
        early, late = tiles[:count], tiles[count:]
        pause = min(tile.after_ns for tile in late) - early[-1].at_ns
        if pause >= PAUSE_NS and all(tile.side is None for tile in early):
            return True
    return False


def fewest(tiles: NewTiles, position: Position, most: int) -> list[Way] | None:
    """Return the ways with the fewest turns, up to ``most``, as far as the hands seen allow.

    None where there are too many to try.
    """
    sides = SIDES if position.on_turn is None else (position.on_turn,)
    for whole, hovering in product((True, False), (0.0, HOVERING)):
        ways = Ways(tiles, hovering=hovering, whole=whole)
        for turns in range(1, most + 1):
            found = [way for side in sides for way in ways.of(position, side, turns)]
            if ways.too_many:
                return None
            if found:
                return found
    return []


def after_a_pass(tiles: NewTiles, position: Position, ways: Sequence[Way]) -> list[Way]:
    """Return the ways in which the plays of one of these were made in another order.

    Two plays that came into sight together can have been made in either order, if the player who
    seems to have been first passed or exchanged before. Passes are rare: such a way counts only
    where the times leave much more room for it. All of ``ways`` have as many turns.
    """
    if not ways or len(ways[0]) == 1:
        return []  # one play has no order
    found: list[Way] = []
    for side in {way[0].side for way in ways}:
        room = {_plays(way): _room(tiles, way) for way in ways if way[0].side == side}
        passed = position.on_turn is None  # then nobody knows who would have passed
        search = Ways(tiles).of(position, side, len(ways[0]) + 1, passed=passed)
        same = [way for way in search if _plays(way) in room]
        least = _DOUBTED / _PASSES
        found += [way for way in same if _room(tiles, way) >= least * room[_plays(way)]]
    return found


def _plays(way: Way) -> frozenset[Play]:
    return frozenset(play for play in way if play.tiles)


def _room(tiles: NewTiles, way: Way) -> float:
    """Return how much room the times leave a way: the product of its plays' spans, in seconds."""
    ended_ns, spans = -ANSWER_NS, []
    rest = frozenset(tiles)
    for play in way:
        rest -= play.tiles
        ended_ns += ANSWER_NS
        if play.tiles:
            ended_ns = max(ended_ns, *(tiles[square].after_ns for square in play.tiles))
            by_ns = max(tiles[square].at_ns for square in play.tiles)
            answers = (tiles[square].at_ns - ANSWER_NS for square in rest)
            spans.append(max(min([by_ns, *answers]) - ended_ns, PLACING_NS))
    return prod(span / 1e9 for span in spans)


@lru_cache(1024)
def runs(squares: frozenset[Square]) -> frozenset[frozenset[Square]]:
    """Return the sets of squares that follow one another in a row or column."""
    found = set()
    for across in (True, False):
        lines: dict[int, list[Square]] = {}
        for square in sorted(squares):
            lines.setdefault(square.row if across else square.col, []).append(square)
        for line in lines.values():
            for start in range(len(line)):
                for end in range(start + 1, len(line) + 1):
                    found.add(frozenset(line[start:end]))
    return frozenset(found)
