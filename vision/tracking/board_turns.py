"""Turns inferred from the board alone, where there is no clock: pure, one view after another.

What a player lays is a turn once the *other* player's hand has laid a tile: until then tiles may
come, go and be rearranged, and a play that is taken back was none. Whose hand laid a tile is seen
(``vision.tracking.hand_watch``); where it was not, how the tiles lie decides, and only where that
leaves one way:

* tiles that may all be one play are one play;
* tiles that cannot be one are two plays where exactly one parting, in the order in which they came,
  makes two;
* else they are one turn, with a doubt.

Of all ways in which the tiles can have been laid by turns (``vision.tracking.ways``) that with the
fewest turns counts, and where several are as short, what differs between them is asked about.

A hand may hover beside the one that lays a tile. Where the hands seen would make plays that cannot
be, or the opponent's play of a turn that was not the opponent's, and how the tiles lie makes plays
by turns, the hands are disbelieved, which is asked about.

A play whose player was not seen is that of the player on turn, for certain if the opponent was seen
to answer it. Two plays of one player in a row mean that the opponent passed, exchanged or lost a
challenge in between: that turn is inferred, and asked about, as is every other player whose hand
was not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, cycle, product
from typing import Final

from game.board import Square
from game.events import other
from vision.tracking.new_tiles import Position, in_line
from vision.tracking.open_tiles import CONFIRMED, BoardView, OpenTiles
from vision.tracking.turn_ends import BoardTurn, TurnEnds
from vision.tracking.two_plays import HOVERING
from vision.tracking.ways import Play, Way, Ways, after_a_pass, fewest

WAIT_NS: Final = 10_000_000_000
"""Where tiles may belong to either of two plays, so long is waited for more of the second."""

TOGETHER_NS: Final = 3_000_000_000
"""A play and its answer that make one play are two if the answer came so much later."""

_MOST_FREE: Final = 5
"""With more tiles whose player was not seen they are not tried for two plays of one player."""

_SEVERAL_WAYS: Final = "its tiles can be parted into turns in more than one way"
"""What is asked where several ways to lay the tiles are as likely."""

_EITHER_ORDER: Final = "it came into sight with the opponent's play, and may have come after that"
"""What is asked where two plays can have been made in either order."""

OUT_NS: Final = 3_000_000_000
"""A player's last tiles have been played when they have lain there unchanged for so long."""


