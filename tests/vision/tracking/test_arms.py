"""From where an arm came: the line to its player that it covers, and what a short one says."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from game.board import SIZE, Square
from vision.tracking.arms import DIRECTIONS, Arms, Seats, arm_likelihood, lines_under, reach_of
from vision.tracking.board_watch import PITCH

CORNERS = np.array([(100, 100), (400, 100), (400, 400), (100, 400)], np.float32)
BARE = np.full((SIZE * PITCH, SIZE * PITCH, 3), (60, 110, 40), np.uint8)
SKIN = 120, 150, 200
TOP, RIGHT, BOTTOM, LEFT = ((0, -1), (1, 0), (0, 1), (-1, 0))


def reach(square: Square, way, width: float = 2.5) -> np.ndarray:
    """A picture in which an arm comes to a square from there, right and down on the board."""
    tip = PITCH * (np.array([square.col, square.row]) + 0.5)
    ends = [tuple(int(v) for v in end) for end in (tip, tip + 30 * PITCH * np.array(way))]
    return cv2.line(BARE.copy(), *ends, SKIN, int(width * PITCH))


def seen_at(square: Square, *pictures: np.ndarray, before=(), corners=CORNERS) -> np.ndarray:
    arms = Arms([BARE], dict(enumerate(pictures))).over(square, range(len(pictures)), before)
    return arm_likelihood(lines_under(arms, corners, square), any_arm=bool(arms))


def likelier(hand: np.ndarray, one, other) -> float:
    """How much likelier a player at one place has laid the tile than one at the other: its log."""
    at, beside = (int(np.argmax(DIRECTIONS @ np.array(way))) for way in (one, other))
    return float(hand[at] - hand[beside])


@given(
    st.sampled_from([Square(row, col) for row in range(SIZE) for col in range(SIZE)]),
    st.integers(0, 359),
)
def test_an_arm_is_likelier_its_players_than_that_of_who_sits_across(square, degrees):
    way = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    ends = np.array([square.col, square.row]) + 0.5 + 3 * np.stack([way, -way])
    assume((ends >= 0).all() and (ends < SIZE).all())  # near the rim little is seen
    assert likelier(seen_at(square, reach(square, way)), way, -way) > 0.5


def test_the_way_is_one_in_the_cameras_picture():
    turned = np.roll(CORNERS, 1, axis=0)  # the board's top is at the picture's right edge
    hand = seen_at(Square.parse("8H"), reach(Square.parse("8H"), TOP), corners=turned)
    assert likelier(hand, LEFT, RIGHT) > 2


def test_fingers_that_reach_past_the_tile_say_nothing_of_who_sits_there():
    """The hand comes over the lower edge, and lies along the right one."""
    hand = reach(Square.parse("15O"), BOTTOM)
    hand = cv2.line(hand, (70, 45), (70, 74), SKIN, 2 * PITCH)
    assert likelier(seen_at(Square.parse("15O"), hand), BOTTOM, TOP) > 0.3


def test_an_arm_that_lay_there_before_lays_no_tile():
    square = Square.parse("8H")
    rests = reach(square, BOTTOM)
    assert likelier(seen_at(square, rests, before=[rests]), BOTTOM, TOP) == pytest.approx(
        0, abs=0.01
    )
    both = np.where(reach(square, TOP) != BARE, reach(square, TOP), rests)
    assert likelier(seen_at(square, both, before=[rests]), TOP, BOTTOM) > 2
    later = reach(Square.parse("6H"), BOTTOM)
    assert likelier(seen_at(square, later, before=[rests]), BOTTOM, TOP) > 1


def test_no_arm_over_a_tile_at_an_edge_says_that_its_player_sits_there():
    assert likelier(seen_at(Square.parse("15H"), BARE), BOTTOM, TOP) > 0.5
    assert likelier(seen_at(Square.parse("8H"), BARE), BOTTOM, TOP) == pytest.approx(0, abs=0.01)


def test_who_reaches_over_an_edge_sits_there_from_then_on():
    seats = Seats()
    near, far = Square.parse("12H"), Square.parse("4H")
    for _ in range(3):
        seats.learn("left", [seen_at(near, reach(near, BOTTOM))])
        seats.learn("right", [seen_at(far, reach(far, TOP))])
    for square, way, side in ((near, BOTTOM, 0), (far, TOP, 1), (near, TOP, 1)):
        _, hands = seats.readings({square: seen_at(square, reach(square, way))})[0]
        assert hands[square][side] > hands[square][1 - side] + 2


def test_the_edges_are_said_once_some_turns_have_shown_them():
    def of(way) -> np.ndarray:
        return seen_at(Square.parse("8H"), reach(Square.parse("8H"), way))

    seats = Seats()
    assert seats.edges is None
    for _ in range(3):
        seats.learn("left", [of(RIGHT)])
        seats.learn("right", [of(LEFT)])
    assert seats.edges == {"left": "right", "right": "left"}
    assert Seats({"left": "top", "right": "bottom"}).edges == {"left": "top", "right": "bottom"}


@pytest.mark.parametrize(
    ("rows", "cols", "deep"),
    [(slice(14, 15), slice(4, 11), 1.0), (slice(13, 15), slice(4, 7), 2.0)],
    ids=["tiles along the rim", "a hand over two rows"],
)
def test_how_far_something_is_in_over_the_rim(rows, cols, deep):
    squares = np.zeros((SIZE, SIZE), np.bool_)
    squares[rows, cols] = True
    _, depth = reach_of(np.kron(squares, np.ones((PITCH, PITCH), np.bool_)))
    assert depth == pytest.approx(deep)


def test_where_an_arm_along_the_rim_comes_from_is_not_told():
    arm = np.zeros((SIZE * PITCH,) * 2, np.bool_)
    arm[: 12 * PITCH, : 2 * PITCH] = True
    assert not any(reach_of(arm)[0])
    arm[: 12 * PITCH, : 7 * PITCH] = True
    top, left, bottom, right = reach_of(arm)[0]
    assert max(tip.row for tip in top) == 11
    assert left
    assert not bottom + right
