"""Overtime and time that nobody saw: how it is shown, what it costs, and whose it was."""

from __future__ import annotations

import pytest

from game.adjudication.entries import check_entry
from game.adjudication.remedies import offers
from game.clock import passed, shown
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameForfeited,
    TimePassed,
    TimeUnseen,
    TurnSeen,
    UnseenTimeCharged,
)
from game.gcg import check, events_from_record, parse, record_from_game, write
from game.referee.position import GameConfig
from game.rulebooks.loading import load_rulebook
from game.state.fold import GameState, apply, fold
from game.state.settlement import settle_limit
from game.state.timed_rights import limit_ns, play_ended_ns, windows
from game.tileset import load_tile_set

from .corpuskit import take
from .gamekit import SECOND, Table, codes
from .scriptkit import after

BOOKS = ["naspa-2017", "psa", "sanspa-1999", "sanspa-2001", "wespa-2007"]
RULES = dict(zip(BOOKS, ["V.G.3", "5.3.3", "18.5", "18.5", "8.3"], strict=True))


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


MINUTE = 60 * SECOND


def gap(table, minutes=40, *, thought_s=10, measured=True, **more):
    """Nobody watches for so long, ``thought_s`` after the last press."""
    table.now += thought_s * SECOND
    from_ns, passed_ns = table.now, None if minutes is None else int(minutes * MINUTE)
    table.now += passed_ns if measured and passed_ns else 0
    return table.put(TimeUnseen(from_ns, table.now, passed_ns, measured, **more))


def played(book="naspa-2017"):
    """One turn of 30 s; the right player is on turn."""
    return after("8G CAT", book)


def answers(state):
    (flag,) = (flag for flag in state.flags if flag.code == "time_unseen")
    return {one.id.rpartition(":")[2]: one for one in offers(state, None, flag)}


def test_the_question_names_both_readings():
    table = played()
    (flag,) = gap(table).flags
    assert flag.message == (
        "Nobody watched the table for 40:00. Bo's clock ran before, in turn 2: was it Bo's time, "
        "or nobody's? Nobody is charged so far."
    )
    assert [(one.text, one.asks) for one in answers(table.state).values()] == [
        ("nobody's: Bo's clock stays as it stood", ()),
        ("Bo's: charge 40:00", ()),
        ("say how much of it was Bo's", ("charged_ns",)),
    ]
    gap(of_unknown_length := played(), None, measured=False)
    assert list(answers(of_unknown_length.state)) == ["nobody", "amount"]


def test_the_last_word_on_a_gap_counts():
    table = played()
    state = gap(table, 10)
    number, before = len(table.events), state.clocks.remaining_ns["right"]
    for seconds in (300, 60):
        charge = UnseenTimeCharged(number, "right", seconds * SECOND, "TD", "", table.now)
        assert table.put(charge).clocks.remaining_ns["right"] == before - seconds * SECOND


def charge(table, ns, side="right"):
    return UnseenTimeCharged(len(table.events), side, ns, "TD", "", table.now)


def test_nobody_is_charged_more_than_the_time_that_passed():
    table = played()
    passed_ns = gap(table, 40).progress.unseen[len(table.events)].event.passed_ns
    check_entry(table.state, charge(table, passed_ns))
    too_much = charge(table, 10**17)
    with pytest.raises(TilewatchError, match="nobody watched for 40:00; enter at most that"):
        check_entry(table.state, too_much)
    with pytest.raises(TilewatchError, match="enter at most"):
        check_entry(table.state, charge(table, passed_ns + 1))
    assert table.put(too_much).status == "ended"  # a log that has one is read


@pytest.mark.parametrize("minutes", [1, None, 27 * 24 * 60])
def test_of_a_time_that_is_doubtful_no_more_is_charged_than_a_clock_has_or_than_it_seems(minutes):
    table = played()
    state = gap(table, minutes, measured=False)
    book = state.rulebook
    most = max((minutes or 0) * MINUTE, book.clock_ns + book.overtime_limit_from_ns)
    check_entry(state, charge(table, most))
    with pytest.raises(TilewatchError, match="the most that can be charged"):
        check_entry(state, charge(table, most + 1))


@pytest.mark.parametrize("measured", [True, False])
def test_nobody_is_charged_whose_clock_stood(measured):
    table = played()
    gap(table, 10, measured=measured)
    with pytest.raises(TilewatchError, match=r"Bo's clock ran .*, and not Ann"):
        check_entry(table.state, charge(table, SECOND, "left"))


def test_a_gap_while_no_clock_ran_asks_nothing():
    table = played()
    table.put(ButtonPressed("neutral", table.now + SECOND))
    before = table.state
    state = gap(table)
    assert (state.clocks, state.flags) == (before.clocks, before.flags)
    with pytest.raises(TilewatchError, match="is not a time when a clock ran and nobody watched"):
        apply(state, UnseenTimeCharged(len(table.events), "right", 0, "TD", "", table.now))
