"""The game ended for an earlier moment: what the clocks showed then, and what holds later."""

from __future__ import annotations

import pytest

from game.clock import seconds
from game.events import GameEnded, GameForfeited, GameReopened, OvertimeErased, Retracted

from .gamekit import SECOND, Table, press

FULL = 25 * 60


def played(*, passes: int = 0, rulebook: str = "wespa-2007") -> Table:
    """Four plays, then passes, in 30 seconds each; the clock stands from a second later."""
    table = Table(rulebook=rulebook)
    for where, word in (("8D", "PLANE"), ("7D", "AT"), ("9D", "TA"), ("10D", "OX")):
        table.play(where, word)
    for _ in range(passes):
        table.nothing()
    press(table, "neutral")
    return table


def shown_s(state):
    """The seconds on both clocks."""
    return [state.clocks.remaining_ns[side] / SECOND for side in ("left", "right")]


def over(at_s: int) -> GameEnded:
    return GameEnded("director", at_s * SECOND, "TD", "they agreed")


def back(table: Table, number: int) -> Retracted:
    return Retracted(number, "TD", "a wrong moment", table.now)


def test_what_ran_since_an_earlier_end_is_given_back():
    assert shown_s(played().put(over(100))) == [FULL - 60, FULL - 40]


@pytest.mark.parametrize("wrong_s", [10, 45, 75, 95, 115, 130])
@pytest.mark.parametrize("forfeits", [False, True])
def test_an_end_that_was_taken_back_leaves_a_later_one_alone(wrong_s, forfeits):
    table, plain = played(), played()
    end = GameForfeited("left", "left", "TD", "", wrong_s * SECOND) if forfeits else over(wrong_s)
    table.put(end)
    assert table.put(back(table, len(table.events))).clocks == plain.state.clocks
    assert table.put(over(100)).clocks == plain.put(over(100)).clocks


def test_a_game_that_is_reopened_has_the_clocks_of_all_its_presses():
    table = played()
    before = table.state.clocks
    table.put(over(40))
    state = table.put(GameReopened("director", "TD", "a wrong moment", 50 * SECOND))
    assert state.clocks == before


def test_a_game_that_was_over_by_itself_can_have_ended_earlier():
    table = played(passes=6)
    assert table.state.end_reason == "six_zeros"
    assert shown_s(table.put(over(250))) == [FULL - 130, FULL - 120]


def test_overtime_is_erased_as_of_a_clock_that_stood_since_an_earlier_end():
    table = played(rulebook="naspa-2017")
    ended = table.put(over(40)).clocks
    state = table.put(OvertimeErased("right", "TD", "a fire drill", 115 * SECOND))
    assert state.progress.erased[0].clock_ns == ended.remaining_ns["right"]


@pytest.mark.parametrize(
    ("ns", "words"),
    [(10**9, "1 second"), (5 * 10**9, "5 seconds"), (6_690_000_000, "6.6 seconds")],
)
def test_a_time_that_exceeded_a_limit_is_not_told_as_the_limit(ns, words):
    assert seconds(ns) == words
