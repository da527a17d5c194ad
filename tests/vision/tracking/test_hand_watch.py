"""Whose arm reaches over a square, in drawn pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.board import Square
from vision.tracking.arm_ways import way_of_arms
from vision.tracking.hand_watch import HandWatch
from vision.tracking.small_pictures import SmallPictures

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


def over(
    image, corners=CORNERS, asked=CORNERS, square="8H", hands=None, plain=None
) -> frozenset[str]:
    watch = HandWatch(hands or {"left": "bottom", "right": "top"})
    watch.know(table() if plain is None else plain, corners)
    watch.see(100 * MS, image, corners)
    assert not watch.over(Square.parse(square), asked, 101 * MS, 200 * MS)
    return watch.over(Square.parse(square), asked, 0, 100 * MS)


ASIDE = {"left": "left", "right": "bottom"}
ARMS = {
    "an arm is that of the player at whose edge it comes in": (["bottom"], None, {"left"}),
    "also of the other": (["top"], None, {"right"}),
    "an arm from between the players may be of either": (["right"], None, {"left", "right"}),
    "both hands are both": (["bottom", "top"], None, {"left", "right"}),
    "players may sit at any two edges": (["left"], ASIDE, {"left"}),
    "the other is where the other sits": (["bottom"], ASIDE, {"right"}),
}


@pytest.mark.parametrize("corners", [CORNERS, TURNED])
@pytest.mark.parametrize(("edges", "hands", "sides"), ARMS.values(), ids=ARMS)
def test_whose_an_arm_is(corners, edges, hands, sides):
    image = table()
    for edge in edges:
        image = with_arm(image, edge)
    assert over(image, corners, hands=hands) == sides


def test_a_square_that_no_arm_is_over_or_beside_has_none():
    assert over(with_arm(table(), "bottom"), square="1A") == frozenset()


def test_a_wrist_of_nearly_the_tables_colour_leads_to_the_edge_all_the_same():
    """A hand over yellow and brown: what joins it to the edge differs by little but its colour."""
    image = table()
    image[70:160, 130:190] = (120, 150, 220)
    assert not over(image)  # something that lies there
    image[:70, 130:190] = table()[:70, 130:190] + np.uint8((0, 0, 13))
    assert over(image) == {"right"}


def test_arms_that_touch_are_told_apart():
    touching = with_arm(table(), "bottom")
    touching[:148, 80:140] = (120, 150, 220)
    assert over(touching, square="12H") == {"left"}
    assert over(touching, square="4E") == {"right"}


def test_an_arm_by_itself_counts_more_than_two_that_touch():
    """Where one of two that touch ends is a guess: it takes no tile from the other's hand."""
    watch = HandWatch({"left": "bottom", "right": "top"})
    watch.know(table(), CORNERS)
    for at in range(12):
        image, aside = table(), at % 2 * 15
        if at < 9:
            image[:148, 80 + aside : 140 + aside] = (120, 150, 220)
            image[150:, 130 + aside : 190 + aside] = (120, 150, 220)
        else:
            image[:240, 115 + aside : 175 + aside] = (120, 150, 220)
        watch.see(200 * at * MS, image, CORNERS)
    square = Square.parse("12H")
    assert watch.over(square, CORNERS, 0, 1700 * MS) == {"left"}
    assert watch.over(square, CORNERS, 0, 2300 * MS) == {"left", "right"}


def resting_and_reaching(across: bool) -> HandWatch:
    """One player's hand rests on the board for long, and the other's comes up to it and leaves."""
    watch = HandWatch({"left": "bottom", "right": "top"})
    watch.know(table(), CORNERS)
    for at in range(60):
        image = table()
        image[:160, 100:170] = (120, 150, 220)
        if 50 <= at < 56:
            image[230:, 180:230] = (20, 20, 25)
            image[200:230, 195:215] = table()[200:230, 195:215] + np.uint8((0, 0, 13))
            image[100 + 5 * (at - 50) : 200, 150 if across else 172 : 220] = (110, 140, 200)
        watch.see(200 * at * MS, image, CORNERS)
    return watch


