"""The turns that a board without a clock has shown to end, and what is to be asked about each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from game.board import Square
from game.events import BoardEnding, Side, other
from vision.tracking.new_tiles import Position
from vision.tracking.open_tiles import EndedPlay, OpenTiles
from vision.tracking.ways import Way


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


class TurnEnds:
    """Takes the tiles of turns that have ended out of the open ones."""

    def __init__(self) -> None:
        self.open = OpenTiles()
        self._ended_ns = 0

    def end_way(self, position: Position, way: Way, count: int) -> tuple[BoardTurn, ...]:
        """End the first turns of a way. Only the other's hand at a play raises a question."""
        turns: list[BoardTurn] = []
        for play in way:
            self.open.disbelieve(play.tiles, play.side)
        for play in way[:count]:
            if not play.tiles:
                continue  # ``end`` infers it from the play after it
            for square in play.tiles:
                self.open[square] = replace(self.open[square], hands=frozenset({play.side}))
            after = replace(self.open.after(position, play.tiles), on_turn=other(play.side))
            turns += self.end(position, play.tiles, "opponent_placed", sure=True)
            position = after
        return tuple(turns)

    def end(
        self, position: Position, tiles: frozenset[Square], how: BoardEnding, *, sure: bool
    ) -> tuple[BoardTurn, ...]:
        """End the turn that laid these tiles; the others stay open."""
        turns: list[BoardTurn] = []
        plays, doubt = [tiles], None if sure else "whose hand laid some tiles was not seen"
        if not self.open.one_play(position, tiles):
            parted = self.open.partings(position, tiles)
            if len(parted) == 1:
                plays = [parted[0], tiles - parted[0]]
            else:
                doubt = "its tiles make no play"
        board = position.board
        expected, seen, taken = position.on_turn, frozenset(self.open), frozenset[Square]()
        for number, play in enumerate(plays):
            last = number == len(plays) - 1
            others = seen - taken - play
            ended_ns = max(self._ended_ns, self._placed_ns(play, others))
            sides = self.open.sides_of(play)
            next_sides = self.open.sides_of(self.open.keys() - tiles if last else plays[-1])
            mover = next(iter(sides)) if len(sides) == 1 else expected or "left"
            there = all(mover in self.open[square].hands for square in play)
            answered = next_sides == {other(mover)} or (there and not next_sides)
            why = doubt
            if len(sides) > 1 or not (sides or (expected and answered)):
                why = why or "whose hand laid it was not seen"
            elif len(plays) > 1 and not self.open.apart(*plays):
                why = why or "two plays of one hand, with nothing seen between them"
            if self.open.unasked:
                names = ", ".join(sorted(square.name for square in self.open.unasked))
                why = why or f"{names} was laid in an earlier turn, and read only now"
                self.open.unasked.clear()
            if self.open.disbelieved & play:
                why = why or "the opponent's hand was seen at some of its tiles"
            if expected is not None and mover != expected:
                if not self.open.mostly_seen(play):
                    why = why or "the turn before it is inferred from the hands"
                passed = self._passed(expected, ended_ns, opening=not position.board.tiles())
                turns.append(replace(passed, others=seen - taken))
            again = not last and next_sides == {mover}
            ended: BoardEnding = "player_placed_again" if again else how
            turns.append(BoardTurn(mover, play, ended_ns, ended, why, others))
            placed = {square: self.open[square].symbol for square in play}
            self.open.ended.appendleft(
                EndedPlay(replace(position, board=board), mover, placed, ended_ns)
            )
            board = board.replace(placed)
            taken |= play
            expected, self._ended_ns = other(mover), ended_ns
        self.open.end(tiles, mover, self._ended_ns)
        return tuple(turns)

    def _placed_ns(self, play: Collection[Square], others: Collection[Square]) -> int:
        """Return when a play was complete; ``others`` came after it.

        A tile may lie under a hand until its answer has come: then it was there before.
        """
        in_sight = max(self.open[square].at_ns for square in play)
        hidden = max(self.open[square].after_ns for square in play)
        answer = min((self.open[square].at_ns for square in others), default=in_sight)
        return max(hidden, min(in_sight, answer))

    def _passed(self, side: Side, before_ns: int, *, opening: bool) -> BoardTurn:
        """Return the turn without a play that must lie before the opponent's."""
        why = "nothing was laid, and the opponent's hand has laid another play"
        if opening:
            why = (
                "the opponent's hand laid the opening play; or the players sit the other way round"
            )
        ended_ns = max(self._ended_ns, before_ns - 1)
        return BoardTurn(side, frozenset(), ended_ns, "player_placed_again", why)
