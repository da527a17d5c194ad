"""Rights that are timed, and what is said beside the turns, where no case of the corpora has it."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from game.board import Board, Square
from game.events import ButtonPressed, PlayAccepted, SetSeen, TurnSeen
from game.state.fold import fold
from game.state.timed_rights import challenge_gone, windows

from .gamekit import SECOND, Table
from .scriptkit import after


def window(state, right):
    """The one window of that right, or None."""
    found = [one for one in windows(state) if one.right == right]
    assert len(found) <= 1
    json.dumps([asdict(one) for one in found])
    return found[0] if found else None


def test_a_right_is_open_from_its_first_moment_to_its_last():
    table = after("8G CAT, wait 4, hold 1", "sanspa-1999")
    found, press = window(table.state, "challenge"), table.state.turns[0].press_ns
    assert (found.side, found.turn) == ("right", 1)
    moments = (press - 1, press, press + 24 * SECOND, press + 24 * SECOND + 1)
    assert [found.open_at(at) for at in moments] == [False, True, True, False]


@pytest.mark.parametrize(("book", "limit"), [("naspa-2017", 601), ("psa", 600)])
def test_the_moments_of_overtime_are_known_before(book, limit):
    table = after("8G CAT", book)
    end = table.now + 1500 * SECOND
    found = window(table.state, "overtime")
    assert (found.opens_ns, found.side, found.turn) == (end + SECOND, "right", 2)
    assert window(table.state, "overtime_limit").opens_ns == end + limit * SECOND
    table.put(ButtonPressed("neutral", table.now + SECOND))
    assert window(table.state, "overtime") is None


@pytest.mark.parametrize(("book", "least"), [("naspa-2017", 20), ("psa", None)])
def test_where_no_clock_was_started_there_is_more_time(book, least):
    table = Table(rulebook=book)
    table.now += 30 * SECOND
    table.put(ButtonPressed("neutral", table.now))
    cat = {Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"}
    table.put(TurnSeen("left", table.now, Board.empty().replace(cat).rows))
    for seconds in (least, 5 if least else None):
        due = None if seconds is None else table.now + seconds * SECOND
        assert window(table.state, "challenge").least_ns == due
        table.put(ButtonPressed("neutral", table.now + SECOND))


def test_the_right_to_challenge_goes_with_the_opponent_s_next_turn_or_an_acceptance():
    table = after("8G CAT")
    assert not challenge_gone(table.state, table.state.turns[0])
    table.play("H8", ".T")
    assert challenge_gone(table.state, table.state.turns[0])
    assert not challenge_gone(table.state, table.state.turns[1])
    table.put(PlayAccepted(2, "score_written", "TD", "", table.now))
    assert challenge_gone(table.state, table.state.turns[1])


def test_a_set_of_which_nearly_all_is_missing_is_told_of_in_few_words():
    (flag,) = after("8G CAT", "naspa-2017").put(SetSeen("A", "TD", 2)).flags
    for words in ("1 tiles of 100", "8 A missing", "and 21 more kinds"):
        assert words in flag.message


def test_a_set_that_is_checked_before_the_clock_was_started_was_checked_before_the_game():
    table = Table()
    table.state = fold(table.events[:1])
    (flag,) = table.put(SetSeen("A", "TD", 0)).flags
    assert "before the game" in flag.message