@pytest.mark.parametrize("across", [False, True])
def test_a_resting_arm_takes_no_tile_from_the_hand_that_comes_up_to_it(across):
    """Their patches are one, which parts best at the wrist of the hand that moves."""
    watch = resting_and_reaching(across)
    assert watch.over(Square.parse("9K"), CORNERS, 0, 60 * 200 * MS) == {"left"}
    assert "left" in watch.over(Square.parse("8J"), CORNERS, 0, 60 * 200 * MS)
    assert watch.over(Square.parse("3F"), CORNERS, 0, 60 * 200 * MS) == {"right"}


def test_an_arm_beside_the_board_is_told_by_where_it_enters_the_picture():
    """It crosses the board's side rim, and comes from below."""
    image = np.full((2 * SIDE, 2 * SIDE, 3), (90, 100, 110), np.uint8)
    place = np.s_[150 : 150 + SIDE, 150 : 150 + SIDE]
    image[place] = table()
    corners = CORNERS + 150
    reaching = image.copy()
    reaching[250:, 440:500] = (120, 150, 220)
    reaching[250:310, 390:500] = (120, 150, 220)
    assert over(reaching, corners, corners, "6N", plain=image) == {"left"}


def framed(aside: int, width: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """A board in a red frame on a table, so many pixels to the right and down; its corners."""
    image = np.full((2 * SIDE, 2 * SIDE, 3), (90, 100, 110), np.uint8)
    left = 150 + aside
    outer = slice(left - width, left + SIDE + width)
    image[outer, outer] = (30, 30, 150)
    image[left : left + SIDE, left : left + SIDE] = table()
    return image, CORNERS + left


def test_the_frame_of_a_board_that_was_pushed_is_no_arm():
    """It would join the arm that lays a tile to the other player's edge."""
    watch = HandWatch({"left": "bottom", "right": "top"})
    watch.know(*framed(0))
    pushed, corners = framed(14)
    watch.see(100 * MS, pushed, corners)
    assert watch.alone(50 * MS)
    reaching = pushed.copy()
    reaching[200:, 400:470] = (120, 150, 220)
    watch.see(300 * MS, reaching, corners)
    assert watch.over(Square.parse("6N"), corners, 0, 400 * MS) == {"left"}


@pytest.mark.parametrize(("edge", "side"), [("top", "right"), ("bottom", "left")])
def test_an_arm_over_a_table_as_brown_as_it_crosses_the_boards_frame(edge, side):
    """Beyond the frame hardly more than its light tells it from the table: that may be a lamp's."""
    image, corners = framed(0, 18)
    plain = np.where((image == (90, 100, 110)).all(axis=2, keepdims=True), (60, 75, 110), image)
    plain = plain.astype(np.uint8)
    reaching = plain.copy()
    reach = np.s_[:300, 270:330] if edge == "top" else np.s_[300:, 270:330]
    reaching[reach] = (68, 85, 124)
    assert over(reaching, corners, corners, plain=plain) == {side}
    tiles = plain.copy()
    tiles[150:170, 230:330] = (170, 215, 230)  # along the edge of the board
    assert not over(tiles, corners, corners, "1F", plain=plain)


def test_what_lies_around_a_pushed_board_is_known_anew_once_it_is_still():
    """Else whatever came into the picture with the push would be an arm for a minute."""
    watch = HandWatch({"left": "bottom", "right": "top"})
    watch.know(*framed(0))
    pushed, corners = framed(14)
    pushed[:130] = (30, 140, 160)
    for at in range(12):
        if at == 2:
            assert not watch.alone((200 * at - 500) * MS)
        watch.see(200 * at * MS, pushed, corners)
    assert watch.alone((200 * at - 500) * MS)


def test_the_squares_are_those_of_the_board_however_it_lay_then():
    """Seen before it was known which way is up."""
    arm = with_arm(table(), "bottom")
    assert over(arm, TURNED, CORNERS, square="12H") == {"left"}
    assert over(arm, TURNED, CORNERS, square="4H") == frozenset()


def soft_shadow(depth: float) -> np.ndarray:
    """Return the table with a shadow from its lower edge to the middle."""
    light = np.ones((SIDE, SIDE), np.float32)
    light[150:, 80:240] = 1 - depth
    return (table() * cv2.GaussianBlur(light, (0, 0), 20)[..., None]).astype(np.uint8)


@pytest.mark.parametrize("depth", [0.35, 0.55])
def test_a_shadow_is_no_arm_nor_is_one_that_leaves_but_an_arm_in_it_is(depth):
    for square in ("10H", "13H", "15H"):
        assert over(soft_shadow(depth), square=square) == frozenset()
        assert over(table(), square=square, plain=soft_shadow(depth)) == frozenset()
    assert over(with_arm(soft_shadow(0.35), "top")) == {"right"}


def test_squares_in_plain_sight_are_known_while_a_hand_rests_on_others():
    """Else all tiles since the last view without any hand would pass for an arm."""
    watch, resting = HandWatch({"left": "bottom", "right": "top"}), table()
    resting[42:58] = resting[242:258] = (200, 230, 240)  # tiles in rows, and a column between them
    resting[42:258, 62:78] = (200, 230, 240)
    resting[200:, 200:280] = (120, 150, 220)
    plain = np.ones((15, 15), np.bool_)
    plain[9:, 9:] = False
    watch.know(table(), CORNERS)
    watch.know(resting, CORNERS, plain)
    watch.see(100 * MS, resting, CORNERS)
    assert watch.over(Square.parse("13L"), CORNERS, 0, 100 * MS) == {"left"}
    for square in ("3A", "3H", "8D", "13A"):
        assert not watch.over(Square.parse(square), CORNERS, 0, 100 * MS)


def test_a_wide_arm_at_a_corner_that_touches_the_other_is_seen():
    """It crosses the side rim more than the player's own."""
    image = table()
    image[:160, 100:140] = (120, 150, 220)
    image[150:296, :140] = (120, 150, 220)
    assert "left" in over(image, square="11C")


def arm_along(*rows_and_cols: slice) -> np.ndarray:
    arm = table()
    arm[rows_and_cols] = (120, 150, 220)
    return arm


def over_a_corner(*ends: tuple[int, int]) -> np.ndarray:
    arm = table()
    cv2.line(arm, *ends, (120, 150, 220), 28)
    return arm


WAYS = {
    # It covers more of the edge beside it than of the one that it comes in over.
    "from where its far end is": (arm_along(np.s_[:230], np.s_[240:]), "11N", (None, -1)),
    "from below": (arm_along(np.s_[70:], np.s_[240:]), "5N", (None, 1)),
    # Of a hand as light as its squares only the edge differs, from one side to the next.
    "over a corner two edges are crossed by one": (
        *(over_a_corner((240, 0), (300, 60)), "3N"),
        (0.7, -0.7),
    ),
    "over the other corner": (over_a_corner((240, 300), (300, 240)), "13N", (0.7, 0.7)),
    "from either end if it crosses the board": (arm_along(np.s_[:], np.s_[130:190]), "8H", None),
}


@pytest.mark.parametrize(("arm", "square", "expected"), WAYS.values(), ids=WAYS)
def test_from_which_way_an_arm_comes(arm, square, expected):
    known = SmallPictures().of(table(), CORNERS).astype(np.float32)
    way = way_of_arms([SmallPictures().of(arm, CORNERS)], known, CORNERS, Square.parse(square))
    if expected is None:
        assert way is None
    else:
        right, down = expected
        assert way[1] == pytest.approx(down, abs=0.1)
        assert right is None or way[0] == pytest.approx(right, abs=0.1)


def test_a_board_that_was_pushed_is_no_arm():
    """It looks different nearly everywhere, from both players' edges on."""
    squares = np.random.default_rng(7).integers(40, 220, (15, 15, 3)).astype(np.uint8)
    board = np.kron(squares, np.ones((20, 20, 1), np.uint8))
    pushed = np.roll(board, (13, -11), axis=(0, 1))
    for square in ("1A", "8H", "15O"):
        assert not over(pushed, square=square, plain=board)
    assert over(with_arm(board, "top"), plain=board) == {"right"}
