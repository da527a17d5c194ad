"""What a later view settles of the questions about squares."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from game.board import SIZE, Board, Square
from game.flags import make_flag
from vision.tracking.belief import INDEX, SYMBOLS
from vision.tracking.late_tiles import confirmed

AT = Square.parse("8H")
EMPTY, CAT = Board.empty(), Board.empty().replace({AT: "C", Square.parse("8I"): "T"})
ASKED = make_flag("uncertain_square", (AT.name,), variant="unseen")


def turn(number: int, after: Board, *, asked: bool = False) -> SimpleNamespace:
    tiles = {square.name: symbol for square, symbol in after.tiles().items()}
    flags = (ASKED,) if asked else ()
    return SimpleNamespace(number=number, after=after, tiles=tiles, flags=flags)


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
