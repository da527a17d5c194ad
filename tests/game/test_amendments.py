"""What is corrected, ruled, named or added afterwards, and what it does to later turns."""

from __future__ import annotations

import pytest

from game.board import UNREADABLE
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    Finding,
    PenaltyAdded,
    SquareCorrected,
    TurnRuled,
    TurnSeen,
)
from game.state.fold import apply

from .gamekit import SECOND, Table, codes, position


def test_a_correction_scores_everything_after_it_again():
    wrong, right = Table(), Table()
    for table, letter in ((wrong, "O"), (right, "Q")):
        table.play("8G", f"CA{letter}")
        table.play("I8", ".UI")
        table.play("10I", ".T")
    state = wrong.put(SquareCorrected(1, "8I", "Q", "TD", "looked", wrong.now))
    assert [t.score for t in state.turns] == [t.score for t in right.state.turns]
    assert [t.total for t in state.turns] == [t.total for t in right.state.turns]
    assert [t.word for t in state.turns] == [t.word for t in right.state.turns]
    assert state.board == right.state.board
    assert [codes(t) for t in state.turns] == [[], [], []]
    assert state.turns[0].seen.rows[7][8] == "O"  # what the camera saw stays visible


def test_a_correction_holds_until_something_else_is_seen_there():
    table = Table()
    table.play("8G", "CAO")
    table.nothing()
    table.put(SquareCorrected(1, "8I", "Q", "TD", "", table.now))
    assert codes(table.nothing()) == []  # the camera still reads an O
    assert codes(table.lay("8I=~")) == []
    assert codes(table.lay("8I=Q")) == []  # and now agrees
    turn = table.lay("8I=B")
    assert codes(turn) == ["tile_replaced"]
    assert table.state.board[(7, 8)] == "B"


def test_a_tile_that_was_never_there_can_be_taken_out():
    table = Table()
    assert codes(table.lay("8G=C", "8H=A", "8I=T", "1A=I")) == ["not_one_line"]
    table.play("9I", "O")
    state = table.put(SquareCorrected(1, "1A", ".", "TD", "a reflection", table.now))
    assert [codes(turn) for turn in state.turns] == [[], []]
    assert "1A" not in state.turns[0].tiles


def test_a_tile_that_was_missed_can_be_put_in():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.nothing()
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    assert (state.turns[0].word, state.turns[0].score) == ("CAT", 10)
    assert [codes(turn) for turn in state.turns] == [[], []]


def test_a_missed_tile_does_not_come_back_after_its_play_was_withdrawn():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("8G=.", "8I=.")
    assert turn.kind == "exchange_or_pass"
    assert not table.state.board.symbols


def test_a_missed_tile_does_not_come_back_where_the_withdrawal_is_ruled_a_turn_later():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    table.play("9H", "ON")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("8G=.", "8I=.", "10H=T")
    assert (turn.word, turn.tiles) == (".T", {"10H": "T"})


def test_what_was_ruled_can_be_ruled_otherwise():
    table = Table()
    table.play("8G", "CAT")
    upheld = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert (upheld.turns[0].kind, upheld.scores["left"]) == ("challenge_upheld", 0)
    assert upheld.turns[0].word == "CAT"
    back = table.put(TurnRuled(1, "play", "TD", "a slip", table.now))
    assert (back.turns[0].kind, back.scores["left"]) == ("play", 10)
    assert back.board[(7, 7)] == "A"


def test_a_withdrawn_play_gives_its_tiles_back():
    table = Table()
    table.play("8D", "ABCDEFG")
    assert (table.state.bag_count, table.state.racks["left"]) == (79, 7)
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert (state.bag_count, state.racks["left"]) == (86, 7)


def test_a_withdrawal_nobody_ruled_is_seen_for_what_it_is():
    table = Table()
    table.play("8G", "CAT")
    turn = table.lay("8G=.", "8H=.", "8I=.")
    assert codes(turn) == ["tile_removed", "challenge_unclear"]
    assert "was it withdrawn after a challenge?" in turn.flags[0].message
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "yes", table.now))
    assert codes(state.turns[1]) == []


def test_a_ruling_that_a_correction_overtakes_is_shown_not_dropped():
    table = Table()
    table.nothing()
    table.put(TurnRuled(1, "exchange", "TD", "", table.now))
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    assert state.turns[0].kind == "play"
    assert state.turns[0].ruling is None
    assert "ruling_ignored" in codes(state.turns[0])


