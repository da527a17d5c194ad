"""Scripted views of a board without a clock."""

from __future__ import annotations

from dataclasses import replace

from game.board import Board, Square
from game.events import other
from vision.tracking.board_turns import BoardTurns
from vision.tracking.new_tiles import PlacedTile, Position
from vision.tracking.open_tiles import BoardView

S = 1_000_000_000
LEFT, RIGHT, BOTH, NOBODY = (
    frozenset({"left"}),
    frozenset({"right"}),
    frozenset({"left", "right"}),
    frozenset(),
)
FIRST = {"8G": "C", "8H": "A", "8I": "T"}
START = Position(Board.empty(), "left", 7)


class Script:
    """Shows views, and takes the turns that end."""

    def __init__(self, position: Position = START) -> None:
        self.position, self.now, self.turns = position, 0, []
        self.tiles: dict[Square, PlacedTile] = {}
        self.watch = BoardTurns()

    def place(self, hands, seen: bool = True, after: int | None = None, **tiles: str) -> None:
        self.now += S
        for name, symbol in tiles.items():
            since = self.now - S if after is None else after
            self.tiles[Square.parse(name.strip("_"))] = PlacedTile(symbol, hands, since, self.now)
        if seen:
            self.view()

    def lift(self, *names: str) -> None:
        for name in names:
            del self.tiles[Square.parse(name)]
        self.view()

    def view(self, *hidden: str, wait: int = S) -> None:
        self.now += wait
        unseen = frozenset(map(Square.parse, hidden))
        shown = {s: tile for s, tile in self.tiles.items() if s not in unseen}
        self._take(self.watch.see(BoardView(self.now, shown, unseen), self.position))

        late = self.watch.open.completed()
        if late is not None:
            for square in late.tiles:
                assert self.tiles.pop(square).symbol == late.tiles[square]
            self.position = replace(
                self.position, board=self.position.board.replace(dict(late.tiles))
            )
            ((_, names, _, _),) = [
                t for t in self.turns if t[1] and {s.name for s in late.play} & set(t[1])
            ]
            names[:] = sorted([*names, *(square.name for square in late.tiles)])

    def finish(self) -> None:
        self._take(self.watch.finish(self.position))

    def _take(self, turns) -> None:
        for turn in turns:
            placed = {square: self.tiles.pop(square).symbol for square in turn.tiles}
            board = self.position.board.replace(placed)
            self.position = replace(self.position, board=board, on_turn=other(turn.side))
            names = sorted(square.name for square in turn.tiles)
            self.turns.append((turn.side, names, turn.how, turn.doubt is not None))
