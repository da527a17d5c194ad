"""The fold: the clock, what is refused, and the end of a game."""

from __future__ import annotations

import pytest

from game.board import SQUARES, Board, Square
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ButtonPressed,
    Finding,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    RackReported,
    Reported,
    SquareCorrected,
    TurnRuled,
    TurnSeen,
)
from game.plays.change import compare
from game.state.fold import apply, ends_turn, fold, stop_ends_turn

from .gamekit import SECOND
from .scriptkit import after

PLAYERS = {"left": "Ann", "right": "Bo"}
START = GameStarted("g", PLAYERS, "wespa-2007", "english", None, 0)
FULL = 25 * 60 * SECOND


def press(button, seconds):
    return ButtonPressed(button, int(seconds * SECOND))


def test_the_first_press_only_starts_the_other_clock():
    state = fold([START, press("right", 5)])
    assert (state.status, state.on_turn, state.turns) == ("running", "left", ())
    assert state.clocks.running == "left"
    assert state.clocks.remaining("left", 15 * SECOND) == FULL - 10 * SECOND
    assert state.clocks.remaining("right", 15 * SECOND) == FULL
    assert ends_turn(fold([START]), "left") is None
    assert ends_turn(state, "left") == "left"
    assert ends_turn(state, "right") is None


def test_time_goes_to_whose_clock_runs():
    state = fold([START, press("right", 0), press("left", 30), press("right", 100.5)])
    assert dict(state.clocks.remaining_ns) == {
        "left": FULL - 30 * SECOND,
        "right": FULL - 705 * SECOND // 10,
    }
    assert state.on_turn == "left"


def test_ones_own_button_again_does_nothing():
    state = fold([START, press("right", 0), press("left", 30)])
    assert apply(state, press("left", 31)) == state


def test_neutral_stops_both_and_either_button_goes_on():
    state = fold([START, press("right", 0), press("neutral", 60)])
    assert state.clocks.running is None
    assert state.clocks.remaining("left", 999 * SECOND) == FULL - 60 * SECOND
    assert state.on_turn == "left"
    resumed = apply(state, press("right", 100))
    assert (resumed.clocks.running, resumed.on_turn) == ("left", "left")
    assert ends_turn(state, "right") is None
    ended = apply(state, press("left", 100))
    assert (ended.clocks.running, ended.on_turn) == ("right", "right")
    assert ends_turn(state, "left") == "left"
    assert ends_turn(state, "neutral") is None
    assert dict(ended.clocks.remaining_ns)["left"] == FULL - 60 * SECOND


def test_time_never_runs_backwards():
    state = fold([START, press("right", 100), press("left", 40), press("right", 130)])
    assert dict(state.clocks.remaining_ns) == {"left": FULL, "right": FULL - 30 * SECOND}


def test_a_late_sighting_does_not_turn_the_turn_back():
    table = after("8G CAT")
    table.put(press("right", 50))
    assert table.put(press("left", 60)).on_turn == "right"
    state = table.put(TurnSeen("right", 50 * SECOND, table.board.rows))
    assert state.on_turn == "right"
    assert state.turns[-1].clock_ns == FULL - 20 * SECOND


def test_no_events_are_no_game():
    with pytest.raises(TilewatchError, match="no events"):
        fold([])


