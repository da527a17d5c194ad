"""A recorded game against what happened: what is a difference, and what is a matter of degree."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Board, Square
from game.events import ButtonPressed, Finding, GameStarted, TurnSeen
from game.state.fold import fold
from simulation.truth import askew_is_moot, differences

START = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", None, 0)


def game(*findings: tuple[str, str], word: str = "CAT"):
    """A game of one turn, in which the camera found so much."""
    squares = {Square(7, 6 + at): letter for at, letter in enumerate(word)}
    rows = Board.empty().replace(squares).rows
    found = tuple(Finding(code, square) for code, square in findings)
    seen = TurnSeen("left", 2, rows, 2, findings=found)
    return fold([START, ButtonPressed("right", 1), ButtonPressed("left", 2), seen])


def test_the_same_game_has_no_differences_and_another_letter_is_one():
    assert differences(game(), game()) == []
    (tile, *_) = differences(game(), game(word="COT"))
    assert (tile.kind, str(tile)) == ("wrong", "turn 1: 8H A, read as O")


@pytest.mark.parametrize(
    ("aside", "kinds"), [(0.0, ["invented"]), (0.1, ["invented"]), (0.2, []), (0.3, [])]
)
def test_askew_may_be_said_of_a_tile_that_lies_aside_and_of_no_other(aside, kinds):
    tile_at = np.zeros((15, 15), np.float32)
    tile_at[Square.parse("8H")] = aside
    found = differences(game(), game(("askew", "8H")), askew_is_moot(tile_at))
    assert [one.kind for one in found] == kinds


def test_other_flags_on_such_a_tile_are_differences_and_so_is_one_that_was_due():
    moot = askew_is_moot(np.full((15, 15), 0.3, np.float32))
    found = differences(game(), game(("askew", "8G"), ("face_down", "8G")), moot)
    assert [(one.kind, one.what.split()[0]) for one in found] == [("invented", "face_down:")]
    assert [one.kind for one in differences(game(("askew", "8G")), game(), moot)] == ["missed"]
