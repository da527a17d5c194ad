"""Time that nobody saw pass: the clocks stand, and a director says whose it was."""

from __future__ import annotations

import pytest

from game.adjudication.entries import check_entry
from game.adjudication.remedies import offers
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameEnded,
    ResultSigned,
    Retracted,
    TimePassed,
    TimeUnseen,
    UnseenTimeCharged,
    from_payload,
)
from game.state.fold import apply, fold
from game.state.timed_rights import limit_ns

from .gamekit import SECOND
from .scriptkit import after

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


def answered(table, name, **typed):
    payload = dict(answers(table.state)[name].event) | typed
    return table.put(from_payload({**payload, "by": "TD", "t_ns": table.now}))


@pytest.mark.parametrize("minutes", [1, 40, 27 * 24 * 60, None])
@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("book", ["naspa-2017", "wespa-2007"])
def test_after_a_gap_both_clocks_stand_as_they_stood_and_nobody_loses_on_time(
    minutes, measured, book
):
    table = played(book)
    before = table.state.rulebook.clock_ns
    state = gap(table, minutes, measured=measured)
    assert (state.status, state.on_turn, state.clocks.running) == ("running", "right", None)
    assert state.clocks.remaining_ns == {
        "left": before - 30 * SECOND,
        "right": before - 10 * SECOND,
    }
    assert (limit_ns(state), state.adjustments) == (None, ())
    assert table.put(TimePassed(table.now + 90 * MINUTE)).status == "running"


def test_whoever_is_on_turn_goes_on_with_the_time_that_was_left():
    table = played()
    gap(table)
    table.now += 5 * SECOND
    table.put(ButtonPressed("left", table.now, "TD", "it goes on"))
    table.now += 20 * SECOND
    left = table.state.clocks.remaining("right", table.now)
    assert left == table.state.rulebook.clock_ns - 30 * SECOND
    turn = table.play("H8", "ART")
    assert (turn.side, table.state.forfeit, table.state.turns[0].flags) == ("right", None, ())
    assert [flag.code for flag in table.state.flags] == [
        "time_unseen"
    ]  # it is asked until answered


def test_a_press_after_the_gap_ends_the_turn_and_is_no_stop_for_a_challenge():
    table = played()
    gap(table)
    turn = table.play("H8", "CART")
    assert turn.side == "right"
    assert all(flag.code != "challenge_unclear" for flag in turn.flags)
    assert table.state.clocks.running == "left"


def test_after_a_restart_of_seconds_the_clock_that_ran_goes_on_and_the_gap_is_free():
    table = played()
    state = gap(table, 0.1, runs_on=True)
    assert (state.clocks.running, state.clocks.since_ns) == ("right", table.now)
    assert state.clocks.remaining("right", table.now) == state.rulebook.clock_ns - 10 * SECOND
    assert state.flags == ()


def test_the_question_names_both_readings():
    table = played()
    (flag,) = gap(table).flags
    assert flag.message == (
        "Nobody watched the table for 40:00 while Bo's clock ran, in turn 2: was it Bo's time, or "
        "nobody's? Nobody is charged so far."
    )
    assert [(one.text, one.asks) for one in answers(table.state).values()] == [
        ("nobody's: Bo's clock stays as it stood", ()),
        ("Bo's: charge 40:00", ()),
        ("say how much of it was Bo's", ("charged_ns",)),
    ]


def test_a_time_that_the_wall_clock_tells_is_said_to_be_doubtful():
    table = played()
    (flag,) = gap(table, 27 * 24 * 60, measured=False).flags
    assert "by the machine's date, which may be wrong, for 27 days" in flag.message
    table = played()
    (flag,) = gap(table, None, measured=False).flags
    assert "how long is not known" in flag.message
    assert list(answers(table.state)) == ["nobody", "amount"]


@pytest.mark.parametrize(
    ("name", "typed", "charged_s"),
    [("nobody", {}, 0), ("charged", {}, 600), ("amount", {"charged_ns": 90 * SECOND}, 90)],
)
def test_an_answer_charges_what_it_says_and_can_be_taken_back(name, typed, charged_s):
    table = played()
    asked = gap(table, 10)
    state = answered(table, name, **typed)
    left = asked.clocks.remaining_ns["right"] - charged_s * SECOND
    assert (state.clocks.remaining_ns["right"], state.flags) == (left, ())
    assert state.turns[0].clock_ns == asked.turns[0].clock_ns  # an earlier turn's is as it was
    state = table.put(Retracted(len(table.events), "TD", "", table.now))
    assert (state.clocks, state.flags) == (asked.clocks, asked.flags)
    assert fold(table.events) == table.state


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


def test_a_charge_counts_from_the_turn_in_which_it_was_on():
    """It makes nobody exceed the limit on overtime in a turn before the gap."""
    table = played()
    table.play("H7", "CAB")
    table.play("9H", "BE")
    gap(table, 40)
    state = answered(table, "charged")
    assert (state.status, state.end_reason) == ("ended", "overtime_limit")
    assert [turn.flags for turn in state.turns] == [(), (), ()]
    assert "overtime_limit" in [flag.code for flag in state.flags]
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state.status == "running"


def test_a_gap_while_no_clock_ran_asks_nothing():
    table = played()
    table.put(ButtonPressed("neutral", table.now + SECOND))
    before = table.state
    state = gap(table)
    assert (state.clocks, state.flags) == (before.clocks, before.flags)
    with pytest.raises(TilewatchError, match="no time that nobody watched"):
        apply(state, UnseenTimeCharged(len(table.events), "right", 0, "TD", "", table.now))


def test_a_second_gap_while_the_clocks_stand_asks_nothing_more():
    table = played()
    first = gap(table)
    assert gap(table).flags == first.flags


def test_a_gap_after_the_end_changes_nothing():
    table = played()
    table.put(GameEnded("director", table.now, "TD", ""))
    ended = gap(table)
    assert ended.progress.unseen == {}
    table.put(ResultSigned("TD", table.now))
    assert gap(table).signed is not None
    assert fold(table.events) == table.state


def test_a_game_that_ends_with_the_question_open_still_asks_it():
    table = played()
    gap(table, 28)
    state = table.put(GameEnded("director", table.now, "TD", ""))
    assert "time_unseen" in [flag.code for flag in state.flags]
    state = answered(table, "charged")
    assert "time_unseen" not in [flag.code for flag in state.flags]
    assert [line.kind for line in state.adjustments] == ["overtime"]
