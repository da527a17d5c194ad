"""Squares that were not read: asked about once, and settled when they are seen."""

from __future__ import annotations

from collections import Counter

import pytest

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Square
from game.events import CAMERA, Finding, SquareCorrected, TurnRuled

from .gamekit import Table
from .settledkit import begun, opened


def test_a_square_that_was_not_read_has_one_flag_with_the_best_guesses():
    table = Table()
    turn = table.play(
        "8D",
        "F~R~S",
        (
            Finding("uncertain_square", "8E", "may be I 62%, L 31%"),
            Finding("uncertain_square", "8H", "may be S 62%, E 31%"),
        ),
    )
    assert [(flag.code, flag.squares) for flag in turn.flags] == [
        ("uncertain_square", ("8E", "8G")),
        ("uncertain_square", ("8H",)),
    ]
    assert "may be I 62%" in turn.flags[0].message


@pytest.mark.parametrize("unread", [UNREADABLE, FACE_DOWN])
def test_a_square_that_stays_unread_is_asked_about_once(unread):
    table = Table()
    table.play("8G", f"C{unread}T")
    for _ in range(3):
        table.see(table.board.replace({Square.parse("3C"): UNREADABLE}))
    squares = Counter(square for _, _, names in opened(table.state) for square in names)
    assert squares == {"8H": 1, "3C": 1}
    table.see(table.board.replace({Square.parse("3C"): EMPTY, Square.parse("8H"): "A"}))
    (one,) = opened(table.state)  # only that the tile is not counted yet
    assert one[1:] == ("uncertain_square", ("8H",))


def test_an_earlier_tile_that_was_covered_and_is_seen_again():
    table = begun()
    table.see(
        table.board.replace({Square.parse("8G"): UNREADABLE}),
        (Finding("board_covered", None, "1 square could not be seen"),),
    )
    assert [code for _, code, _ in opened(table.state)] == ["board_covered", "board_covered"]
    table.see(table.board.replace({Square.parse("8G"): "C"}))
    assert opened(table.state) == []


# What came off.


def test_a_turn_that_was_covered_is_settled_by_a_ruling():
    table = begun()
    table.see(findings=(Finding("board_covered", None, "no picture of the board"),))
    assert opened(table.state) == [(3, "board_covered", ())]
    table.put(TurnRuled(3, "pass", "TD", "", table.now))
    assert opened(table.state) == []


def unseen() -> Table:
    """A table whose third turn could not be seen."""
    table = begun()
    table.see(findings=(Finding("uncertain_square", None, "covered at the press"),))
    assert opened(table.state) == [(3, "uncertain_square", ())]
    return table


def correct(table: Table, square: str, symbol: str, by: str) -> None:
    table.put(SquareCorrected(3, square, symbol, by, "seen later", table.now))
    table.board = table.board.replace({Square.parse(square): symbol})


def test_a_turn_that_could_not_be_seen_is_settled_by_a_persons_correction():
    table = unseen()
    correct(table, "8K", "S", "TD")
    assert opened(table.state) == []


def test_what_the_camera_adds_settles_it_once_the_next_turn_leaves_nothing_over():
    table = unseen()
    correct(table, "8K", "S", CAMERA)
    assert opened(table.state) == [(3, "uncertain_square", ())]
    table.play("7K", "A")
    assert opened(table.state) == []


def test_a_part_of_the_play_that_the_camera_adds_leaves_the_question_open():
    table = unseen()
    correct(table, "8K", "S", CAMERA)
    table.play("3C", "T")  # the rest of it, or of the answer
    assert (3, "uncertain_square", ()) in opened(table.state)


@pytest.mark.parametrize("unread", [UNREADABLE, FACE_DOWN])
def test_a_tile_that_was_seen_late_goes_with_its_challenged_play(unread):
    """It is no tile of the next turn, on whose picture it was read first."""
    table = Table()
    table.play("8G", f"C{unread}T")
    table.board = table.board.replace({Square.parse("8H"): "A"})
    table.play("7I", "S")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    first, second = table.state.turns
    assert (first.kind, first.score) == ("challenge_upheld", 0)
    assert set(second.tiles) == {"7I"}
    assert table.state.board[Square.parse("8H")] == EMPTY
    table.see(table.board.replace(dict.fromkeys(map(Square.parse, ("8G", "8H", "8I")), EMPTY)))
    assert "tile_removed" not in {code for _, code, _ in opened(table.state)}


def test_an_unread_square_that_alone_joins_a_play_to_the_others_is_a_tile_of_it():
    table = Table()
    table.play("8G", "CAT")
    turn = table.play("7J", "~EE")
    assert turn.tiles == {"7K": "E", "7L": "E"}  # 7J would join them to nothing either
    table = Table()
    table.play("8G", "CAT")
    turn = table.play("J8", "~EE")
    assert turn.tiles == {"8J": UNREADABLE, "9J": "E", "10J": "E"}
    assert [flag.code for flag in turn.flags] == ["uncertain_square"]


def test_the_next_turn_that_shows_it_as_unread_leaves_the_question_where_it_belongs():
    table = Table()
    table.play("8G", "CAT~")
    assert opened(table.state) == [(1, "uncertain_square", ("8J",))]
    table.play("H7", "B.N")
    assert opened(table.state) == [(1, "uncertain_square", ("8J",))]
    table.put(SquareCorrected(1, "8J", "S", "TD", "", table.now))
    assert table.state.turns[0].word == "CATS"
    assert opened(table.state) == []


def test_it_is_asked_again_where_it_may_be_a_tile_of_the_next_play():
    table = Table()
    table.play("8G", "CAT~")
    table.play("J9", "ON")
    assert opened(table.state) == [(2, "uncertain_square", ("8J",))]


def test_a_square_seen_bare_on_the_next_turn_is_asked_about_no_more():
    table = Table()
    table.play("8G", "CAT~")
    table.board = table.board.replace({Square.parse("8J"): EMPTY})
    table.play("H7", "B.N")
    assert opened(table.state) == []
