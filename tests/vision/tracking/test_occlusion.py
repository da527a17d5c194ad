"""What covers a part of the board, told from tiles."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import SIZE, Square
from vision.tracking.appearance import AppearanceMap, appearance_of, looks_other, rim_differs
from vision.tracking.belief import INDEX, NOTHING, SYMBOLS
from vision.tracking.occlusion import beside_things, covered_squares

BOARD, SKIN, TILE = (60, 110, 70), (140, 160, 210), (150, 190, 210)
CORNERS = np.array([(40, 40), (340, 40), (340, 340), (40, 340)], np.float32)
"""Of a board of 20 pixels a square in a picture of 380 by 380."""


def looks(top: int | None = None, light: float = 1.0) -> AppearanceMap:
    """The look of a board, with fingers from the left that reach over one square from ``top``."""
    image = np.full((380, 380, 3), BOARD, np.float32)
    image[::20] *= 0.8
    if top is not None:
        image[top : top + 60, :60] = SKIN
    return appearance_of(np.clip(image * light, 0, 255).astype(np.uint8), CORNERS)


def squares(*names: str) -> np.ndarray:
    marked = np.zeros((SIZE, SIZE), np.bool_)
    for name in names:
        marked[Square.parse(name)] = True
    return marked


def believed(**output: tuple[str, float]) -> np.ndarray:
    """A reading of an empty board, but for what is said of some squares."""
    given = np.full((SIZE, SIZE, len(SYMBOLS)), 1e-6)
    given[..., NOTHING] = 1.0
    for name, (symbol, p) in output.items():
        given[Square.parse(name)] = (1 - p) / (len(SYMBOLS) - 1)
        given[Square.parse(name)][INDEX[symbol]] = p
    return given / given.sum(axis=-1, keepdims=True)


EMPTY_BEFORE = np.full((SIZE, SIZE), NOTHING)
EVERYWHERE = np.ones((SIZE, SIZE), np.bool_)
NOWHERE = np.zeros((SIZE, SIZE), np.bool_)


@pytest.mark.parametrize("light", [1.0, 0.6])
def test_fingers_that_come_in_over_the_frame_are_seen_there(light):
    around = rim_differs(looks(), looks(top=100, light=light))
    assert around[4:7, 0].all()
    assert not around[8:].any()
    assert not around[:, 1:].any()


def test_the_whole_of_a_hand_is_seen_on_a_frame_of_nearly_its_colour():
    frame = np.full((380, 380, 3), (50, 45, 100), np.uint8)
    hand = frame.copy()
    hand[100:120, :60] = (190, 160, 120)  # a sleeve's cuff
    hand[120:160, :60] = (85, 120, 165)
    differs = rim_differs(appearance_of(frame, CORNERS), appearance_of(hand, CORNERS))
    assert differs[4:7, 0].all()
    assert not differs[8:].any()


@pytest.mark.parametrize("reach", [6, 7])
def test_a_tile_that_reaches_over_the_frame_does_not_come_in_over_it(reach):
    """It lies up to a third of a square aside, and down, beside two parts of the frame."""
    image = np.full((380, 380, 3), BOARD, np.uint8)
    before = appearance_of(image, CORNERS)
    image[92:111, 40 - reach : 59 - reach] = TILE
    assert not rim_differs(before, appearance_of(image, CORNERS)).any()
    image[92:111, : 59 - reach] = TILE  # a finger of its colour
    assert rim_differs(before, appearance_of(image, CORNERS))[3:5, 0].all()


def test_another_light_or_another_table_is_no_thing_that_covers():
    assert not rim_differs(looks(), looks(light=0.5)).any()
    assert not looks_other(looks(), looks(light=0.5), EVERYWHERE, NOWHERE).any()
    other = appearance_of(np.full((380, 380, 3), SKIN, np.uint8), CORNERS)
    assert not rim_differs(looks(), other).any()


@pytest.mark.parametrize("first", range(4))
def test_a_tile_at_the_edge_of_the_picture_is_nothing_that_comes_in_over_the_frame(first):
    # The picture cuts it off; what lies on the frame beside it is not seen.
    corners = np.roll(CORNERS - 44, first, axis=0)
    bare = np.full((336, 336, 3), BOARD, np.uint8)
    played = bare.copy()
    played[:16, :16] = (170, 215, 240)
    assert not rim_differs(appearance_of(bare, corners), appearance_of(played, corners)).any()
    played[100:160, 266:] = SKIN
    around = rim_differs(appearance_of(bare, corners), appearance_of(played, corners))
    assert np.rot90(around, first)[7:8, -1].all()
    assert not np.rot90(around, first)[:, :-1].any()


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_what_lies_around_the_board_is_turned_with_it(turns):
    turned = rim_differs(looks().turned(turns), looks(top=100).turned(turns))
    assert (turned == np.rot90(rim_differs(looks(), looks(top=100)), turns)).all()


def test_a_fingertip_beside_the_frame_that_reads_as_a_letter_is_covered():
    touched = squares("4A", "5A", "6A")
    reading = believed(**{"5A": ("T", 0.7)})
    frame = rim_differs(looks(), looks(top=100))
    one = covered_squares(reading, squares("6A"), touched, EMPTY_BEFORE, frame)
    assert one[Square.parse("5A")]
    assert one[Square.parse("6A")]
    alone = covered_squares(reading, squares("6A"), touched, EMPTY_BEFORE)
    assert not alone.any()  # without the frame one unreadable square is no hand


def test_a_single_finger_over_the_frame_covers_what_it_reaches():
    frame = np.zeros((SIZE + 2, SIZE + 2), np.bool_)
    frame[0, 12] = True
    found = covered_squares(believed(), squares("1L"), squares("1L"), EMPTY_BEFORE, frame)
    assert found[Square.parse("1L")]
    tile = believed(**{"1L": ("?", 0.9)})  # one that lies askew, and can be read
    assert not covered_squares(tile, squares(), squares("1L"), EMPTY_BEFORE, frame).any()


def test_a_letter_in_full_view_beside_a_hand_is_in_sight():
    hand = squares("5A", "6A", "5B", "6B")
    touched = hand | squares("7B", "4B", "4A")
    reading = believed(**{"7B": ("E", 0.9995), "4B": ("F", 0.94), "4A": ("P", 0.9983)})
    covered = covered_squares(reading, hand, touched, EMPTY_BEFORE)
    assert not covered[Square.parse("7B")]
    assert covered[Square.parse("4B")]  # perhaps half an E
    assert covered[Square.parse("4A")]  # an R whose leg lay under a fingertip was read so


def test_what_may_be_a_tile_under_fingertips_is_covered_though_it_reads_as_empty():
    # The first letters of FOURGONS lay under a hand at the press; the U read as empty with 53%, so
    # that nothing seemed to be hidden of a play that began with the R.
    hand = squares("11C", "11D", "11E", "11F", "12F", "12G")
    touched = hand | squares("11G", "10G", "11H")
    reading = believed(**{"11G": (".", 0.53), "10G": (".", 0.99), "11H": ("R", 0.999)})
    covered = covered_squares(reading, hand, touched, EMPTY_BEFORE)
    assert covered[Square.parse("11G")]
    assert not covered[Square.parse("10G")]  # a shadow on an empty square
    assert not covered[Square.parse("11H")]


def test_what_lies_on_a_square_that_looks_like_something_else_is_told():
    other = looks_other(looks(), looks(top=100), EVERYWHERE, NOWHERE)
    assert other[3:6, 0].all()
    assert not other[:, 1:].any()


def test_it_is_told_on_a_board_that_is_full_of_tiles_too():
    """They look other than bare squares, and say nothing of the board's having moved."""
    full, bare = looks(top=100), np.ones((SIZE, SIZE), np.bool_)
    full.board[:, 60:] = (170, 215, 240)
    bare[:, 5:] = False
    other = looks_other(looks(), full, bare, NOWHERE)
    assert other[3:6, 0].all()
    assert not other[:, 1:].any()
    assert not looks_other(
        looks(), full, ~bare, NOWHERE
    ).any()  # where most look other, the board has moved


