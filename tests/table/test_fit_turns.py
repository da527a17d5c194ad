"""Fitting the turn decoder: what is true in a window, and the search for a parameter."""

from __future__ import annotations

import math

import pytest

from game.board import Board, Square
from vision.tracking.turn_decoder import decode
from vision.tracking.turn_hypotheses import PressSeen, Recorded, TileEvent, Window

from .sharedkit import benchmark

benchmark("motion_turns")  # that turn_truth finds it
truth = benchmark("turn_truth")
profiles = benchmark("profiles")

CAT = (Square(7, 6), Square(7, 7), Square(7, 8))
SOX = (Square(8, 9), Square(9, 9), Square(10, 9))
BEFORE = Square(12, 12)
DUES = (
    truth.DueTurn("left", {square: 2000 + at for at, square in enumerate(CAT)}, 4000),
    truth.DueTurn("right", {square: 8000 + at for at, square in enumerate(SOX)}, None),
    truth.DueTurn("left", {}, 12000, {Square(0, 0): 11000}),
)


def tile(ms, p=1.0):
    return TileEvent("A", (ms - 200) * 1_000_000, ms * 1_000_000, p)


def window(*squares, presses=(), board=(), side="left", **more):
    came = {square: ms for turn in DUES for square, ms in {**turn.placed, **turn.tried}.items()}
    tiles = {square: tile(came.get(square, 9000)) for square in squares}
    seen = tuple(PressSeen(who, ms * 1_000_000) for who, ms in presses)
    before = Board.empty().replace(dict.fromkeys(board, "A"))
    return Window(before, side, 7, 0, tiles, seen, 0.02, **more)


def test_a_turn_has_ended_by_its_press_and_by_tiles_of_the_next():
    open_ = truth.truth_of(window(*CAT), DUES)
    assert (open_.ended, open_.rest) == ((), frozenset(CAT))
    pressed = truth.truth_of(window(*CAT, presses=[("left", 4000)]), DUES)
    assert (pressed.ended, pressed.rest) == ((("left", frozenset(CAT)),), frozenset())
    answered = truth.truth_of(window(*CAT, SOX[0]), DUES)
    assert (answered.ended, answered.rest) == ((("left", frozenset(CAT)),), frozenset(SOX[:1]))
    assert [one.last for one in (open_, pressed, answered)] == [0, 0, 1]


def test_a_window_begins_with_the_turn_after_those_on_its_board():
    found = truth.truth_of(window(*SOX, board=CAT, side="right"), DUES)
    assert (found.first, found.last, found.rest) == (1, 1, frozenset(SOX))


def test_the_last_turn_has_ended_where_nothing_more_is_seen():
    found = truth.truth_of(window(*CAT, over=True), DUES)
    assert found.ended == (("left", frozenset(CAT)),)


@pytest.mark.parametrize(
    "untold",
    [
        window(*SOX, BEFORE, board=CAT, side="right"),
        window(*CAT, side="right"),
        window(CAT[0], board=CAT, side="right"),
        window(*CAT, *SOX, recorded=(Recorded("left", frozenset(SOX), None),)),
        window(*(*SOX, Square(0, 0)), board=CAT, side="right", presses=[("left", 12000)]),
    ],
    ids=["no tile", "other side", "of a turn before", "recorded", "taken back"],
)
def test_what_no_hypothesis_can_say_is_left_out(untold):
    assert truth.truth_of(untold, DUES) is None


def test_a_tile_that_was_none_is_left_out_of_the_truth_where_it_is_in_doubt():
    seen = window(*CAT)
    doubtful = {**seen.tiles, BEFORE: tile(9000, 0.5)}
    found = truth.truth_of(Window(seen.board, "left", 7, 0, doubtful, (), 0.02), DUES)
    assert found.rest == frozenset(CAT)


def test_hypotheses_agree_by_sides_and_tiles():
    seen = window(*CAT, presses=[("left", 4000)])
    found = truth.truth_of(seen, DUES)
    assert sum(one.p for one in decode(seen) if found.agrees(one)) == pytest.approx(1, abs=0.05)


def of_coins(heads, tails):
    """The log-likelihood of tosses by the logit of how often a coin shows heads."""
    return lambda at: -heads * math.log1p(math.exp(-at)) - tails * math.log1p(math.exp(at))


def test_a_parameter_is_fitted_to_what_was_seen_of_it():
    found = profiles.profile(of_coins(300, 100), 0.0, 0.0, 2.0)
    assert found.best == pytest.approx(math.log(3), abs=0.05)
    assert found.low == pytest.approx(math.log(3) - math.sqrt(2 / 75), abs=0.1)
    assert found.gain == pytest.approx(of_coins(300, 100)(math.log(3)) - 400 * math.log(0.5), abs=1)


def test_a_parameter_of_which_nothing_was_seen_stays():
    found = profiles.profile(lambda at: 0.0, 0.7, 0.7, 1.0)
    assert (found.best, found.gain) == (0.7, 0.0)
    assert found.low < 0.7 - 1 < 0.7 + 1 < found.high
