"""A turn of more tiles than a rack holds: no bonus, and it is asked about until it is ruled on."""

from __future__ import annotations

import pytest

from game.adjudication.provisional import is_provisional
from game.adjudication.remedies import offers
from game.events import Retracted, TurnRuled
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply

from .gamekit import Table
from .scriptkit import after

BOOKS = rulebook_ids()


def open_questions(table: Table) -> list[int]:
    return [
        turn.number
        for turn in table.state.turns
        for flag in turn.flags
        if flag.code == "too_many_tiles" and flag.settled is None
    ]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("word", "bonus"), [("ABCDEF", 0), ("ABCDEFG", 50), ("ABCDEFGH", 0)])
def test_the_bonus_is_for_a_full_rack_and_not_for_more(book, word, bonus):
    turn = Table(rulebook=book).play("8D", word)
    assert turn.bingo == bonus
    assert turn.score == sum(points for _, points in turn.words) + bonus


@pytest.mark.parametrize("book", BOOKS)
def test_a_turn_of_more_than_a_rack_is_asked_about_until_it_is_ruled_on(book):
    steps = "8D ABCDEFGH, 9D ON, end, rack left EEEEEEE, rack right IIIIIII"
    table = after(steps, book)
    state = table.state
    assert (open_questions(table), is_provisional(state)) == ([1], True)
    turn = state.turns[0]
    (flag,) = (one for one in turn.flags if one.code == "too_many_tiles")
    found = [one.event for one in offers(state, turn, flag) if one.open and one.event is not None]
    ruled = {event["ruling"] for event in found if event["type"] == "TurnRuled"}
    assert {"play", "no_score"} <= ruled
    table.put(TurnRuled(1, "play", "TD", "seen on video", table.now))
    assert open_questions(table) == []
    assert not is_provisional(table.state)
    assert table.state.turns[0].bingo == 0
    withdrawn = apply(table.state, Retracted(len(table.events), "TD", "", table.now))
    assert is_provisional(withdrawn)


def test_most_of_a_game_that_went_on_unseen_is_one_question_and_no_bonus():
    rows = ("10A REINSTATED", "11A OUTLINER", "12A AERATION", "13A NOISE", "14A LE")
    table = after("8D CAT")
    board = table.board
    for row in rows:
        board = board.replace(after(row).board.tiles())
    turn = table.see(board)
    assert len(turn.tiles) == 33
    assert turn.bingo == 0
    assert open_questions(table) == [2]