def test_a_tile_that_reaches_into_the_square_beside_it_is_no_thing_that_covers_it():
    bare, tile = looks(), looks()
    tile.board[6 * 12 - 5 : 7 * 12, :12] = (170, 215, 240)  # 7A, raised towards the camera
    above = squares("6A")
    assert looks_other(bare, tile, above | squares("1A", "2A"), NOWHERE)[5, 0]
    assert not looks_other(bare, tile, above | squares("1A", "2A"), squares("7A")).any()


@pytest.mark.parametrize("same", [NOWHERE, squares("8H")])
def test_a_square_with_an_arm_on_each_side_is_covered_however_bare_it_reads(same):
    arm = squares("7G", "7H", "7I", "8G", "8I", "9G", "9H", "9I")
    bare, letter = believed(**{"8H": (".", 0.95)}), believed(**{"8H": ("E", 0.999)})
    different = EVERYWHERE & ~same
    assert covered_squares(bare, arm, different, EMPTY_BEFORE)[Square.parse("8H")]
    assert not covered_squares(letter, arm, different, EMPTY_BEFORE)[Square.parse("8H")]


def test_squares_beside_a_hand_are_those_around_it_and_along_the_frame_that_it_lies_on():
    frame = np.zeros((SIZE + 2, SIZE + 2), np.bool_)
    frame[16, 3] = True
    beside = beside_things(squares("8C"), frame)
    around = squares("7B", "7C", "7D", "8B", "8C", "8D", "9B", "9C", "9D")
    assert np.array_equal(beside, around | squares("15B", "15C", "15D"))
