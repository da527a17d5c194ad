"""Rights that are timed: challenges, holds, restarts, recounts, by every rulebook."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    HoldCalled,
    PlayAccepted,
    ResultSigned,
    TurnRuled,
    TurnSeen,
)
from game.state.fold import apply, fold
from game.state.timed_rights import challenge_gone, recount_refused, windows
from game.tileset import load_tile_set

from .gamekit import SECOND, Table

CAT = {Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"}
BOOKS = ["naspa-2017", "psa", "sanspa-1999", "sanspa-2001", "wespa-2007"]


def window(state, right):
    """The one window of that right, or None."""
    found = [one for one in windows(state) if one.right == right]
    assert len(found) <= 1
    json.dumps([asdict(one) for one in found])
    return found[0] if found else None


@pytest.mark.parametrize(
    ("book", "until", "least", "rule"),
    [
        ("naspa-2017", "until the first new tile is drawn", 5, "IV.I.1"),
        ("psa", "until the first new tile is drawn or the whole score is written", None, "3.1.2"),
        (
            "sanspa-1999",
            "until the first new tile is drawn or the whole score is written",
            None,
            "7.3, 13.2",
        ),
        (
            "sanspa-2001",
            "until the first new tile is drawn or the whole score is written",
            None,
            "7.3, 13.2",
        ),
        ("wespa-2007", "until Bo has written down the whole score", None, "4.1, 4.6.3"),
    ],
)
def test_a_play_may_be_challenged_from_the_press(book, until, least, rule):
    table = Table(rulebook=book)
    turn = table.play("8G", "CAT")
    found = window(table.state, "challenge")
    assert (found.side, found.turn, found.until, found.rule) == ("right", 1, until, rule)
    assert found.opens_ns == turn.press_ns
    assert found.least_ns == (None if least is None else turn.press_ns + least * SECOND)
    assert found.closes_ns is None
    assert not found.open_at(turn.press_ns - 1)
    assert found.open_at(turn.press_ns)
    table.nothing()
    assert window(table.state, "challenge") is None  # nothing was played


@pytest.mark.parametrize(
    ("book", "draw", "from_press", "closes"),
    [
        ("naspa-2017", 15, False, None),
        ("psa", 60, True, None),
        ("sanspa-1999", None, False, 20),
        ("sanspa-2001", 20, False, None),
        ("wespa-2007", 60, False, None),
    ],
)
def test_a_hold_is_timed(book, draw, from_press, closes):
    table = Table(rulebook=book)
    turn = table.play("8G", "CAT")
    assert window(table.state, "draw") is None
    held = turn.press_ns + 4 * SECOND
    state = table.put(HoldCalled(1, "right", held))
    start = turn.press_ns if from_press else held
    if draw is None:  # no right to draw meanwhile
        assert window(state, "draw") is None
    else:
        assert window(state, "draw").opens_ns == start + draw * SECOND
        assert window(state, "draw").side == "left"
    challenge = window(state, "challenge")
    assert challenge.closes_ns == (None if closes is None else held + closes * SECOND)
    if closes is not None:
        assert challenge.open_at(held + closes * SECOND)
        assert not challenge.open_at(held + closes * SECOND + 1)


def test_the_first_hold_counts_and_only_plays_can_be_held():
    table = Table(rulebook="sanspa-1999")
    table.play("8G", "CAT")
    table.put(HoldCalled(1, "right", table.now + 9 * SECOND))
    state = table.put(HoldCalled(1, "right", table.now + 5 * SECOND))
    assert window(state, "challenge").closes_ns == table.now + 25 * SECOND
    with pytest.raises(TilewatchError, match="there is no turn 2"):
        table.put(HoldCalled(2, "right", table.now))
    with pytest.raises(TilewatchError, match="there is no turn 0"):
        table.put(HoldCalled(0, "right", table.now))
    table.nothing()
    with pytest.raises(TilewatchError, match="no tiles were played"):
        table.put(HoldCalled(2, "right", table.now))


def test_a_decided_play_has_no_window():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "challenge_failed", "TD", "", table.now))
    assert window(table.state, "challenge") is None


@pytest.mark.parametrize(
    ("book", "seconds", "late"),
    [("sanspa-1999", 20, False), ("sanspa-1999", 21, True), ("sanspa-2001", 21, False)],
)
def test_a_challenge_after_the_hold_has_run_out_is_late(book, seconds, late):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    held = table.now + SECOND
    table.put(HoldCalled(1, "right", held))
    called = held + seconds * SECOND
    table.put(TurnRuled(1, "challenge_failed", "TD", "", called, called_ns=called))
    codes = [(flag.code, flag.rule) for flag in table.state.turns[0].flags]
    assert codes == ([("challenge_late", "13.1")] if late else [])


@pytest.mark.parametrize("book", BOOKS)
def test_a_challenge_after_the_own_turn_is_late(book):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.play("9G", "ON")
    answered = table.now
    table.play("10G", "A")
    for called, late in ((answered, False), (answered + 1, True)):
        state = apply(
            table.state, TurnRuled(1, "challenge_failed", "TD", "", table.now, called_ns=called)
        )
        codes = [flag.code for flag in state.turns[0].flags]
        assert codes == (["challenge_late"] if late else [])


def last_play(book):
    """86 tiles lie on the board and seven on each rack; left plays all seven. The bag is empty."""
    tiles = [t for t, n in load_tile_set("english").counts.items() for _ in range(n)]
    lying = "".join(tiles[:86]).replace("?", "a")
    rows = [lying[i : i + 15].ljust(15, ".") for i in range(0, 86, 15)]
    rows += ["." * 15] * (15 - len(rows))
    rest = tiles[86:]
    start = GameStarted(
        "g", {"left": "Ann Lee", "right": "Bo"}, book, "english", "left", 0, tuple(rows)
    )
    events = [start, ButtonPressed("right", 0)]
    row = list(rows[6])
    row[0:7] = rest[:7]
    seen = (*rows[:6], "".join(row), *rows[7:])
    press = 60 * SECOND
    events += [ButtonPressed("neutral", press), TurnSeen("left", press, seen)]
    return events, press


@pytest.mark.parametrize(
    ("book", "closes", "restart"),
    [
        ("naspa-2017", 20, None),
        ("psa", None, 5),
        ("wespa-2007", None, 5),
    ],
)
def test_the_last_play_has_its_own_times(book, closes, restart):
    events, press = last_play(book)
    state = fold(events)
    assert state.end_reason == "out"
    found = window(state, "challenge")
    assert found.closes_ns == (None if closes is None else press + closes * SECOND)
    again = window(state, "restart")
    assert (again and again.opens_ns) == (None if restart is None else press + restart * SECOND)
    if closes is not None:
        held = apply(state, HoldCalled(1, "right", press + closes * SECOND))
        assert window(held, "challenge").closes_ns is None
        late = apply(state, HoldCalled(1, "right", press + closes * SECOND + 1))
        assert window(late, "challenge").closes_ns == press + closes * SECOND


@pytest.mark.parametrize(
    ("book", "until"),
    [
        ("naspa-2017", ""),
        ("psa", ""),
        ("sanspa-1999", "until the first new tile is drawn or the whole score is written"),
        ("sanspa-2001", ""),
        ("wespa-2007", "until the opponent has written down the whole score"),
    ],
)
def test_with_an_empty_bag_some_texts_set_no_limit(book, until):
    events, press = last_play(book)
    rows = events[-1].rows
    one = ("." * 15, *rows[1:6], rows[6][0] + "." * 14, *rows[7:])
    start = [events[0], events[1]]
    start[0] = replace(start[0], rows=("." * 15, *start[0].rows[1:]))  # fifteen in the bag
    played = [ButtonPressed("left", press), TurnSeen("left", press, one)]
    state = fold([*start, *played])
    assert state.bag_count == 14
    assert window(state, "challenge").until != ""
    held = apply(state, HoldCalled(1, "right", press))
    assert (window(held, "draw") is None) == (book == "sanspa-1999")
    start = [events[0], events[1]]
    one = (*rows[:6], rows[6][0] + "." * 14, *rows[7:])
    two = (*rows[:6], rows[6][:2] + "." * 13, *rows[7:])
    state = fold([*start, ButtonPressed("left", press), TurnSeen("left", press, one)])
    assert state.bag_count == 0
    assert window(state, "challenge").until == until.replace("the opponent", "Bo")
    answered = press + 9 * SECOND
    state = fold([ButtonPressed("right", answered), TurnSeen("right", answered, two)], state)
    assert window(state, "challenge").until == until.replace("the opponent", "Ann Lee")
    held = apply(state, HoldCalled(2, "left", answered))
    assert window(held, "draw") is None  # there is nothing to draw


@pytest.mark.parametrize(("hold", "late"), [(20, False), (21, True), (None, True)])
def test_a_hold_within_its_time_keeps_the_right_to_challenge_the_last_play(hold, late):
    events, press = last_play("naspa-2017")
    if hold is not None:
        events.append(HoldCalled(1, "right", press + hold * SECOND))
    called = press + 90 * SECOND
    events.append(TurnRuled(1, "challenge_failed", "TD", "", called, called_ns=called))
    codes = [flag.code for flag in fold(events).turns[0].flags]
    assert ("challenge_late" in codes) == late


@pytest.mark.parametrize(
    ("book", "seconds"),
    [(book, 60 if book == "naspa-2017" else None) for book in BOOKS],
)
def test_a_recount_may_be_asked_for(book, seconds):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    assert window(table.state, "recount") is None
    table.put(GameEnded("agreed", table.now + SECOND))
    found = window(table.state, "recount")
    assert found.opens_ns == table.now + SECOND
    assert found.closes_ns == (None if seconds is None else found.opens_ns + seconds * SECOND)
    table.put(ResultSigned("both", table.now + 2 * SECOND))
    assert windows(table.state) == ()
    assert recount_refused(table.state) == "the result was signed"


def test_psa_recounts_close_games_only():
    table = Table(rulebook="psa")
    table.play("8G", "CAT")
    table.put(GameEnded("agreed", table.now))
    assert recount_refused(table.state) is None  # by ten
    table = Table(rulebook="psa")
    table.play("8G", "BAT")
    table.nothing()
    table.play("8G", "...S")
    table.put(GameEnded("agreed", table.now))
    assert table.state.scores == {"left": 16, "right": 0}
    assert "the margin is 16; more than 10" in recount_refused(table.state)
    assert window(table.state, "recount") is None


def test_no_recount_after_the_limit_on_overtime():
    table = Table(rulebook="naspa-2017")
    table.play("8G", "CAT")
    table.seconds = 2101
    table.nothing()
    assert "limit on overtime" in recount_refused(table.state)
    assert window(table.state, "recount") is None


@pytest.mark.parametrize(("book", "limit"), [("naspa-2017", 601), ("psa", 600)])
def test_the_moments_of_overtime_are_known_before(book, limit):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    end = table.now + 1500 * SECOND
    assert window(table.state, "overtime").opens_ns == end + SECOND
    assert window(table.state, "overtime_limit").opens_ns == end + limit * SECOND
    assert window(table.state, "overtime").side == "right"
    assert window(table.state, "overtime").turn == 2
    table.put(ButtonPressed("neutral", table.now + SECOND))
    assert window(table.state, "overtime") is None


def test_an_illegal_last_play_is_announced_within_twenty_seconds():
    events, press = last_play("naspa-2017")
    state = fold(events)
    assert window(state, "announce_illegal").closes_ns == press + 20 * SECOND
    state = apply(state, GameEnded("agreed", press + 15 * SECOND))
    assert window(state, "announce_illegal").closes_ns == press + 20 * SECOND
    apply(state, TurnRuled(1, "illegal_play", "TD", "", press + 20 * SECOND))
    with pytest.raises(TilewatchError, match="within 20 seconds"):
        apply(state, TurnRuled(1, "illegal_play", "TD", "", press + 20 * SECOND + 1))


@pytest.mark.parametrize(("book", "least"), [("naspa-2017", 20), ("psa", None)])
def test_where_no_clock_was_started_there_is_more_time(book, least):
    table = Table(rulebook=book)
    table.now += 30 * SECOND
    table.put(ButtonPressed("neutral", table.now))
    table.put(TurnSeen("left", table.now, Board.empty().replace(CAT).rows))
    found = window(table.state, "challenge")
    assert found.least_ns == (None if least is None else table.now + least * SECOND)
    table.put(ButtonPressed("neutral", table.now + SECOND))
    assert window(table.state, "challenge").least_ns == (
        None if least is None else table.now + 5 * SECOND
    )


def test_the_right_to_challenge_goes_with_the_opponent_s_next_turn_or_an_acceptance():
    table = Table()
    table.play("8G", "CAT")
    assert not challenge_gone(table.state, table.state.turns[0])
    table.play("H8", ".T")
    assert challenge_gone(table.state, table.state.turns[0])
    assert not challenge_gone(table.state, table.state.turns[1])
    table.put(PlayAccepted(2, "score_written", "TD", "", table.now))
    assert challenge_gone(table.state, table.state.turns[1])
