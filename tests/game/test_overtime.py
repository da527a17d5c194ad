"""Overtime: how it is shown, what it costs, and the limit, for which nobody need press."""

from __future__ import annotations

import pytest

from game.adjudication.remedies import offers
from game.clock import passed, shown
from game.events import ButtonPressed, GameForfeited, TimePassed, TurnSeen
from game.gcg import check, events_from_record, parse, record_from_game, write
from game.referee.position import GameConfig
from game.rulebooks.loading import load_rulebook
from game.state.ending import settle_limit
from game.state.fold import GameState, fold
from game.state.timed_rights import limit_ns, play_ended_ns, windows
from game.tileset import load_tile_set

from .corpuskit import take
from .gamekit import SECOND, Table, codes
from .scriptkit import after, follow, scripts

GAMES = """
overtime costs points once the game is over | seconds=1561
    8G CAT -> score = 10; total = 10; codes = overtime; scores = 10 0
    end -> lines = overtime left -20 after 1; scores = -10 0; total = 10; game = overtime
ten minutes over forfeits by the margin then: 28 and 100 points, not the 110 of half a minute more
    -, 8G ZAP, clock 2100, - -> codes = overtime overtime_limit; forfeit = left 128 8.3
a forfeit is never less than a hundred
    8D QUIZZED, -, clock 2200, - -> forfeit = left 100 8.3
the message on overtime says how much | seconds=1565
    8G CAT -> says = Ann Lee is 1:05 over time: 20 points.
and what it loses | naspa-2017 seconds=2101
    8G CAT -> says = Ann Lee has exceeded 10:00 of overtime, which loses the game.
time taken off a clock is seen from the first turn on | seconds=700
    8G CA, 9G BE, 10G DO -> all.codes = - / - / -
    add left -810 -> all.codes = overtime / - / overtime overtime_limit
a correction before the limit on overtime changes the margin
    8H ZZZZZZZ, clock 2100, -, clock 10, - -> forfeit = right 310 8.3
    rule 3 pass -> forfeit = right 310 8.3
    correct 1 8I=A -> forfeit = right 292 8.3; 1.score = 192
the limit was reached when it was, whatever is said later | naspa-2017 seconds=10
    8G CAT, 9G ON, clock 2101, 10G A, clock 10, 11G A, 12G A -> scores = -90 10
    why 1 director, why 2 director, why 3 director, why 4 director, why 5 director
    -> scores = -90 10
    rule 1 no_score -> scores = -100 10
    rule 1 play, rule 2 no_score -> scores = -90 0
    rule 2 play, rule 3 no_score -> scores = -90 10
    rule 4 no_score -> scores = -90 10
    rule 5 no_score -> scores = -90 10
naspa counts the opponent's overtime up to the end only | naspa-2017
    8G CAT, wait 2100, start left -> end = overtime_limit; game = overtime_limit
    wait 3599, start right, wait 3600, end overtime_limit
    -> scores = 10 -100; lines = overtime_limit right -100 after 1
"""
BOOKS = ["naspa-2017", "psa", "sanspa-1999", "sanspa-2001", "wespa-2007"]
RULES = dict(zip(BOOKS, ["V.G.3", "5.3.3", "18.5", "18.5", "8.3"], strict=True))


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_overtime_costs(script):
    follow(script)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((1500, "25:00"), (1395.2, "23:16"), (59.9, "1:00"), (1, "0:01"), (0.1, "0:01")),
        *((0, "0:00"), (-0.5, "0:00"), (-0.999, "0:00"), (-1, "−0:01"), (-1.5, "−0:01")),
        *((-65, "−1:05"), (-65.9, "−1:05")),
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


def test_nothing_is_added_for_an_opponent_who_wins_by_one_already():
    players = {"left": "Ann", "right": "Bo"}
    setting = GameConfig(players, load_tile_set("english"), load_rulebook("naspa-2017"))
    clocks = {"left": 0, "right": -601 * SECOND}
    kept = settle_limit("right", {"left": 10, "right": 109}, clocks, setting, 2)
    assert [line.kind for line in kept.adjustments] == ["overtime_limit"]
    level = settle_limit("right", {"left": 10, "right": 110}, clocks, setting, 2)
    assert dict(level.scores) == {"left": 11, "right": 10}


def overrun(book: str) -> Table:
    """Left has made a play; right thinks until the limit has passed and beyond."""
    table = after("8G CAT", book)
    table.now = limit_ns(table.state)
    table.put(TimePassed(table.now))
    return table