class BoardTurns:
    """Follows the tiles of the open turn of one game."""

    def __init__(self) -> None:
        self._ends = TurnEnds()
        self._answered_ns: int | None = None
        """When an answer to the open play was first seen."""

    @property
    def open(self) -> OpenTiles:
        """The tiles of turns that have not ended."""
        return self._ends.open

    def see(self, view: BoardView, position: Position) -> tuple[BoardTurn, ...]:
        """Take the next view; return the turns that it shows to have ended, in order."""
        self.open.amended &= position.board.tiles().keys() | view.tiles.keys() | view.hidden
        self.open.take(view)
        self.open.find_late(position)
        before = deepcopy(self._ends)
        turns = self._ended(view, position)
        if not turns:
            return ()
        self._answered_ns = None
        return self._by_fewest(before, position, turns)

    def _ended(self, view: BoardView, position: Position) -> tuple[BoardTurn, ...]:
        """Return the turns that the newest view shows to have ended."""
        first = self.open.first_side()
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
        if self._amidst(position, answer):
            return ()
        waited = view.t_ns - self._answered_ns >= WAIT_NS
        if self._came_with_play(position, answer, waited=waited):
            return ()
        if self._may_be_one(position, answer):
            if position.on_turn == other(first or "left"):
                self.open.disbelieve(self.open, position.on_turn)
                return ()
            if not waited:
                return ()
        if self._seems_passed(answer) and (
            turns := self._by_turns(position, (True, False), (HOVERING,))
        ):
            return turns
        tiles, sure = self._first_play(position, answer)
        two = tiles | frozenset(answer)
        fits = in_line(two - tiles) and self.open.plays(position, tiles)
        if not fits:
            parted = self.open.partings(position, two)
            if len(parted) == 1:
                mover = position.on_turn or first or "left"
                self.open.disbelieve(parted[0], mover)
                self.open.disbelieve(two - parted[0], other(mover))
                one = self.open.one_play(position, two)
                return self._ends.end(position, parted[0], "opponent_placed", sure=not one)
            turns = self._by_turns(position, (True, False))
            if turns:
                return turns
        if not (sure and fits) and not waited and not self._answered(answer):
            return ()
        laid_ns = max((self.open[square].at_ns for square in tiles), default=0)
        early = {s for s in answer if self.open[s].at_ns < laid_ns + TOGETHER_NS}
        if early and self.open.one_play(position, tiles | early):
            sure = False  # the opponent's hand may have hovered beside the player's own
        return self._ends.end(position, tiles, "opponent_placed", sure=sure)

    def finish(self, position: Position) -> tuple[BoardTurn, ...]:
        """Return the turns that are still open: nothing more will be seen."""
        turns: list[BoardTurn] = []
        self.open.take_late()
        while self.open:
            before = {square: tile.symbol for square, tile in self.open.items()}
            first = self.open.first_side()
            answer = [s for s, tile in self.open.items() if first and tile.side == other(first)]
            tiles, sure = frozenset(self.open), True
            if answer:
                tiles, sure = self._first_play(position, answer)
            else:
                sure = not self._may_be_two(position)
            parted = () if self.open.plays(position, tiles) else self._by_turns(position, (True,))
            found = parted or self._ends.end(position, tiles, "watch_ended", sure=sure)
            turns += found
            gone = {square for turn in found for square in turn.tiles}
            board = position.board.replace({square: before[square] for square in gone})
            position = replace(position, board=board, on_turn=other(found[-1].side))
        return tuple(turns)

    # --- the tiles ---

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
        # Two plays of one player may have a pass between them.
        passed = not in_line(mine - third) or len(mine - third) > position.rack
        two = passed and len(free) <= _MOST_FREE
        fits = self.open.plays if two else self.open.one_play
        plays = [
            first
            for count in range(min(len(free), position.rack) + 1)
            for some in combinations(free, count)
            if fits(position, first := frozenset(mine - third | set(some)))
            and self.open.in_order(first, self.open.keys() - first)
        ]
        whole = [
            first
            for first in plays
            if self.open.one_play(
                self.open.after(position, first), self.open.keys() - first - third
            )
        ]
        for found in (whole,) if two else (whole, plays):
            if len(found) == 1:
                return found[0], True
        every = frozenset(mine - third).union(free)
        last = max((self.open[square].at_ns for square in mine - third), default=-1)
        unanswered = min(self.open[square].after_ns for square in answer)
        came_before = all(self.open[s].at_ns <= min(last, unanswered) for s in free)
        if came_before and (every in plays or (passed and self.open.plays(position, every))):
            return every, True  # they came with the player's own, before any of the answer
        early = {square for square in free if self.open[square].at_ns < began}
        return frozenset(mine - third | early), False

    def _may_be_one(self, position: Position, answer: Collection[Square]) -> bool:
        """True if a play and its answer came so close that they may be one play of one player.

        The opponent's hand may have hovered beside the one that laid it.
        """
        began = min(self.open[square].at_ns for square in answer)
        mine = [tile.at_ns for square, tile in self.open.items() if square not in answer]
        return began - max(mine, default=0) < TOGETHER_NS and self.open.one_play(
            position, self.open
        )

    def _amidst(self, position: Position, answer: Collection[Square]) -> bool:
        """Take tiles of an answer for the player's own that were laid in the midst of a play.

        Without them it was no play until then, and none could be answered.
        """
        player = self.open.first_side()
        mine = {square for square, tile in self.open.items() if tile.side in (None, player)}
        newest = max(self.open[square].after_ns for square in mine)
        amidst = {square for square in answer if self.open[square].at_ns <= newest}
        if player is None or not amidst:
            return False
        began = min(self.open[square].at_ns for square in amidst)
        before = {square for square in mine if self.open[square].after_ns < began}
        if self.open.plays(position, before) or not self.open.one_play(position, mine | amidst):
            return False
        self.open.disbelieve(amidst, player, asked=False)
        return True

    def _came_with_play(
        self, position: Position, answer: Collection[Square], *, waited: bool
    ) -> bool:
        """Take tiles of an answer for the player's own that came with the play and fit into it.

        The opponent's hand rested beside them: whoever answers at once goes on at once.
        """
        player = other(self.open[next(iter(answer))].side or "left")
        others = {square for square, tile in self.open.items() if tile.side == other(player)}
        by_time = sorted(others, key=lambda square: self.open[square].at_ns)
        times = [self.open[square].at_ns for square in by_time]
        gaps = [n for n in range(1, len(times)) if times[n] - times[n - 1] >= TOGETHER_NS]
        if not gaps and not waited:
            return False
        early = set(by_time[: gaps[0]] if gaps else by_time)
        before_ns = times[gaps[0]] if gaps else self.open.seen_ns + 1
        mine = {s for s, t in self.open.items() if s not in others and t.at_ns < before_ns}
        played_ns = max((self.open[square].at_ns for square in mine), default=0)
        if times[0] - played_ns >= TOGETHER_NS or len(early) > HOVERING * len(mine | early):
            return False
        if not self.open.one_play(position, mine | early):
            return False
        self.open.disbelieve(early, player)
        return True

    def _seems_passed(self, answer: Collection[Square]) -> bool:
        """True if the hands seen show more than one play before an answer."""
        player = other(self.open[next(iter(answer))].side or "left")
        began = min(self.open[square].at_ns for square in answer)
        mine = [s for s, t in self.open.items() if t.side == player and t.after_ns < began]
        return not in_line(mine)

    def _may_be_two(self, position: Position) -> bool:
        """True if the end of a play may be its answer.

        It came later, and both hands were at all of its tiles.
        """
        both = {square for square, tile in self.open.items() if len(tile.hands) > 1}
        if not both or position.on_turn is None:
            return False

        def came_later(first: Collection[Square], second: Collection[Square]) -> bool:
            began = min(self.open[square].at_ns for square in second)
            return began - max(self.open[square].at_ns for square in first) >= TOGETHER_NS

        ways = Ways(self.open).of(position, position.on_turn, 2)
        return any(
            first.tiles and second.tiles <= both and came_later(first.tiles, second.tiles)
            for first, second in ways
        )

    def _answered(self, answer: Collection[Square]) -> bool:
        """True if a tile was placed after an answer by whoever it answered."""
        side = self.open[next(iter(answer))].side
        last = max(self.open[square].at_ns for square in answer)
        return any(
            tile.side not in (None, side) and tile.after_ns >= last for tile in self.open.values()
        )

    # --- the turns ---

    def _by_fewest(
        self, before: TurnEnds, position: Position, turns: tuple[BoardTurn, ...]
    ) -> tuple[BoardTurn, ...]:
        """Return the turns that have ended as the way with the fewest turns has them.

        Where there are several such ways, what differs between them is asked about.
        """
        passed, checked = _from_first_play(turns)
        if not checked:
            return turns
        start = replace(position, on_turn=checked[0].side) if passed else position
        ways = fewest(before.open, start, len(checked) + 3)
        only = ways[0] if ways is not None and len(ways) == 1 else ()
        others = after_a_pass(before.open, start, ways or ())
        if len(only) > 1 and not _agrees(only, checked):
            self._ends = before
            ended = self._ends.end_way(position, only, min(len(checked), len(only) - 1))
            passed, checked = _from_first_play(ended)
        self._believe(before, only)
        checked = _doubted(checked, ways, _SEVERAL_WAYS)
        return passed + _doubted(checked, others, _EITHER_ORDER)

    def _believe(self, before: TurnEnds, way: Way) -> None:
        """Restore the hand seen at every tile of a later play, where the way agrees with it."""
        for play in way:
            there = play.tiles <= self.open.keys()
            if there and all(before.open[square].side == play.side for square in play.tiles):
                for square in play.tiles & self.open.disbelieved:
                    self.open[square] = before.open[square]
                self.open.disbelieved -= play.tiles

    def _unseen_hands(self, position: Position) -> tuple[BoardTurn, ...]:
        """Return the first of two plays, where the hand of the second was not seen.

        They are parted where that can be done in one way.
        """
        unseen = {square for square, tile in self.open.items() if tile.side is None}
        confirmed = all(tile.views >= CONFIRMED for tile in self.open.values())
        if not unseen or not confirmed or self.open.one_play(position, self.open):
            return ()
        parted = self.open.partings(position, self.open.keys())
        if len(parted) != 1:
            return ()
        first, second = (
            self.open.sides_of(play) for play in (parted[0], self.open.keys() - parted[0])
        )
        if len(first) > 1 or len(second) > 1 or (first and first == second):
            return ()
        return self._ends.end(position, parted[0], "opponent_placed", sure=True)

    def _by_turns(
        self, position: Position, wholes: Collection[bool], shares: Collection[float] = (0.0, 1.0)
    ) -> tuple[BoardTurn, ...]:
        """End all plays by turns but the last, if the tiles make such.

        ``shares`` of a play's tiles at which the other player's hand was seen are tried in turn.
        """
        first = position.on_turn or self.open.first_side() or "left"
        for whole, contrary in product(wholes, shares):
            plays = self.open.by_turns(position, first, contrary, whole=whole)
            if len(plays) > 1:
                way = tuple(map(Play, cycle((first, other(first))), plays))
                return self._ends.end_way(position, way, len(way) - 1)
        return ()

    def _played_out(self, position: Position) -> tuple[BoardTurn, ...]:
        squares = frozenset(self.open)
        if not squares or position.last != len(squares):
            return ()
        still = self.open.seen_ns - self.open.changed_ns >= OUT_NS
        if not still or not self.open.one_play(position, squares):
            return ()
        return self._ends.end(position, squares, "played_out", sure=True)


def _agrees(way: Way, turns: Sequence[BoardTurn]) -> bool:
    """True if a way begins with these turns, as far as it goes."""
    return all(
        (play.side, play.tiles) == (turn.side, turn.tiles)
        for play, turn in zip(way, turns, strict=False)
    )


def _from_first_play(
    turns: tuple[BoardTurn, ...],
) -> tuple[tuple[BoardTurn, ...], tuple[BoardTurn, ...]]:
    """Return the turns before the first play, which are inferred, and the others."""
    first = next((at for at, turn in enumerate(turns) if turn.tiles), len(turns))
    return turns[:first], turns[first:]


def _doubted(
    turns: Sequence[BoardTurn], ways: Collection[Way] | None, why: str
) -> tuple[BoardTurn, ...]:
    """Return the turns, with a doubt about those that are otherwise in one of the ways.

    All are in doubt where there were too many ways to try: None.
    """
    return tuple(
        turn
        if ways is not None and all(_agrees(way[at:], [turn]) for way in ways)
        else replace(turn, doubt=turn.doubt or why)
        for at, turn in enumerate(turns)
    )
