"""What the account says came of an entry, and in which times and signs it says it."""

from __future__ import annotations

import time
from datetime import timedelta, timezone

import pytest

from game.events import (
    ButtonPressed,
    GameEnded,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from record.story import steps_of, tell
from record.story_html.boards import board
from record.story_html.turn import facts, title
from record.story_html.words import wall
from tests.game.gamekit import SECOND, Table
from tests.record.storykit import entries_of


def told_changes(table: Table) -> tuple[str, ...]:
    """What came of the last entry that a person made."""
    return tell(steps_of(entries_of(table.events))).decisions[-1].changes


def challenged(book: str) -> Table:
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "challenge_failed", "TD", "good", table.now))
    return table


def test_the_turn_that_a_challenge_costs_is_told_where_it_is_lost():
    table = challenged("naspa-2017")
    assert told_changes(table) == (
        "Bo loses the next turn: a press of the clock with nothing played",
    )
    table.nothing()
    assert table.state.turns[1].kind == "challenge_failed"
    assert "turn 2 is the turn that Bo lost by it" in told_changes(table)


def test_a_challenger_who_plays_on_lost_no_turn():
    table = challenged("naspa-2017")
    table.play("9G", "ON")
    assert "Bo lost no turn by it: turn 2 was a play" in told_changes(table)


def test_no_turn_is_said_to_be_lost_where_the_text_takes_none():
    table = challenged("wespa-2021")
    assert not any("turn" in line and "lost" in line for line in told_changes(table))
    assert not any("loses the next turn" in line for line in told_changes(table))


@pytest.mark.parametrize(
    ("book", "reason", "why"),
    [
        ("wespa-2021", "confirmed", "both players agreed that it is over"),
        ("wespa-2021", "broken off", "a game without a result"),
        ("naspa-2017", "confirmed", None),
        ("wespa-2021", "shortened", None),
    ],
)
def test_a_rack_that_brings_nothing_says_why(book, reason, why):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.put(GameEnded(reason, table.now + SECOND))
    table.put(RackReported("left", "AEIOU", table.now + SECOND, "TD", "", counted=5))
    found = [line for line in told_changes(table) if line.startswith("no points by it")]
    assert (why is None) == (not found)
    assert why is None or why in found[0]


def test_a_stop_that_the_text_does_not_list_is_named_in_words():
    table = Table(rulebook="wespa-2007")
    table.play("8G", "CAT")
    table.put(ButtonPressed("neutral", table.now + SECOND))
    state = table.put(StopExplained(1, "absence", "TD", "to the toilet", table.now + SECOND))
    (flag,) = state.flags
    assert flag.code == "stop_unlisted"
    assert "for a toilet break or another absence, which" in flag.message
    state = table.put(StopExplained(1, "blank", "TD", "", table.now + SECOND))
    assert "for the letter of a blank, which" in state.flags[0].message


def test_points_below_nought_have_a_minus():
    table = Table()
    table.play("8G", "CAT")
    table.put(PenaltyAdded("right", 10, None, "TD", "late", table.now))
    reported = " ".join(told_changes(table))
    assert "0 → −10" in reported
    assert "-10" not in reported


def test_times_are_told_by_the_zone_of_the_table():
    table = Table()
    table.play("8G", "CAT")
    entries = entries_of(table.events)
    utc = tell(steps_of(entries))
    assert "UTC," in facts(utc, utc.turns[0])
    there = tell(steps_of(entries), zone=timezone(timedelta(hours=5, minutes=30)))
    assert "UTC+5:30," in facts(there, there.turns[0])
    assert wall(0, timezone(-timedelta(hours=3))) == "21:00:00 UTC−3"


def test_the_zone_may_be_the_machines_own(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert wall(0, None) == "09:00:00 UTC+9"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_tile_that_was_not_read_is_no_sign_of_ours():
    table = Table()
    table.play("8G", "C#T")
    reported = tell(steps_of(entries_of(table.events)))
    shown = board(table.board, "after") + title(reported.turns[0])
    assert shown.count("▢") == 2
    assert "#" not in shown


def test_a_word_and_its_tiles_are_told_without_the_signs_of_the_log():
    table = Table(rulebook="wespa-2021")
    table.play("8G", "C#?")
    table.put(SquareCorrected(1, "8H", "a", "TD", "seen", table.now))
    (changed, *_) = told_changes(table)
    assert "word C▢? → Ca? (? is a blank with no letter yet)" in changed
    assert changed.count("no letter yet") == 1
    assert "#" not in changed


@pytest.mark.parametrize(
    ("challenged", "words"),
    [(None, "turn 1 counts as a play"), (False, "turn 1 was not challenged")],
)
def test_a_play_that_was_ruled_to_stand_says_so(challenged, words):
    table = Table(rulebook="wespa-2021")
    table.play("8G", "CAT")
    why = "the clock was stopped, and why is not known (4.6)"  # whatever was entered as the reason
    table.put(TurnRuled(1, "play", "TD", why, table.now, challenged=challenged))
    assert tell(steps_of(entries_of(table.events))).decisions[-1].text == words
