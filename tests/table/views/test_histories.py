"""What a turn took, and whether it was put right: in every audience's view."""

from __future__ import annotations

import pytest

from game.events import (
    BlankDesignated,
    ClockAdjusted,
    ScoreAgreed,
    SquareCorrected,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnsJoined,
)
from table.views.views import AUDIENCES, view
from tests.game.gamekit import SECOND, Table


@pytest.fixture
def table() -> Table:
    made = Table()
    made.play("8D", "FIRNS")
    made.play("H8", ".HO?")
    made.seconds = 45
    made.play("10F", "TO.LS")
    return made


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_turn_has_the_time_that_it_took_and_what_the_clock_showed(table, audience):
    turns = view(table.state, audience)["turns"]
    assert [turn["used_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 45 * SECOND]
    full = table.state.rulebook.clock_ns
    assert [full - turn["clock_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 75 * SECOND]


def test_time_given_to_a_clock_is_no_time_that_a_turn_took(table):
    table.put(ClockAdjusted("left", 120 * SECOND, None, "director", "late press", table.now))
    turns = view(table.state, "public")["turns"]
    assert [turn["used_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 45 * SECOND]
    table.play("F10", ".AX")
    table.play("12E", "OX.")
    assert view(table.state, "public")["turns"][-1]["used_ns"] == 45 * SECOND


def corrected(table: Table) -> list[int]:
    turns = view(table.state, "public")["turns"]
    return [turn["number"] for turn in turns if turn.get("corrected")]


def test_a_reading_that_was_put_right_is_marked(table):
    assert corrected(table) == []
    table.put(SquareCorrected(1, "8D", "T", "director", "misread", table.now))
    assert corrected(table) == [1]


def test_the_letter_of_a_blank_is_no_correction(table):
    table.put(BlankDesignated("11H", "e", "director", "as said", table.now))
    assert corrected(table) == []


def test_an_answer_that_leaves_a_turn_as_it_stood_is_no_correction(table):
    table.put(TurnRuled(2, "play", "director", "nobody challenged it", table.now))
    table.put(ScoreAgreed(3, table.state.turns[2].side, table.state.turns[2].score, "", "", 0))
    assert corrected(table) == []


def test_a_turn_that_counts_for_something_else_is_marked(table):
    table.put(TurnRuled(3, "undone", "director", "no turn of its own", table.now))
    assert corrected(table) == [3]


def test_a_score_that_both_players_agree_on_is_marked(table):
    table.put(ScoreAgreed(1, "left", table.state.turns[0].score + 2, "director", "agreed", 0))
    assert corrected(table) == [1]


def test_a_challenge_is_no_correction(table):
    table.put(TurnRuled(3, "challenge_upheld", "director", "not good", table.now))
    assert corrected(table) == []


def test_turns_that_were_put_in_or_joined_are_marked(table):
    before_ns = table.state.turns[1].press_ns - 5 * SECOND
    table.put(TurnInserted(2, "right", {}, before_ns, "director", "not seen", table.now))
    assert corrected(table) == [2]
    table.put(TurnsJoined(2, "right", "director", "it was one", table.now))
    assert corrected(table) == [2]


def test_both_parts_of_a_turn_that_was_parted_are_marked(table):
    ended_ns = table.state.turns[0].press_ns - 5 * SECOND
    squares = ("8D", "8E")
    table.put(TurnParted(1, squares, "left", ended_ns, "director", "forgotten", table.now))
    assert corrected(table) == [1, 2]