GRID = ("." * 15,) * 15


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([press("left", 1)], "event 1: ButtonPressed before the game was started"),
        ([START, START], "event 2: game 'g' has already started"),
        ([GameStarted("g", PLAYERS, "house", "english", None, 0)], "unknown rulebook 'house'"),
        ([GameStarted("g", PLAYERS, "wespa-2007", "elvish", None, 0)], "unknown tile set"),
        ([GameStarted("g", {"left": "A"}, "wespa-2007", "english", None, 0)], "left and right"),
        ([START, TurnRuled(1, "pass", "", "", 0)], "there is no turn 1; 0 have been seen"),
        ([START, TurnSeen("left", 0, GRID[:14])], "15 rows, not 14"),
        ([START, TurnSeen("left", 0, (*GRID[:14], "x"))], "row 15"),
        ([START, TurnSeen("left", 0, GRID, findings=(Finding("odd"),))], "unknown code 'odd'"),
        ([START, TurnSeen("left", 0, GRID, findings=(Finding("askew", "9Z"),))], "no such square"),
        (
            [START, TurnSeen("left", 0, GRID), TurnRuled(1, "challenge_upheld", "", "", 0)],
            "turn 1 cannot be ruled 'challenge_upheld': no tiles were played",
        ),
        ([START, TurnSeen("left", 0, GRID), TurnRuled(1, "draw", "", "", 0)], "draw"),
        ([START, TurnSeen("left", 0, GRID), SquareCorrected(0, "8H", "A", "", "", 0)], "no turn 0"),
        (
            [START, TurnSeen("left", 0, GRID), SquareCorrected(1, "8H", "AB", "", "", 0)],
            "not a symbol",
        ),
        ([START, BlankDesignated("8H", "e", "", "", 0)], "no blank was played on 8H"),
        ([START, BlankDesignated("8H", "Ö", "", "", 0)], "has no letter"),
        ([START, BlankDesignated("8H", "", "", "", 0)], "not a letter"),
        ([START, RackReported("left", "AÖ", 0)], "no tile 'Ö'"),
        ([START, PenaltyAdded("left", -5, None, "", "", 0)], "below 0"),
        ([START, GameEnded("x", 0), GameEnded("x", 0)], "already been ended"),
        ([START, GameEnded("x", 0), TurnSeen("left", 0, GRID)], "after the game was ended"),
        ([START, "left"], "not an event"),
    ],
)
def test_nonsense_is_refused_in_one_line(events, why):
    with pytest.raises(TilewatchError) as caught:
        fold(events)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_stop_ends_the_turn_of_whoever_may_have_played_out():
    table = after("8I RATIUES, rule 1 undone", "bag=0")
    table.board = table.state.board
    free = [square for square in SQUARES if table.board[square] == "."][:7]
    for shown, side in (("ABCDEFG", "left"), ("ABCDEF~", "left"), ("ABCDEF.", None)):
        seen = table.board.replace(dict(zip(free, shown, strict=True)))
        assert stop_ends_turn(table.state, seen) == side
    hidden = table.board.replace(dict.fromkeys(free, "~"))
    assert stop_ends_turn(table.state, hidden) is None  # no tile was seen at all


def test_a_last_tile_like_one_that_was_replaced_ends_the_turn():
    table = after("8I RATIUE, -", "bag=0")
    there, to = Square.parse("8H"), Square.parse("8O")
    placed = table.board.replace({to: table.board[there]})
    for symbol, side in (("J", "left"), (".", None)):
        seen = placed.replace({there: symbol})
        assert compare(table.board, seen).moved == ((there, to),)
        assert stop_ends_turn(table.state, seen) == side


def test_tiles_knocked_away_are_no_turn_that_a_stop_ends():
    """Where a stop ends any play: what lies apart, no more than is gone, was knocked there."""
    table = after("8G CAT, neutral", "sanspa-2001")
    knocked = table.board.replace(dict(zip(map(Square.parse, ("8G", "14D")), ".?", strict=True)))
    assert stop_ends_turn(table.state, knocked) is None
    extended = table.board.replace(dict(zip(map(Square.parse, ("8G", "8J")), ".S", strict=True)))
    assert stop_ends_turn(table.state, extended) == "right"
    more = knocked.replace({Square.parse("9H"): "T", Square.parse("10H"): "E"})
    assert stop_ends_turn(table.state, more) == "right"
    table.put(Reported("board_upset", "left", "Dee", "a sleeve", table.now))
    assert stop_ends_turn(table.state, more) is None


def test_clearing_the_board_after_the_end_changes_nothing():
    table = after("8I RATIUES", "bag=0")
    state = table.state
    table.see(Board.empty())
    assert table.state.board == state.board
    assert (table.state.turns, table.state.scores) == (state.turns, state.scores)