@pytest.mark.parametrize("book", BOOKS)
def test_the_limit_is_told_of_with_its_rule_when_it_passes(book):
    table = overrun(book)
    found = [(one.code, one.side, one.rule, one.visibility) for one in table.state.flags]
    assert found == [("overtime_limit", "right", RULES[book], "public")]
    assert limit_ns(table.state) is None
    assert table.state.forfeit.side == "right"
    a_moment_before = fold([*table.events[:-1], TimePassed(table.now - 1)])
    assert (a_moment_before.flags, limit_ns(a_moment_before)) == ((), table.now)


@pytest.mark.parametrize("book", BOOKS[1:])
def test_what_loses_the_game_is_offered_at_once(book):
    table = overrun(book)
    (offer,) = offers(table.state, None, table.state.flags[0])
    assert (offer.event["side"], offer.rule) == ("right", RULES[book])
    ended = table.put(GameForfeited("right", "overtime", "TD", "", table.now))
    assert (ended.status, ended.outcome.winner) == ("ended", "left")
    assert ended.outcome.margin == table.state.forfeit.margin


@pytest.mark.parametrize("book", BOOKS)
def test_the_turn_that_ends_after_it_makes_the_same_result(book):
    late, unnoted = overrun(book), overrun(book)
    unnoted.state, unnoted.events = fold(unnoted.events[:-1]), unnoted.events[:-1]
    for table in (late, unnoted):
        table.play("9G", "ON")
    assert codes(late.state.turns[1]) == ["overtime", "overtime_limit"]
    for name in ("turns", "scores", "outcome", "forfeit", "adjustments", "flags", "status"):
        assert getattr(late.state, name) == getattr(unnoted.state, name), name


def test_naspa_ends_the_game_there_and_then():
    table = overrun("naspa-2017")
    lost, at = table.state, table.now
    assert (lost.status, lost.end_reason) == ("ended", "overtime_limit")
    assert lost.scores == {"left": 10, "right": -100}
    assert (lost.clocks.running, lost.clocks.remaining_ns["right"]) == (None, -601 * SECOND)
    assert play_ended_ns(lost) == at
    assert "announce_illegal" in [window.right for window in windows(lost)]
    text = write(record_from_game(lost))
    again = fold(events_from_record(parse(text)))
    assert (check(parse(text)), again.scores) == ([], lost.scores)
    assert write(record_from_game(again)) == text


@pytest.mark.parametrize("book", BOOKS)
def test_a_press_made_in_time_and_heard_of_late_is_taken(book):
    table = overrun(book)
    table.put(ButtonPressed("right", table.now - SECOND))
    state = table.put(TurnSeen("right", table.now - SECOND, table.board.rows))
    assert (state.status, state.forfeit, state.flags) == ("running", None, ())
    assert state.clocks.running == "left"
    assert codes(state.turns[1]) == ["overtime"]


def test_time_given_back_lets_the_game_go_on_from_where_its_clocks_stood():
    table = overrun("naspa-2017")
    assert follow_on(table, "wait 1, add right 60", -541).flags == ()
    table.now += 599 * SECOND
    table.put(ButtonPressed("left", table.now))
    assert limit_ns(table.state) == table.now + 60 * SECOND
    table.put(TimePassed(limit_ns(table.state)))
    assert table.state.end_reason == "overtime_limit"


def test_a_game_lost_so_and_reopened_has_standing_clocks():
    follow_on(overrun("naspa-2017"), "wait 90, reopen both_agree", -601)


def follow_on(table: Table, steps: str, right: int) -> GameState:
    """The state after these steps: the clocks stand, with so many seconds on right's."""
    for step in steps.split(", "):
        take(table, step)
    state = table.state
    assert (state.status, state.clocks.running) == ("running", None)
    assert state.clocks.remaining_ns["right"] == right * SECOND
    return state


def test_time_that_passed_does_nothing_else():
    table = after("8G CAT")
    before = table.state
    for t_ns in (table.now - SECOND, table.now + SECOND, table.now + 1600 * SECOND, 0):
        later = table.put(TimePassed(t_ns))
        for name in ("status", "scores", "turns", "clocks", "flags", "forfeit", "on_turn"):
            assert getattr(later, name) == getattr(before, name)
    table.put(TimePassed(table.now))
    table.nothing()
    assert table.state.clocks.remaining_ns["right"] == 1470 * SECOND
