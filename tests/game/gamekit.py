"""A table for tests: tiles go down, clocks are pressed, events come out."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from game.board import EMPTY, SQUARES, Board, Square, parse_position
from game.events import (
    Button,
    ButtonPressed,
    Event,
    Finding,
    GameEnded,
    GameStarted,
    Side,
    TurnSeen,
    other,
)
from game.referee.turn import Turn
from game.state.fold import GameState, apply, ends_turn, stop_ends_turn
from game.tileset import load_tile_set

SECOND = 1_000_000_000


@dataclass
class Table:
    """Plays a game the way a camera sees one. ``left`` is on turn first."""

    tile_set: str = "english"
    rulebook: str = "wespa-2007"
    seconds: float = 30
    now: int = 0
    side: Side = "left"
    board: Board = field(default_factory=Board.empty)
    events: list[Event] = field(default_factory=list)
    state: GameState | None = None
    adjust: dict[str, object] = field(default_factory=dict)
    rows: tuple[str, ...] | None = None
    first_press: Side = "right"
    found: int | None = None
    """When what is ruled on next was found, where that is not when it is said."""

    def __post_init__(self) -> None:
        players = {"left": "Ann Lee", "right": "Bo"}
        self.put(
            GameStarted(
                "g1", players, self.rulebook, self.tile_set, "left", 0, self.rows, self.adjust
            )
        )
        self.board = Board.empty() if self.rows is None else Board.from_rows(self.rows)
        ends = ends_turn(self.state, self.first_press)
        self.put(ButtonPressed(self.first_press, 0))
        if ends is not None:
            self.put(TurnSeen(ends, 0, self.board.rows))
            self.side = other(ends)

    def put(self, event: Event) -> GameState:
        self.state = apply(self.state, event)
        self.events.append(event)
        return self.state

    def see(self, board: Board | None = None, findings: tuple[Finding, ...] = ()) -> Turn:
        """The player on turn presses the clock with the board as given."""
        self.board = self.board if board is None else board
        self.now += int(self.seconds * SECOND)
        self.put(ButtonPressed(self.side, self.now))
        self.put(TurnSeen(self.side, self.now, self.board.rows, findings=findings))
        self.side = other(self.side)
        return self.state.turns[-1]

    def stop(self, where: str, word: str) -> Turn | None:
        """Play a word and stop both clocks; the turn is seen where that ends it."""
        square, across = parse_position(where)
        tiles = {square.step(across, i): c for i, c in enumerate(word) if c != EMPTY}
        self.board = self.board.replace(tiles)
        self.now += int(self.seconds * SECOND)
        self.put(ButtonPressed("neutral", self.now))
        return self.see_stopped()

    def see_stopped(self) -> Turn | None:
        """The turn that the stop of the clock has ended is seen, if it has ended one."""
        side, stopped_ns = stop_ends_turn(self.state, self.board), self.state.progress.stopped_ns
        if side is None or stopped_ns is None:
            return None
        self.put(TurnSeen(side, stopped_ns, self.board.rows))
        self.side = other(side)
        return self.state.turns[-1]

    def lay(self, *changes: str) -> Turn:
        """Change squares, ``8H=X`` or ``8H=.``, and press."""
        pairs = [change.split("=") for change in changes]
        return self.see(self.board.replace({Square.parse(s): t for s, t in pairs}))

    def play(self, where: str, word: str, findings: tuple[Finding, ...] = ()) -> Turn:
        """Play a word as GCG writes it and press."""
        square, across = parse_position(where)
        tiles = {square.step(across, i): c for i, c in enumerate(word) if c != EMPTY}
        return self.see(self.board.replace(tiles), findings)

    def nothing(self) -> Turn:
        """Press without having changed anything."""
        return self.see()

    def end(self, reason: str = "agreed") -> GameState:
        return self.put(GameEnded(reason, self.now))


def codes(turn: Turn) -> list[str]:
    """The codes of a turn's flags."""
    return [flag.code for flag in turn.flags]


def kinds(table: Table) -> list[str]:
    """What each turn was."""
    return [turn.kind for turn in table.state.turns]


def press(table: Table, *buttons: Button) -> None:
    """Press buttons of the clock that end no turn, a second apart."""
    for button in buttons:
        table.now += SECOND
        table.put(ButtonPressed(button, table.now))


def random_game(seed: int, tile_set: str = "english", pass_rate: float = 0.08) -> Table:
    """A legal game to its end with tiles drawn from a bag; the words are nonsense."""
    rng = random.Random(seed)
    table = Table(tile_set=tile_set)
    tiles = load_tile_set(tile_set)
    bag = [tile for tile, count in tiles.counts.items() for _ in range(count)]
    rng.shuffle(bag)
    racks = {"left": [bag.pop() for _ in range(7)], "right": [bag.pop() for _ in range(7)]}
    while table.state.status == "running":
        rack = racks[table.side]
        found = None if rng.random() < pass_rate else random_play(rng, table.board, len(rack))
        if found is None:
            table.nothing()
            continue
        letters = rng.sample(rack, len(found))
        for letter in letters:
            rack.remove(letter)
        shown = [rng.choice(tiles.letters).lower() if c == "?" else c for c in letters]
        while bag and len(rack) < 7:
            rack.append(bag.pop())
        table.see(table.board.replace(dict(zip(found, shown, strict=True))))
        if not rack and not bag:
            break
    table.racks = racks
    table.bag = bag
    return table


def random_play(rng: random.Random, board: Board, most: int) -> list[Square] | None:
    """Squares of a legal placement of up to ``most`` tiles, or None when luck runs out."""
    empty = not board.symbols
    for _ in range(60):
        across = rng.random() < 0.5
        count = min(most, rng.randint(2 if empty else 1, 7))
        if count == 0:
            return None
        if empty:
            offset = rng.randrange(count)
            square = Square(7, 7).step(across, -offset)
            return [square.step(across, i) for i in range(count)] if count > 1 else None
        square = rng.choice(SQUARES)
        squares: list[Square] = []
        joined = False
        while len(squares) < count and square.on_board:
            if board[square] == EMPTY:
                squares.append(square)
                joined = joined or any(
                    board.get(square.step(way, by)) != EMPTY
                    for way in (True, False)
                    for by in (1, -1)
                )
            square = square.step(across)
        if joined and len(squares) == count:
            return squares
    return None


def position(bag: int) -> tuple[str, ...]:
    """A board late in a game, with an O on 8H and as many tiles in the bag, all of them E.

    On the racks are RATIUES (left) and DNLGBVQ (right); every other tile lies out of the way.
    """
    left = Counter(load_tile_set("english").counts)
    left.subtract("RATIUES" + "DNLGBVQ" + "E" * bag + "O")
    rest = "".join(tile * count for tile, count in sorted(left.items()))
    rest = rest.replace("?", "a")
    rows = ["." * 15 for _ in range(15)]
    rows[7] = "." * 7 + "O" + "." * 7
    for row in (0, 1, 2, 3, 4, 14):
        rows[row], rest = rest[:15].ljust(15, "."), rest[15:]
    assert not rest
    return tuple(rows)
