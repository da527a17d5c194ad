"""The account of an entry: its effects, what stays open, times and signs."""

from __future__ import annotations

import time
from datetime import timedelta, timezone

import pytest

from game.events import (
    ButtonPressed,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from record.story import Story, steps_of, tell
from record.story.incidents import Incident
from record.story_html.boards import board
from record.story_html.turn import facts, title
from record.story_html.words import escape, wall
from tests.game.gamekit import SECOND, Table, random_game
from tests.record.storykit import entries_of


def story_of(table: Table) -> Story:
    return tell(steps_of(entries_of(table.events)))


def told_changes(table: Table) -> tuple[str, ...]:
    """What came of the last entry that a person made."""
    return story_of(table).decisions[-1].changes


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
    reported = story_of(table)
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
    assert story_of(table).decisions[-1].text == words


# --- what it leaves open ---


def nothing_played(story: Story) -> list[Incident]:
    return [one for one in story.incidents if "played nothing" in one.text]


def test_a_turn_without_tiles_that_nobody_named_is_a_fact_and_no_doubt():
    table = Table()
    table.play("8D", "PLATE")
    table.nothing()
    story = story_of(table)
    assert story.turns[1].turn.kind == "exchange_or_pass"
    assert story.doubts == ()
    assert story.standing.endswith("Nothing is open.")
    (one,) = nothing_played(story)
    assert (one.kind, one.turn, one.open) == ("note", 2, False)
    assert one.outcome == "nobody entered which; it scores nothing either way"


def test_with_too_few_tiles_for_an_exchange_such_a_turn_states_so():
    table = random_game(4, pass_rate=0)
    late = Table()
    for event in table.events[2:]:
        late.put(event)
        if late.state.turns and late.state.turns[-1].bag_count in range(1, 7):
            break
    late.now, late.board = event.press_ns, late.state.board
    late.side = "right" if event.side == "left" else "left"
    bag = late.nothing().bag_count
    one = nothing_played(story_of(late))[-1]
    assert one.outcome == f"nobody entered which; the bag held {bag}, too few for an exchange"


def test_the_result_of_a_resigned_game_says_how_its_spread_is_fixed():
    table = Table(rulebook="wespa-2021")
    table.play("8D", "PLATE")
    table.put(GameForfeited("right", "resigned", "TD", "ill", table.now))
    assert story_of(table).result == (
        "Ann Lee 20, Bo 0: Ann Lee won by 70; "
        "the spread is the lead of 20 and 50 points more (rule 5.7(c))"
    )


def test_a_game_that_neither_came_to_is_no_tie():
    table = Table(rulebook="naspa-2017")
    table.put(GameForfeited("left", "both_absent", "TD", "", 0))
    assert story_of(table).result == (
        "Ann Lee 0, Bo 0: neither player won; "
        "the spread is a loss of 50 points for each player (rule III.C, V.K)"
    )


# --- as HTML ---

MARK = "\N{LEFT-TO-RIGHT MARK}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann 24:43, Bo 24:51", "Ann 24:43, Bo 24:51"),
        ("אברהם 24:43, Bo 24:51", f"אברהם{MARK} 24:43, Bo 24:51"),
        ("Bo 24:51; אברהם took 0:08", "Bo 24:51; אברהם took 0:08"),
        ("a & b", "a &amp; b"),
    ],
)
def test_a_number_stays_on_the_right_of_a_name(text, shown):
    assert escape(text) == shown
