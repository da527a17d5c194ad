"""Overtime: how it is shown, what it costs, and the limit that loses the game."""

from __future__ import annotations

import pytest

from game.clock import passed, shown
from game.events import ClockAdjusted, SquareCorrected, StopExplained, TurnRuled
from game.referee.position import GameConfig
from game.rulebooks.loading import load_rulebook
from game.state.ending import settle_limit
from game.state.fold import apply
from game.tileset import load_tile_set

from .gamekit import SECOND, Table, codes


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1500, "25:00"),
        (1395.2, "23:16"),
        (59.9, "1:00"),
        (0.1, "0:01"),
        (0, "0:00"),
        (-0.5, "0:00"),
        (-65, "−1:05"),
        (-65.9, "−1:05"),
    ],
)
def test_a_clock_as_it_is_shown(seconds, text):
    assert shown(int(seconds * SECOND)) == text


@pytest.mark.parametrize("ns", [0, 1, SECOND // 2, SECOND - 1, SECOND, 65 * SECOND + 1])
def test_a_time_that_passed_is_what_a_clock_has_lost_or_is_over(ns):
    assert passed(ns) == shown(-ns).lstrip("−")
    minutes, seconds = map(int, shown(1500 * SECOND - ns).split(":"))
    lost = 1500 - 60 * minutes - seconds
    assert passed(ns) == f"{lost // 60}:{lost % 60:02d}"


def test_overtime_costs_points_once_the_game_is_over():
    table = Table(seconds=1561)
    turn = table.play("8G", "CAT")
    assert turn.score == turn.total == 10
    assert codes(turn) == ["overtime"]
    assert table.state.scores["left"] == 10
    state = table.end()
    (line,) = state.adjustments
    assert (line.kind, line.side, line.points, line.total, line.rule) == (
        "overtime",
        "left",
        -20,
        -10,
        "8.2",
    )
    assert state.scores["left"] == -10
    assert state.turns[-1].total == 10
    assert [flag.code for flag in state.flags] == ["overtime"]


def test_ten_minutes_over_forfeits_by_the_margin_then():
    # Right leads by 28. At ten minutes over, left's penalties are 100 points, not the 110 of
    # the half minute that the clock ran on for (8.3).
    table = Table()
    table.nothing()
    assert table.play("8G", "ZAP").total == 28
    table.seconds = 2100
    turn = table.nothing()
    assert codes(turn) == ["overtime", "overtime_limit"]
    forfeit = table.state.forfeit
    assert (forfeit.side, forfeit.margin, forfeit.rule) == ("left", 128, "8.3")


def test_a_forfeit_is_never_less_than_a_hundred():
    table = Table()
    table.play("8D", "QUIZZED")
    table.nothing()
    table.seconds = 2200
    table.nothing()
    assert table.state.forfeit.side == "left"
    assert table.state.forfeit.margin == 100


@pytest.mark.parametrize(
    ("seconds", "text"), [(-0.999, "0:00"), (-1, "−0:01"), (-1.5, "−0:01"), (1, "0:01")]
)
def test_the_first_second_over_time_is_shown_as_such(seconds, text):
    assert shown(int(seconds * SECOND)) == text


def test_the_message_on_overtime_says_how_much():
    table = Table(seconds=1565)
    turn = table.play("8G", "CAT")
    assert turn.flags[0].message == "Ann Lee is 1:05 over time: 20 points."
    table = Table(rulebook="naspa-2017", seconds=2101)
    turn = table.play("8G", "CAT")
    assert turn.flags[1].message == (
        "Ann Lee has exceeded 10:00 of overtime, which loses the game."
    )


def test_time_taken_off_a_clock_is_seen_from_the_first_turn_on():
    table = Table(seconds=700)
    for where, word in (("8G", "CA"), ("9G", "BE"), ("10G", "DO")):
        table.play(where, word)
    assert [codes(turn) for turn in table.state.turns] == [[], [], []]
    table.put(ClockAdjusted("left", -810 * SECOND, None, "TD", "", table.now))
    assert ["overtime" in codes(turn) for turn in table.state.turns] == [True, False, True]


def test_nothing_is_added_for_an_opponent_who_wins_by_one_already():
    setting = GameConfig(
        {"left": "Ann", "right": "Bo"}, load_tile_set("english"), load_rulebook("naspa-2017")
    )
    clocks = {"left": 0, "right": -601 * SECOND}
    kept = settle_limit("right", {"left": 10, "right": 109}, clocks, setting, 2)
    assert [line.kind for line in kept.adjustments] == ["overtime_limit"]
    level = settle_limit("right", {"left": 10, "right": 110}, clocks, setting, 2)
    assert dict(level.scores) == {"left": 11, "right": 10}


def test_a_correction_before_the_limit_on_overtime_changes_the_margin():
    table = Table()
    table.play("8H", "ZZZZZZZ")
    table.seconds = 2100
    table.nothing()
    table.seconds = 10
    table.nothing()
    before = table.state
    assert (before.forfeit.side, before.forfeit.margin) == ("right", 310)
    later = apply(before, TurnRuled(3, "pass", "TD", "", table.now))
    assert later.forfeit == before.forfeit
    state = apply(before, SquareCorrected(1, "8I", "A", "TD", "", table.now))
    assert state.turns[0].score < 210
    assert state.forfeit.margin == state.turns[0].score + 100


@pytest.mark.parametrize("turn", [1, 2, 3, 4, 5])
def test_the_limit_on_overtime_was_reached_when_it_was_whatever_is_said_later(turn):
    table = Table(rulebook="naspa-2017", seconds=10)
    for where, word, seconds in (
        ("8G", "CAT", 10),
        ("9G", "ON", 2101),
        ("10G", "A", 10),
        ("11G", "A", 10),
        ("12G", "A", 10),
    ):
        table.play(where, word)
        table.seconds = seconds
    assert dict(table.state.scores) == {"left": -90, "right": 10}
    output = StopExplained(turn, "director", "TD", "", table.now)
    assert dict(apply(table.state, output).scores) == {"left": -90, "right": 10}
    undone = apply(table.state, TurnRuled(turn, "no_score", "TD", "", table.now))
    lost = {1: {"left": -100}, 2: {"right": 0}}.get(turn, {})
    assert dict(undone.scores) == {"left": -90, "right": 10} | lost
