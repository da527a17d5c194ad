"""Plays taken back or challenged off, and what clock, board and racks tell of a turn."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from game.board import CENTRE, EMPTY, SQUARES, Board, Square
from game.errors import TilewatchError
from game.events import BoardSeen, PicturesLost, SquareCorrected, TurnRuled, TurnSeen
from game.plays.change import compare
from game.plays.play import find_play
from game.plays.score import score_play
from game.referee.turn import Turn
from game.state.fold import GameState, play_was_moved

from .gamekit import SECOND, Table, codes, random_play
from .scriptkit import after

PHONEY = "8G CAT, 9G ONE, neutral"
"""CAT stands; right's ONE under it is a phoney, and the clock is stopped."""
OFF = ("9G=.", "9H=.", "9I=.")


def board(table: Table, *changes: str) -> Board:
    pairs = [change.split("=") for change in changes]
    return table.board.replace({Square.parse(s): t for s, t in pairs})


@pytest.mark.parametrize(
    "changes", [("9G=.",), ("9G=.", "9H=."), (*OFF, "8I=."), (*OFF, "9J=X"), ("9G=~", *OFF[1:])]
)
def test_what_is_not_the_whole_play_and_no_more_tells_nothing(changes):
    table = after(PHONEY)
    assert not play_was_moved(table.state, board(table, *changes))
    table = after(f"{PHONEY}, board 2 {' '.join(changes)}, start left")
    table.see(board(after(PHONEY), "9G=O", "9H=X", "9I=."))
    assert table.state.turns[1].kind == "play"


def test_a_hand_over_some_of_the_tiles_afterwards_takes_nothing_back():
    assert after(f"{PHONEY}, board 2 9G=. 9H=. 9I=., board 2 9G=~").state.play_off


def test_it_is_news_once_the_clock_was_stopped_and_only_once():
    off = board(after("8G CAT, 9G ONE"), *OFF)
    there = after(PHONEY).board
    for steps, (seen, moved) in (
        ("8G CAT, 9G ONE", (off, False)),
        (PHONEY, (off, True)),
        (PHONEY, (there, False)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=.", (off, False)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=.", (there, True)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=., start left", (there, True)),
        (f"{PHONEY}, start left, 10G A", (there, False)),
    ):
        assert play_was_moved(after(steps).state, seen) == moved, steps


def test_a_board_is_seen_after_the_last_turn_of_a_game_that_goes_on():
    table = after(PHONEY)
    for turn in (1, 3):
        with pytest.raises(TilewatchError, match="is not the last one seen"):
            table.put(BoardSeen(turn, Board.empty().rows, 0, {}, 0))
    with pytest.raises(TilewatchError, match="a board has 15 rows"):
        table.put(BoardSeen(2, (EMPTY * 15,), 0, {}, 0))
    table.end()
    with pytest.raises(TilewatchError, match="the game was ended"):
        table.put(BoardSeen(2, Board.empty().rows, 0, {}, 0))


LETTERS = "AEIONRT"
"""Few, so that tiles are often of the same letter."""


@dataclass
class Truth:
    """A game as it is played, beside what the table makes of it."""

    rng: random.Random
    table: Table = field(default_factory=Table)
    board: Board = field(default_factory=Board.empty)
    """The board as it counts."""
    lying: dict[Square, int] = field(default_factory=dict)
    """The tiles of plays that are no good, and the turn in which each is taken off."""
    rulings: list[tuple[int, int]] = field(default_factory=list)
    """After which turn it is ruled that which turn was no good."""
    turns: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)
    """The kind, the score and the tiles of each turn."""

    def turn(self, number: int) -> None:
        """Tidy up, play, and press; then enter what is due."""
        seen = self._tidied(number, self.table.board)
        tiles = self._play(seen)
        no_good = bool(tiles) and bool(self.board.symbols) and self.rng.random() < 0.4
        score = 0
        if no_good:
            due = number + self.rng.choice((0, 0, 0, 1, 2))
            self.rulings.append((max([due, *(after for after, _ in self.rulings)]), number))
            off = number + 1 + self.rng.choice((0, 0, 0, 1, 2, 3))
            self.lying |= {square: off + self.rng.choice((0, 0, 0, 0, 2)) for square in tiles}
        elif tiles:
            after = self.board.replace(tiles)
            play = find_play(compare(self.board, after))
            rulebook = self.table.state.rulebook
            score = score_play(after, play, self.table.state.tile_set, rulebook).total
            self.board = after
        kind = "challenge_upheld" if no_good else "play" if tiles else "exchange_or_pass"
        self.turns.append((kind, score, {square.name: tile for square, tile in tiles.items()}))
        self.table.see(seen.replace(tiles))
        self.enter(number)

    def enter(self, number: int) -> None:
        """Enter the rulings that are due after a turn."""
        for due in [one for one in self.rulings if one[0] <= number]:
            self.rulings.remove(due)
            self.answer(due[1])
            ruling = TurnRuled(due[1], "challenge_upheld", "TD", "", self.table.now)
            self.table.put(ruling)

    def answer(self, last: int) -> None:
        """Say what lay on each square that the turns so far are flagged for and do not have so.

        A camera cannot tell a tile that was put down anew from one of the same letter that was
        left, or knocked there.
        """
        for number, (_, _, tiles) in enumerate(self.turns[:last], start=1):
            turn = self.table.state.turns[number - 1]
            for square in sorted(name for name, _ in turn.tiles.items() ^ tiles.items()):
                assert square in flagged(turn)
                symbol = tiles.get(square, EMPTY)
                self.table.put(SquareCorrected(number, square, symbol, "TD", "", self.table.now))

    def _tidied(self, number: int, seen: Board) -> Board:
        """Take off what is to go by this turn, and knock some of the rest to a free place near."""
        for square, off in list(self.lying.items()):
            if off <= number:
                seen = seen.replace({square: EMPTY})
                del self.lying[square]
            elif self.rng.random() < 0.06:
                others = seen.replace({square: EMPTY})
                free = [s for s in SQUARES if not any(others[t] != EMPTY for t in around(s))]
                near = sorted(free, key=lambda s: abs(s.row - square.row) + abs(s.col - square.col))
                target = self.rng.choice(near[:4])
                seen = others.replace({target: seen[square]})
                self.lying[target] = self.lying.pop(square)
        return seen

    def _play(self, seen: Board) -> dict[Square, str]:
        """A play by the rules, apart from tiles that are no good; none now and then."""
        for _ in range(50 if self.rng.random() < 0.9 else 0):
            squares = random_play(self.rng, seen, self.rng.randint(1, 4)) or []
            tiles = {square: self.rng.choice(LETTERS) for square in squares}
            joined = any(map(self.board.touches, tiles)) if self.board.symbols else CENTRE in tiles
            apart = not any(other in self.lying for square in tiles for other in around(square))
            other = all(self.table.board[square] != tile for square, tile in tiles.items())
            if tiles and joined and apart and other:
                return tiles
        return {}


