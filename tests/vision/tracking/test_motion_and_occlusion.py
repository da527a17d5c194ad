"""Motion and what covers: hands, tiles and turned boards do; lamps, clouds and noise do not."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from game.board import SIZE, Board, Square
from sensors.interfaces import Frame
from vision.tracking.appearance import (
    AppearanceMap,
    appearance_of,
    looks_other,
    rim_differs,
    same_appearance,
)
from vision.tracking.board_watch import BoardWatch
from vision.tracking.occlusion import beside_things, covered_squares
from vision.tracking.square_filter import INDEX, NOTHING, SYMBOLS


@pytest.fixture
def board(put):
    return put("H8", "OTTER", put("8D", "RIVER"))


@pytest.fixture(params=["aimed", "whole view"])
def watch(request, grid):
    watch = BoardWatch(grid if request.param == "aimed" else None)
    return lambda image: watch.add(Frame(image, 0, 0))


def relit(image: np.ndarray, light: np.ndarray) -> np.ndarray:
    return np.clip(image * light, 0, 255).astype(np.uint8)


def moved(watch: Callable[[np.ndarray], bool], before: np.ndarray, after: np.ndarray) -> bool:
    watch(before)
    return watch(after)


def test_the_first_frame_has_moved(watch, drawn, board):
    assert watch(drawn(board))
    assert not watch(drawn(board, seed=1))


@pytest.mark.parametrize("light", [0.5, 0.8, 1.2])
def test_a_lamp_that_flickers_moves_nothing(watch, drawn, board, light):
    assert not moved(watch, drawn(board), drawn(board, light, seed=1))


def test_uneven_light_that_comes_and_goes_moves_nothing(watch, drawn, board):
    ramp = np.linspace(0.7, 1.15, 400)[None, :, None]
    assert not moved(watch, drawn(board), relit(drawn(board, seed=1), ramp))
    bands = 1 + 0.1 * np.sin(np.linspace(0, 2 * np.pi, 400))[:, None, None]
    assert not moved(watch, drawn(board), relit(drawn(board, seed=2), bands))


@pytest.mark.parametrize("sigma", [2, 5])
def test_noise_moves_nothing(watch, drawn, board, sigma):
    rng = np.random.default_rng(3)
    frames = [
        np.clip(drawn(board) + rng.normal(0, sigma, (400, 400, 3)), 0, 255).astype(np.uint8)
        for _ in range(20)
    ]
    watch(frames[0])
    assert not any(watch(frame) for frame in frames[1:])


@pytest.mark.parametrize("symbol", ["E", "I", "?"])
def test_one_tile_laid_moves(watch, drawn, board, symbol):
    after = board.replace({Square(3, 3): symbol})
    assert moved(watch, drawn(board), drawn(after, seed=1))


def test_a_hand_moves(watch, drawn, board):
    hand = drawn(board, seed=1)
    cv2.ellipse(hand, (200, 260), (60, 90), 20, 0, 360, (110, 140, 200), -1)
    assert moved(watch, drawn(board), hand)
    further = drawn(board, seed=2)
    cv2.ellipse(further, (204, 258), (60, 90), 20, 0, 360, (110, 140, 200), -1)
    assert watch(further)


def test_a_turned_board_moves(watch, drawn, board):
    image = drawn(board)
    assert moved(watch, image, np.ascontiguousarray(np.rot90(image)))


def turned(image: np.ndarray, degrees: float) -> np.ndarray:
    about = cv2.getRotationMatrix2D((200, 200), degrees, 1.0)
    return cv2.warpAffine(image, about, (400, 400), borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize("degrees", [0.05, 0.1, 0.3])
def test_a_board_that_turns_slowly_has_moved(watch, drawn, board, degrees):
    watch(drawn(board))
    frames = int(2 / degrees)
    assert any(watch(turned(drawn(board, seed=n), n * degrees)) for n in range(frames))


def test_light_that_changes_slowly_moves_nothing(watch, drawn, board):
    watch(drawn(board))
    for n in range(1, 40):
        image = relit(drawn(board, seed=n), np.float32(1 - n / 80))
        assert not watch(image), n


# --- the looks of single squares ---


def changed(before: np.ndarray, after: np.ndarray, grid: np.ndarray) -> set[str]:
    same = same_appearance(appearance_of(before, grid), appearance_of(after, grid))
    return {Square(int(r), int(c)).name for r, c in np.argwhere(~same)}


@pytest.mark.parametrize("light", [0.6, 1.0, 1.1])
def test_squares_look_the_same_in_another_light(drawn, board, grid, light):
    for shown in (board, Board.empty()):
        assert changed(drawn(shown), drawn(shown, light, seed=1), grid) == set()


def test_only_the_changed_squares_look_different(drawn, board, grid):
    after = board.replace({Square(7, 8): "T", Square(7, 9): "?", Square(9, 7): "W"})
    assert changed(drawn(board), drawn(after, 0.8, seed=1), grid) == {"8I", "8J", "10H"}


@pytest.mark.parametrize("off", [(0.5, 0.5), (-1, 0.3), (1.5, -2)])
def test_a_pose_a_little_off_changes_no_look(drawn, board, grid, off):
    same = same_appearance(
        appearance_of(drawn(board), grid), appearance_of(drawn(board), grid + np.array(off))
    )
    assert same.all()


@pytest.mark.parametrize(("was", "now"), ["EF", "OQ", "IL", "HN", ".?", "A?"])
def test_letters_that_are_alike_do_not_look_the_same(drawn, board, grid, was, now):
    before = drawn(board.replace({Square(3, 3): was}))
    after = drawn(board.replace({Square(3, 3): now}), 0.9, seed=1)
    assert changed(before, after, grid) == {"4D"}


# --- what covers a part of the board, told from tiles ---

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


FINGERS = rim_differs(looks(), looks(top=100))
AT_1L = np.zeros((SIZE + 2, SIZE + 2), np.bool_)
AT_1L[0, 12] = True
ARM = "7G 7H 7I 8G 8I 9G 9H 9I"
COVERED = {
    "a fingertip beside the frame that reads as a letter": (
        *("6A", "4A 5A 6A", {"5A": ("T", 0.7)}, FINGERS),
        {"5A": True, "6A": True},
    ),
    "no single square that cannot be read, without the frame": (
        *("6A", "4A 5A 6A", {"5A": ("T", 0.7)}, None),
        {"5A": False, "6A": False},
    ),
    "what a single finger over the frame reaches": ("1L", "1L", {}, AT_1L, {"1L": True}),
    "no tile there that lies askew, and can be read": (
        *("", "1L", {"1L": ("?", 0.9)}, AT_1L),
        {"1L": False},
    ),
    # An F is perhaps half an E. An R whose leg lay under a fingertip was read as a P so surely.
    "no letter in full view beside a hand": (
        *("5A 6A 5B 6B", "7B 4B 4A"),
        {"7B": ("E", 0.9995), "4B": ("F", 0.94), "4A": ("P", 0.9983)},
        *(None, {"7B": False, "4B": True, "4A": True}),
    ),
    # The first letters of FOURGONS lay under a hand at the press; the U read as empty with 53%, so
    # that nothing seemed to be hidden of a play that began with the R. 10G is a shadow.
    "what may be a tile under fingertips, though it reads as empty": (
        *("11C 11D 11E 11F 12F 12G", "11G 10G 11H"),
        {"11G": (".", 0.53), "10G": (".", 0.99), "11H": ("R", 0.999)},
        *(None, {"11G": True, "10G": False, "11H": False}),
    ),
    "a square with an arm on each side, however bare it reads": (
        *(ARM, None, {"8H": (".", 0.95)}, None),
        {"8H": True},
    ),
    "no letter there": (ARM, None, {"8H": ("E", 0.999)}, None, {"8H": False}),
}


@pytest.mark.parametrize(
    ("hand", "touched", "read", "frame", "covered"), COVERED.values(), ids=COVERED
)
def test_what_is_covered(hand, touched, read, frame, covered):
    """``hand`` cannot be read, and ``touched`` looks otherwise too; without it all does."""
    under = squares(*hand.split())
    other = EVERYWHERE if touched is None else under | squares(*touched.split())
    found = covered_squares(believed(**read), under, other, EMPTY_BEFORE, frame)
    assert {name: bool(found[Square.parse(name)]) for name in covered} == covered


def test_what_lies_on_a_square_is_told_also_on_a_board_that_is_full_of_tiles():
    """They look other than bare squares, and say nothing of the board's having moved."""
    full, bare = looks(top=100), np.ones((SIZE, SIZE), np.bool_)
    full.board[:, 60:] = (170, 215, 240)
    bare[:, 5:] = False
    for now, squares_without in ((looks(top=100), EVERYWHERE), (full, bare)):
        other = looks_other(looks(), now, squares_without, NOWHERE)
        assert other[3:6, 0].all()
        assert not other[:, 1:].any()
    # Where most look other, the board has moved.
    assert not looks_other(looks(), full, ~bare, NOWHERE).any()


def test_a_tile_that_reaches_into_the_square_beside_it_is_no_thing_that_covers_it():
    bare, tile = looks(), looks()
    tile.board[6 * 12 - 5 : 7 * 12, :12] = (170, 215, 240)  # 7A, raised towards the camera
    above = squares("6A")
    assert looks_other(bare, tile, above | squares("1A", "2A"), NOWHERE)[5, 0]
    assert not looks_other(bare, tile, above | squares("1A", "2A"), squares("7A")).any()


def test_squares_beside_a_hand_are_those_around_it_and_along_the_frame_that_it_lies_on():
    frame = np.zeros((SIZE + 2, SIZE + 2), np.bool_)
    frame[16, 3] = True
    beside = beside_things(squares("8C"), frame)
    around = squares("7B", "7C", "7D", "8B", "8C", "8D", "9B", "9C", "9D")
    assert np.array_equal(beside, around | squares("15B", "15C", "15D"))