def test_a_blank_keeps_its_letter_whoever_names_it_last():
    table = Table()
    table.play("8G", "C?T")
    table.put(BlankDesignated("8H", "a", "Ann", "", table.now))
    state = table.put(BlankDesignated("8h", "U", "TD", "", table.now))
    assert state.board[(7, 7)] == "u"
    assert state.turns[0].word == "CuT"
    assert codes(state.turns[0]) == []
    assert codes(table.play("9H", "S")) == []


def test_a_blank_that_is_read_only_after_its_letter_was_said_has_that_letter():
    table = Table()
    table.play("8G", f"C{UNREADABLE}T")
    table.put(SquareCorrected(1, "8H", "?", "camera", "", table.now + 5))
    state = table.put(BlankDesignated("8H", "a", "Ann", "", table.now + 1))
    assert state.turns[0].word == "CaT"
    assert codes(state.turns[0]) == []


def test_a_tile_that_could_not_be_read_is_the_blank_that_somebody_names():
    table = Table()
    table.play("8G", f"C{UNREADABLE}T")
    state = table.put(BlankDesignated("8H", "a", "Ann", "", table.now))
    assert state.turns[0].word == "CaT"
    assert [flag.settled is not None for flag in state.turns[0].flags] in ([], [True])


def test_bonuses_and_penalties_count_from_where_they_stand():
    table = Table()
    table.play("8G", "CAT")
    table.put(ChallengeBonus("left", 5, "4.6.10", "TD", "", table.now))
    table.play("9G", "O")
    table.put(PenaltyAdded("right", 10, None, "TD", "talking", table.now))
    table.play("10G", "N")
    state = table.state
    assert state.turns[0].total == 10
    assert state.turns[2].total == 15 + state.turns[2].score
    assert [(a.kind, a.points, a.after_turn) for a in state.adjustments] == [
        ("challenge_bonus", 5, 1),
        ("penalty", -10, 2),
    ]
    assert state.scores["right"] == state.turns[1].score - 10


def test_a_slip_on_the_clock_and_its_mending_leave_no_trace():
    table = Table()
    table.play("8G", "CAT")
    table.nothing()  # right's slip
    table.nothing()  # left starts right's clock again
    for order in ((2, 3), (3, 2)):
        state = table.state
        for number in order:
            state = apply(state, TurnRuled(number, "undone", "TD", "a slip", table.now))
        assert [turn.kind for turn in state.turns] == ["play", "undone", "undone"]
        assert state.on_turn == "right"
        seen = TurnSeen("right", table.now + SECOND, table.board.rows)
        assert codes(apply(state, seen).turns[3]) == []
        again = apply(state, TurnRuled(3, "pass", "TD", "it was one", table.now + 1))
        assert again.on_turn == "right"


def test_a_first_turn_that_never_was():
    table = Table()
    table.nothing()
    state = apply(table.state, TurnRuled(1, "undone", "TD", "a slip", table.now))
    assert state.on_turn == "left"


def test_a_turn_that_is_read_after_a_ruling_but_ended_before_it_counts_as_played_then():
    table = Table(rulebook="naspa-2017", rows=position(6))
    table.nothing()
    press = table.now + 20 * SECOND
    table.put(TurnRuled(1, "exchange", "TD", "", press + SECOND))
    assert table.state.turns[0].penalty == 0
    table.seconds = 20
    table.play("8I", "DN")  # it had ended a second before the ruling
    assert table.state.turns[0].penalty == 30
    assert dict(table.state.scores) == {"left": -30, "right": 4}


def test_a_blank_that_nobody_could_see_is_there_once_somebody_names_it():
    table = Table()
    table.play("8G", "CAT")
    turn = table.lay("8F=S", "8J=~")
    assert "whether a tile lies on 8J" in turn.flags[0].message
    state = table.put(BlankDesignated("8J", "e", "Ann", "", table.now))
    assert state.turns[1].word == "S...e"
    assert state.turns[1].score == 6
    assert codes(state.turns[1]) == []
    with pytest.raises(TilewatchError, match="no blank was played on 8K"):
        table.put(BlankDesignated("8K", "e", "Ann", "", table.now))


def test_naming_a_blank_takes_no_tile_away_that_is_read_there():
    table = Table()
    table.play("8G", "CAT")
    table.play("9H", "O", (Finding("uncertain_square", "8H", "may be A 60%, R 40%"),))
    with pytest.raises(TilewatchError, match="no blank was played on 8H"):
        table.put(BlankDesignated("8H", "e", "Ann", "", table.now))
    table.lay("8F=S", "8J=~")
    table.lay("8J=E")
    with pytest.raises(TilewatchError, match="no blank was played on 8J"):
        table.put(BlankDesignated("8J", "e", "Ann", "", table.now))
