"""The limit on overtime, seen when it passes: nobody need press for it."""

from __future__ import annotations

import json

import pytest

from game.adjudication.remedies import offers
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    GameEnded,
    GameForfeited,
    GameReopened,
    Retracted,
    TimePassed,
    TurnRuled,
    TurnSeen,
    from_payload,
    to_payload,
)
from game.gcg import check, events_from_record, parse, record_from_game, write
from game.state.fold import fold
from game.state.timed_rights import limit_ns, play_ended_ns, windows

from .gamekit import SECOND, Table, codes

BOOKS = ["naspa-2017", "psa", "sanspa-1999", "sanspa-2001", "wespa-2007"]
RULES = dict(zip(BOOKS, ["V.G.3", "5.3.3", "18.5", "18.5", "8.3"], strict=True))


def overrun(book: str) -> Table:
    """Left has made a play; right thinks until the limit has passed and beyond."""
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.now = limit_ns(table.state)
    table.put(TimePassed(table.now))
    return table


def flagged(state) -> list[tuple[str, str | None, str | None]]:
    return [(flag.code, flag.side, flag.rule) for flag in state.flags]


@pytest.mark.parametrize("book", BOOKS)
def test_the_limit_is_told_of_with_its_rule_when_it_passes(book):
    table = overrun(book)
    assert flagged(table.state) == [("overtime_limit", "right", RULES[book])]
    assert table.state.flags[0].visibility == "public"
    assert limit_ns(table.state) is None
    assert table.state.forfeit.side == "right"
    a_moment_before = fold([*table.events[:-1], TimePassed(table.now - 1)])
    assert a_moment_before.flags == ()
    assert limit_ns(a_moment_before) == table.now


@pytest.mark.parametrize("book", BOOKS)
def test_a_stored_game_is_the_same_game(book):
    table = overrun(book)
    stored = [from_payload(json.loads(json.dumps(to_payload(one)))) for one in table.events]
    assert fold(stored) == table.state
    with pytest.raises(TilewatchError, match="TimePassed: only an entry"):
        table.put(Retracted(len(table.events), "TD", "", table.now))


@pytest.mark.parametrize("book", BOOKS[1:])
def test_what_loses_the_game_is_offered_at_once(book):
    table = overrun(book)
    (offer,) = offers(table.state, None, table.state.flags[0])
    assert offer.event["side"] == "right"
    assert offer.rule == RULES[book]
    ended = table.put(GameForfeited("right", "overtime", "TD", "", table.now))
    assert (ended.status, ended.outcome.winner) == ("ended", "left")
    assert ended.outcome.margin == table.state.forfeit.margin


@pytest.mark.parametrize("book", BOOKS)
def test_the_turn_that_ends_after_it_makes_the_same_result(book):
    late, unnoted = overrun(book), overrun(book)
    unnoted.state, unnoted.events = fold(unnoted.events[:-1]), unnoted.events[:-1]
    for table in (late, unnoted):
        table.play("9G", "ON")
    assert late.state.turns == unnoted.state.turns
    assert codes(late.state.turns[1]) == ["overtime", "overtime_limit"]
    for name in ("scores", "outcome", "forfeit", "adjustments", "flags", "status"):
        assert getattr(late.state, name) == getattr(unnoted.state, name), name


def test_naspa_ends_the_game_there_and_then():
    table = overrun("naspa-2017")
    lost, at = table.state, table.now
    assert (lost.status, lost.end_reason) == ("ended", "overtime_limit")
    assert lost.scores == {"left": 10, "right": -100}
    assert lost.clocks.running is None
    assert lost.clocks.remaining_ns["right"] == -601 * SECOND
    assert play_ended_ns(lost) == at
    assert "announce_illegal" in [window.right for window in windows(lost)]
    for button in ("right", "left", "neutral", "left"):
        at += 1800 * SECOND
        after = table.put(ButtonPressed(button, at))
        assert (after.clocks, after.scores, after.on_turn) == (
            lost.clocks,
            lost.scores,
            lost.on_turn,
        )
    agreed = table.put(GameEnded("overtime_limit", at))
    assert (agreed.scores, agreed.clocks) == (lost.scores, lost.clocks)


def test_naspa_counts_the_opponents_overtime_up_to_the_end_only():
    table = Table(rulebook="naspa-2017")
    table.play("8G", "CAT")
    table.now += 2101 * SECOND
    table.put(ButtonPressed("right", table.now))  # nobody had noted the time
    assert table.state.end_reason == "overtime_limit"
    assert flagged(table.state) == [("overtime_limit", "right", "V.G.3")]
    table.now += 3600 * SECOND
    table.put(ButtonPressed("left", table.now))
    table.put(GameEnded("overtime_limit", table.now + 3600 * SECOND))
    assert table.state.scores == {"left": 10, "right": -100}
    assert [line.kind for line in table.state.adjustments] == ["overtime_limit"]


def test_a_press_made_in_time_and_heard_of_late_is_taken():
    for book in BOOKS:
        table = overrun(book)
        table.put(ButtonPressed("right", table.now - SECOND))
        table.put(TurnSeen("right", table.now - SECOND, table.board.rows))
        assert table.state.status == "running", book
        assert table.state.forfeit is None
        assert table.state.clocks.running == "left"
        assert table.state.flags == ()
        assert codes(table.state.turns[1]) == ["overtime"]


def test_time_given_back_lets_the_game_go_on_from_where_its_clocks_stood():
    table = overrun("naspa-2017")
    table.put(ClockAdjusted("right", 60 * SECOND, "II.A", "TD", "a fire alarm", table.now + SECOND))
    assert (table.state.status, table.state.flags) == ("running", ())
    assert table.state.clocks.running is None
    assert table.state.clocks.remaining_ns["right"] == -541 * SECOND
    table.now += 600 * SECOND
    table.put(ButtonPressed("left", table.now))
    assert limit_ns(table.state) == table.now + 60 * SECOND
    table.put(TimePassed(limit_ns(table.state)))
    assert table.state.end_reason == "overtime_limit"


def test_a_game_lost_so_and_reopened_has_standing_clocks():
    table = overrun("naspa-2017")
    table.put(GameReopened("both_agree", "TD", "the clock was faulty", table.now + 90 * SECOND))
    assert table.state.status == "running"
    assert table.state.clocks.running is None
    assert table.state.clocks.remaining_ns["right"] == -601 * SECOND


def test_time_that_passed_does_nothing_else():
    table = Table()
    table.play("8G", "CAT")
    before = table.state
    for t_ns in (table.now - SECOND, table.now + SECOND, table.now + 1600 * SECOND, 0):
        after = table.put(TimePassed(t_ns))
        for name in ("status", "scores", "turns", "clocks", "flags", "forfeit", "on_turn"):
            assert getattr(after, name) == getattr(before, name)
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    table.nothing()
    assert table.state.clocks.remaining_ns["right"] == 1470 * SECOND


def test_such_a_game_is_written_and_read_as_it_was():
    table = overrun("naspa-2017")
    text = write(record_from_game(table.state))
    record = parse(text)
    again = fold(events_from_record(record))
    assert check(record) == []
    assert again.scores == table.state.scores
    assert write(record_from_game(again)) == text
