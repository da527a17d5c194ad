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


def ruled(turn: int, ruling: str):
    return lambda table: TurnRuled(turn, ruling, "director", "as it was", table.now)


def agreed(turn: int, side: str, more: int):
    return lambda table: ScoreAgreed(
        turn, side, table.state.turns[turn - 1].score + more, "director", "agreed", 0
    )


def before(table: Table, turn: int) -> int:
    return table.state.turns[turn - 1].press_ns - 5 * SECOND


def inserted(table: Table) -> TurnInserted:
    return TurnInserted(2, "right", {}, before(table, 2), "director", "not seen", table.now)


def parted(table: Table) -> TurnParted:
    squares = ("8D", "8E")
    return TurnParted(1, squares, "left", before(table, 1), "director", "forgotten", table.now)


@pytest.mark.parametrize(
    ("events", "marked"),
    [
        ([], []),
        ([lambda table: SquareCorrected(1, "8D", "T", "director", "misread", table.now)], [1]),
        # The letter of a blank is no correction, nor is an answer that leaves a turn as it stood.
        ([lambda table: BlankDesignated("11H", "e", "director", "as said", table.now)], []),
        ([ruled(2, "play"), agreed(3, "left", 0)], []),
        ([ruled(3, "challenge_upheld")], []),
        ([ruled(3, "undone")], [3]),
        ([agreed(1, "left", 2)], [1]),
        ([inserted], [2]),
        ([inserted, lambda t: TurnsJoined(2, "right", "director", "it was one", t.now)], [2]),
        ([parted], [1, 2]),
    ],
)
def test_a_turn_that_was_put_right_is_marked(table, events, marked):
    for event in events:
        table.put(event(table))
    assert corrected(table) == marked
