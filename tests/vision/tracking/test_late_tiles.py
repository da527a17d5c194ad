"""What a later view settles of the questions about squares."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from game.board import FACE_DOWN, SIZE, UNREADABLE, Board, Square
from game.flags import make_flag
from vision.tracking.belief import INDEX, SYMBOLS
from vision.tracking.late_tiles import confirmed, unread_completing

AT = Square.parse("8H")
EMPTY, CAT = Board.empty(), Board.empty().replace({AT: "C", Square.parse("8I"): "T"})
ASKED = make_flag("uncertain_square", (AT.name,), variant="unseen")


def turn(
    number: int, after: Board, *, asked: bool = False, before: Board = EMPTY
) -> SimpleNamespace:
    tiles = {square.name: symbol for square, symbol in after.tiles().items()}
    flags = (ASKED,) if asked else ()
    return SimpleNamespace(number=number, before=before, after=after, tiles=tiles, flags=flags)


def settled(board: Board, *turns: SimpleNamespace) -> list[tuple[int, str]]:
    """The corrections, as turn and symbol, that a sure sighting of ``board`` leads to."""
    belief = np.zeros((SIZE, SIZE, len(SYMBOLS)))
    for row, line in enumerate(board.rows):
        for col, symbol in enumerate(line):
            belief[row, col, INDEX[symbol]] = 1.0
    merged = SimpleNamespace(
        rows=board.rows,
        covered=np.zeros((SIZE, SIZE), np.bool_),
        confidence=np.full((SIZE, SIZE), 0.99),
        belief=SimpleNamespace(posterior=belief),
    )
    sighting = SimpleNamespace(merged=merged, reading=SimpleNamespace(rows=board.rows))
    state = SimpleNamespace(turns=turns, board=turns[-1].after)
    return [(found.turn, found.symbol) for found in confirmed(state, sighting)]


def test_a_tile_that_is_read_for_sure_later_settles_the_question_about_it():
    assert settled(CAT, turn(1, CAT, asked=True)) == [(1, "C")]
    assert settled(CAT, turn(1, CAT, asked=True), turn(2, CAT)) == [(1, "C")]


def test_a_tile_that_was_laid_in_a_later_turn_settles_nothing_of_an_earlier_one():
    assert settled(CAT, turn(1, EMPTY, asked=True), turn(2, CAT)) == []


@pytest.mark.parametrize("symbol", [FACE_DOWN, UNREADABLE])
def test_no_view_tells_whether_a_tile_counts_that_lay_there_unread(symbol: str) -> None:
    unread = CAT.replace({AT: symbol})
    assert settled(CAT, turn(1, unread), turn(2, CAT, asked=True, before=unread)) == []


FIRST, UNREAD = Square.parse("9I"), Square.parse("8J")
PLAYED = CAT.replace({FIRST: "O", Square.parse("10I"): "E"})


def completing(tiles: dict[str, str], *, asked: str, same: tuple[str, ...] = ()) -> set[str]:
    """The squares that complete TOE, down from 8I, of the tiles that were seen after it.

    ``same`` are squares that look as they did at its press, and not bare.
    """
    still = np.zeros((SIZE, SIZE), np.bool_)
    for name in same:
        still[Square.parse(name)] = True
    flag = make_flag("uncertain_square", (asked,), variant="unseen")
    tiles_of_it = {"9I": "O", "10I": "E"}
    toe = SimpleNamespace(
        number=2, before=CAT, after=PLAYED, tiles=tiles_of_it, flags=(flag,), kind="play"
    )
    state = SimpleNamespace(
        turns=(turn(1, CAT), toe), board=PLAYED, rulebook=SimpleNamespace(rack_tiles=7)
    )
    new = {Square.parse(name): symbol for name, symbol in tiles.items()}

    def still_there() -> NDArray[np.bool_]:
        assert asked in tiles, "compared although nothing is asked about these tiles"
        return still

    return {square.name for square in unread_completing(state, new, still_there)}


def test_a_tile_that_was_asked_about_completes_its_play_where_the_rest_is_the_next() -> None:
    # TOES down, S first face down; then AT across, left of its O.
    after = {"11I": "S", "9G": "A", "9H": "T"}
    assert completing(after, asked="11I") == {"11I"}
    assert completing(after, asked="2B") == set()
    # A single tile there may as well be the answer.
    assert completing({"11I": "S"}, asked="11I") == set()


def test_a_tile_alone_is_no_answer_where_the_square_looked_so_at_the_press() -> None:
    assert completing({"11I": "S"}, asked="11I", same=("11I",)) == {"11I"}
    assert completing({"11I": "S", "3C": "A"}, asked="11I", same=("11I",)) == {"11I"}
    assert completing({"11I": "S"}, asked="2B", same=("11I",)) == set()
    assert completing({"13I": "S"}, asked="13I", same=("13I",)) == set()  # no part of that play