def around(square: Square) -> list[Square]:
    """The squares of which a tile would touch one there, or nearly, and the square itself."""
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    steps += [(-2, 0), (2, 0), (0, -2), (0, 2)]
    near = [Square(square.row + down, square.col + right) for down, right in steps]
    return [one for one in near if one.on_board]


def flagged(turn: Turn) -> set[str]:
    """The squares that the flags of a turn are about."""
    return {square for flag in turn.flags for square in flag.squares}


def wrong(truth: Truth, state: GameState) -> list[tuple[Turn, set[str]]]:
    """The turns that are not as they were played, and the squares of which that is so."""
    return [
        (turn, {square for square, _ in turn.tiles.items() ^ tiles.items()})
        for turn, (kind, score, tiles) in zip(state.turns, truth.turns, strict=True)
        if (turn.kind, turn.score, turn.tiles) != (kind, score, tiles)
    ]


@given(st.integers(0, 10**9))
@example(765)  # a tile of one withdrawn play is left, and one of the play before it lies there, too
@example(1956)  # a tile is laid where somebody said that none had lain
@example(4317)  # a tile is laid near where one of the same letter was taken off
def test_tiles_of_plays_ruled_off_are_nobody_s_or_are_flagged(seed):
    truth = Truth(random.Random(seed))
    for number in range(1, 9):
        truth.turn(number)
        if truth.table.state.status != "running":
            break
    truth.enter(99)
    state = truth.table.state
    for turn, squares in wrong(truth, state)[:1]:  # what follows a wrong turn follows from it
        assert squares & flagged(turn) if squares else turn.flags


def test_the_taking_off_of_an_illegal_play_holds_if_the_next_turn_was_made_unseen() -> None:
    """Nobody pressed after the next turn, nor saw it end: it may have ended after the ruling."""
    table = after("8G CAT, 1A DOG, 9H S", "naspa-2017")
    ended_ns, ruled_ns = table.now, table.now + 3 * SECOND
    table.put(TurnRuled(2, "illegal_play", "TD", "test", ruled_ns))
    off = dict.fromkeys(map(Square.parse, ("1A", "1B", "1C")), EMPTY)
    board = table.board.replace({**off, Square.parse("9I"): "O"})
    gap = PicturesLost(ruled_ns + SECOND, ruled_ns + 31 * SECOND)
    seen = TurnSeen("right", ended_ns, board.rows, ended="opponent_placed", lost=(gap,))
    table.put(seen)
    assert table.state.turns[1].kind == "illegal_play"
    assert "tile_removed" not in codes(table.state.turns[-1])
    assert table.state.position.withdrawn == {}
