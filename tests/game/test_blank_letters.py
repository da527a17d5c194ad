"""Letters suggested for blanks."""

from __future__ import annotations

import pytest

from game.adjudication.blank_letters import suggestions
from game.board import Board, Square, parse_position

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
WORDS = frozenset({"CAT", "COT", "CUT", "AS", "OS", "US", "TO", "TOE", "TOT", "AA", "I"})


def board(*plays: str) -> Board:
    out = Board.empty()
    for play in plays:
        where, word = play.split("=")
        square, across = parse_position(where)
        out = out.replace({square.step(across, i): c for i, c in enumerate(word) if c != "."})
    return out


@pytest.mark.parametrize(
    ("plays", "square", "letters"),
    [
        (["8G=C?T"], "8H", "AOU"),
        # both words through the blank have to be on the list
        (["8G=C?T", "H8=.S"], "8H", "AOU"),
        (["8G=C?T", "H7=T.E"], "8H", "O"),
        # a designated blank counts as its letter
        (["8G=c?T"], "8H", "AOU"),
        (["8G=X?T"], "8H", ""),
        (["8G=C?#"], "8H", ""),
        (["8G=C?~"], "8H", ""),
        # alone it may still be a word of one letter
        (["8H=?"], "8H", "I"),
    ],
)
def test_the_letters_that_make_words_of_all(plays, square, letters):
    found = suggestions(board(*plays), WORDS, LETTERS)
    assert found == {Square.parse(square): tuple(letters)}


def test_two_blanks_in_a_word_are_filled_together():
    found = suggestions(board("8G=?O?"), WORDS, LETTERS)
    assert found == {Square(7, 6): ("C", "T"), Square(7, 8): ("E", "T")}


def test_a_blank_with_a_letter_needs_none():
    assert suggestions(board("8G=CaT"), WORDS, LETTERS) == {}
