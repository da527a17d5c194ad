"""Whose arm reaches over a square, in drawn pictures."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Square
from vision.tracking.hand_watch import HandWatch
from vision.tracking.motion import small_picture

SIDE = 300
CORNERS = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], np.float32)
TURNED = np.roll(CORNERS, -2, axis=0)
"""The same place, with the board's first row at the bottom of the picture."""
MS = 1_000_000


def table(shade: float = 1.0) -> np.ndarray:
    board = np.full((SIDE, SIDE, 3), (60, 110, 40), np.float32)
    board[::20] = board[:, ::20] = (30, 60, 20)
    return (board * shade).astype(np.uint8)


def with_arm(image: np.ndarray, edge: str) -> np.ndarray:
    """Return the picture with an arm from an edge to the middle, 3 squares wide."""
    image = image.copy()
    reach = {
        "top": np.s_[:160, 130:190],
        "bottom": np.s_[150:, 130:190],
        "left": np.s_[130:190, :160],
        "right": np.s_[130:190, 150:],
    }
    image[reach[edge]] = (120, 150, 220)
    return image


def over(image, corners=CORNERS, asked=CORNERS, square="8H", hands=None) -> frozenset[str]:
    watch = HandWatch(hands or {"left": "bottom", "right": "top"})
    watch.know(table())
    watch.see(100 * MS, small_picture(image, corners), corners)
    assert not watch.over(Square.parse(square), asked, 101 * MS, 200 * MS)
    return watch.over(Square.parse(square), asked, 0, 100 * MS)


@pytest.mark.parametrize("corners", [CORNERS, TURNED])
def test_an_arm_is_that_of_the_player_at_whose_edge_it_comes_in(corners):
    assert over(with_arm(table(), "bottom"), corners) == {"left"}
    assert over(with_arm(table(), "top"), corners) == {"right"}


def test_players_may_sit_at_any_two_edges():
    hands = {"left": "left", "right": "bottom"}
    assert over(with_arm(table(), "left"), hands=hands) == {"left"}
    assert over(with_arm(table(), "bottom"), hands=hands) == {"right"}


def test_an_arm_from_between_the_players_may_be_of_either():
    assert over(with_arm(table(), "right")) == {"left", "right"}


def test_both_hands_are_both():
    assert over(with_arm(with_arm(table(), "bottom"), "top")[:]) in (
        frozenset({"left", "right"}),
        frozenset(),  # one patch from rim to rim is nobody's
    )


def test_a_square_that_no_arm_is_over_or_beside_has_none():
    assert over(with_arm(table(), "bottom"), square="1A") == frozenset()


def test_the_squares_are_those_of_the_board_however_it_lay_then():
    """Seen before it was known which way is up."""
    arm = with_arm(table(), "bottom")
    assert over(arm, TURNED, CORNERS, square="12H") == {"left"}
    assert over(arm, TURNED, CORNERS, square="4H") == frozenset()


def test_a_shadow_is_no_arm():
    shaded = table()
    shaded[150:, 130:190] = table(0.65)[150:, 130:190]
    assert over(shaded) == frozenset()
