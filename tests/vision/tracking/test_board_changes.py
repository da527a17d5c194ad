"""Changes of the settled board between presses are found, put back or not; nothing else is."""

from __future__ import annotations

from unittest.mock import ANY

import cv2
import numpy as np
import pytest

from game.board import EMPTY as NOTHING
from game.board import Board, Square
from game.events import ButtonPressed, GameEnded, ResultSigned, TurnRuled
from game.state.fold import apply
from sensors.interfaces import Frame
from tests.table.conftest import CORNERS, MS, draw
from tests.table.recorderkit import EMPTY as NO_TILES
from tests.table.recorderkit import cover
from tests.vision.tracking.test_perception import Driver, lay, opened
from vision.change_detector import PATCH
from vision.rectify import pixels_per_square
from vision.tracking.appearance import move_of
from vision.tracking.results import BoardChange


@pytest.fixture
def first(put) -> Board:
    return put("8G", "CAT")


def changes(driver: Driver) -> list[BoardChange]:
    return [one for one in driver.found if isinstance(one, BoardChange)]


def found(driver: Driver) -> list[str]:
    return [
        ", ".join(f"{c.square} {c.was}{c.showed}" for c in one.event.changes)
        + (" and back" if one.event.back_ns is not None else "")
        for one in changes(driver)
    ]


def with_tiles(board: Board, **tiles: str) -> Board:
    return board.replace({Square.parse(name[1:]): symbol for name, symbol in tiles.items()})


def test_letters_that_were_exchanged_and_put_back_are_told_with_both_times(first):
    driver, other = opened(first), with_tiles(first, _8G="T", _8I="C")
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, cover(first))
    driver.frames(6000, 8000, other)
    driver.frames(8000, 9000, cover(first))
    driver.frames(9000, 10_000, first)
    assert found(driver) == ["8G CT, 8I TC and back"]
    (one,) = changes(driver)
    event = one.event
    assert [event.from_ns // MS, event.seen_ns // MS] == [4900, 6000]
    assert event.back_from_ns is not None and event.back_ns is not None
    assert [event.back_from_ns // MS, event.back_ns // MS] == [7900, 9000]
    assert {role: frame.t_ns >= 9000 * MS for role, frame in one.frames.items()} == {
        "settled": False,
        "altered": False,
        "put_back": True,
    }


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ({"_8G": NOTHING}, ["8G C. and back"]),
        ({"_8G": NOTHING, "_2B": "C"}, ["8G C. and back"]),
        ({"_8G": "W"}, ["8G CW and back"]),
        ({"_8H": "?"}, ["8H A? and back"]),
        ({"_8G": NOTHING, "_9G": "C"}, ["8G C., 9G .C and back"]),
        ({"_2B": "S", "_2C": "O"}, []),
    ],
    ids=[
        "lifted and laid down",
        "laid elsewhere",
        "another letter",
        "a blank",
        "beside its square",
        "a play that is tried out",
    ],
)
def test_what_was_so_for_a_while(first, tiles, expected):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 7000, with_tiles(first, **tiles))
    driver.frames(7000, 8000, first)
    assert found(driver) == expected


def test_what_is_not_put_back_before_the_press_is_told_and_its_return_in_a_later_turn(first, put):
    driver, changed = opened(first), with_tiles(first, _8I="P")
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, changed)
    second = put("H7", "B.N", changed)
    driver.frames(6000, 7000, second)
    driver.press("right", 6950)
    driver.frames(7000, 9000, second)
    assert found(driver) == ["8I TP"]
    driver.frames(9000, 10_000, with_tiles(second, _8I="T"))
    driver.frames(10_000, 11_000, put("F6", "DO", with_tiles(second, _8I="T")))
    driver.press("left", 10_950)
    driver.frames(11_000, 12_000, put("F6", "DO", with_tiles(second, _8I="T")))
    assert found(driver) == ["8I TP", "8I TP and back"]
    assert [(one.event.back_ns or 0) // MS for one in changes(driver)] == [0, 9000]


def test_a_square_that_changes_twice_is_two_changes(first):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, with_tiles(first, _8G=NOTHING))
    driver.frames(6000, 7000, with_tiles(first, _8G="W"))
    driver.frames(7000, 8000, first)
    assert found(driver) == ["8G C.", "8G CW and back"]


def test_what_lay_so_before_turns_were_undone_is_told_with_its_own_times(first):
    driver, other = opened(first), with_tiles(first, _8G="T", _8I="C")
    gone = with_tiles(first, _8G=NOTHING, _8I=NOTHING)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, gone)
    driver.press("right", 5950)
    driver.frames(6000, 8000, gone)
    driver.frames(8000, 10_000, other)
    driver.press("left", 9950)
    driver.frames(10_000, 11_000, other)
    for turn in (3, 2):
        undone = TurnRuled(turn, "undone", "Dee", "no turn", 11_000 * MS)
        driver.state = apply(driver.state, undone)
    driver.frames(11_000, 12_000, other)
    driver.press("right", 11_950)
    driver.frames(12_000, 13_000, other)
    assert found(driver) == ["8G C., 8I T.", "8G CT, 8I TC"]
    last = changes(driver)[-1].event
    assert 6000 <= last.from_ns // MS < 8000 <= last.seen_ns // MS < 9000


def test_a_play_that_is_off_the_board_when_the_clock_goes_on_was_taken_off_in_the_stop(first, put):
    driver = opened(first)
    driver.frames(1500, 2500, first)
    driver.press("neutral", 2450)
    bare = with_tiles(first, _8G=NOTHING, _8H=NOTHING, _8I=NOTHING)
    driver.frames(2600, 4000, bare)
    driver.press("left", 4000)
    driver.frames(4100, 6000, bare)
    driver.frames(6000, 7000, put("8H", "NO", bare))
    driver.press("right", 6950)
    driver.frames(7000, 8000, put("8H", "NO", bare))
    assert found(driver) == ["8G C., 8H A., 8I T."]
    (one,) = changes(driver)
    assert one.event.from_ns // MS < 2600 <= one.event.seen_ns // MS < 4000


def test_a_play_that_is_taken_off_and_put_back_in_a_stop_is_as_before_again(first):
    driver = opened(first)
    driver.frames(1500, 2500, first)
    driver.press("neutral", 2450)
    driver.frames(2600, 4000, with_tiles(first, _8G=NOTHING, _8I=NOTHING))
    driver.frames(4000, 5000, first)
    driver.press("right", 5050)
    driver.frames(5100, 7000, first)
    assert found(driver) == ["8G C., 8I T. and back"]


def test_one_of_two_tiles_is_put_back_in_a_stop(first):
    driver, gone = opened(first), with_tiles(first, _8G=NOTHING, _8I=NOTHING)
    one = with_tiles(first, _8I=NOTHING)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, gone)
    driver.press("neutral", 6050)
    driver.press("right", 6950)
    driver.frames(7000, 8000, gone)
    driver.press("neutral", 8050)
    driver.frames(8100, 10_000, one)
    driver.press("right", 9950)
    driver.frames(10_000, 11_000, one)
    assert found(driver) == ["8G C., 8I T.", "8G C. and back"]
    before, after = (change.event for change in changes(driver))
    assert (before.from_ns, before.seen_ns) == (after.from_ns, after.seen_ns)


def test_a_tile_that_is_put_back_in_the_next_turn_ends_its_change(first, put):
    driver, bare = opened(first), with_tiles(first, _8G=NOTHING)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, bare)
    driver.press("right", 5950)
    driver.frames(6000, 8000, bare)
    driver.frames(8000, 9000, first)
    driver.frames(9000, 10_000, put("I9", "AB", first))
    driver.press("left", 9950)
    driver.frames(10_000, 11_000, put("I9", "AB", first))
    assert found(driver) == ["8G C.", "8G C. and back"]
    gone, again = (one.event for one in changes(driver))
    assert (gone.from_ns, gone.seen_ns) == (again.from_ns, again.seen_ns)
    assert [(again.back_from_ns or 0) // MS, (again.back_ns or 0) // MS] == [7900, 8000]


def test_a_tile_that_is_put_back_ends_its_own_change_and_no_earlier_one_of_its_square(first, put):
    driver, other = opened(first), with_tiles(first, _8G="W")
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, other)
    second = put("10F", "DO", other)
    driver.frames(6000, 7000, second)
    driver.press("right", 6950)
    driver.frames(7000, 9000, second)
    third = put("12F", "GO", with_tiles(second, _8G=NOTHING))
    driver.frames(9000, 11_000, third)
    driver.press("left", 10_950)
    driver.frames(11_000, 13_000, third)
    driver.frames(13_000, 15_000, with_tiles(third, _8G="W"))
    driver.press("right", 15_050)
    driver.frames(15_100, 17_000, with_tiles(third, _8G="W"))
    assert found(driver) == ["8G CW", "8G W.", "8G W. and back"]


def test_tiles_that_are_pushed_away_and_put_back_after_the_game_are_a_change(first, put):
    driver, second = opened(first), put("H7", "B.N", first)
    driver.frames(1500, 3000, first)
    driver.frames(3000, 4000, second)
    driver.press("right", 3950)
    driver.frames(4000, 5000, second)
    driver.state = apply(driver.state, GameEnded("agreed", 5000 * MS, "Dee"))
    driver.frames(5000, 6000, with_tiles(second, _8G=NOTHING))
    driver.frames(6000, 7000, second)
    assert found(driver) == ["8G C. and back"]


def test_two_tiles_that_two_arms_put_back_are_two_changes(first, put):
    driver, second = played_in_turn(first, put)
    gone = with_tiles(second, _8G=NOTHING, _9H=NOTHING)
    half = with_tiles(second, _9H=NOTHING)
    driver.press("neutral", 5450)
    lay(driver, 5500, second, gone, "left")
    lay(driver, 7500, gone, half, "left")
    lay(driver, 9500, half, second, "right")
    assert found(driver) == ["8G C. and back", "9H N. and back"]
    assert [one.event.back_by for one in changes(driver)] == ["left", "right"]


def test_a_tile_that_is_laid_down_again_a_little_askew_is_back(first):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6500, with_tiles(first, _8H=NOTHING))
    driver.frames(6500, 8000, first, taken=askew("8H", 24))
    assert found(driver) == ["8H A. and back"]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_tiles_that_are_laid_after_the_end(first, signed, whole):
    driver, tried = opened(first), with_tiles(first, _2B="N")
    driver.frames(1500, 3000, first)
    driver.frames(3000, 5000, tried)
    driver.state = apply(driver.state, GameEnded("agreed", 5000 * MS, "Dee"))
    driver.frames(5000, 6000, tried)
    driver.frames(6000, 8000, with_tiles(tried, _10F="S", _8G=("C" if whole else NOTHING)))
    if signed:
        driver.state = apply(driver.state, ResultSigned("Dee", 8000 * MS))
        driver.frames(8000, 8500, tried)
    else:
        driver.finish()
    assert found(driver) == ["10F .S"] * whole


def test_a_hand_over_the_tiles_is_no_change(first):
    driver = opened(first)
    for at in range(1500, 7500, 2000):
        driver.frames(at, at + 1000, cover(first))
        driver.frames(at + 1000, at + 2000, first)
    assert not changes(driver)


def test_tiles_of_a_play_that_come_off_at_a_stop_are_a_change_and_one_that_stays_another(
    first, put
):
    driver = opened(first)
    driver.frames(1500, 2500, first)
    driver.press("neutral", 2450)
    ruled = TurnRuled(1, "challenge_upheld", "Dee", "a phoney", 2600 * MS)
    driver.state = apply(driver.state, ruled)
    left = with_tiles(first, _8G=NOTHING, _8I=NOTHING)
    driver.frames(2600, 4000, left)
    driver.press("left", 4000)
    driver.frames(4100, 5000, left)
    driver.frames(5000, 5500, with_tiles(left, _8H=NOTHING))
    driver.frames(5500, 6000, with_tiles(left, _8H="E"))
    driver.frames(6000, 7000, put("10F", "DO", with_tiles(left, _8H=NOTHING)))
    driver.press("right", 7050)
    driver.frames(7100, 8000, put("10F", "DO", with_tiles(left, _8H=NOTHING)))
    assert found(driver) == ["8G C., 8I T.", "8H A."]
    e = changes(driver)[1].event
    assert [e.from_ns // MS, e.seen_ns // MS] == [4900, 5000]


def test_one_that_stays_through_the_next_turn_is_told_when_it_goes(first):
    driver = opened(first)
    driver.frames(1500, 2500, first)
    driver.press("neutral", 2450)
    ruled = TurnRuled(1, "challenge_upheld", "Dee", "a phoney", 2600 * MS)
    driver.state = apply(driver.state, ruled)
    left = with_tiles(first, _8G=NOTHING, _8H=NOTHING)
    driver.frames(2600, 4000, left)
    driver.press("left", 4000)
    driver.frames(4100, 5000, left)
    played = with_tiles(left, _10F="D", _10G="O", _10H="G")
    driver.frames(5000, 6000, played)
    driver.press("right", 6050)
    driver.frames(6100, 7000, played)
    driver.frames(7000, 8000, with_tiles(played, _8I=NOTHING))
    driver.press("left", 8050)
    driver.frames(8100, 9000, with_tiles(played, _8I=NOTHING))
    assert found(driver) == ["8G C., 8H A.", "8I T."]
    e = changes(driver)[1].event
    assert [e.from_ns // MS, e.seen_ns // MS] == [6900, 7000]


def test_one_that_came_off_before_the_clock_went_on_had_not_stayed(first):
    driver = opened(first)
    driver.frames(1500, 2500, first)
    driver.press("neutral", 2450)
    ruled = TurnRuled(1, "challenge_upheld", "Dee", "a phoney", 2600 * MS)
    driver.state = apply(driver.state, ruled)
    driver.frames(2600, 3600, first)
    driver.frames(3600, 3700, with_tiles(first, _8G=NOTHING, _8H=NOTHING, _8I=NOTHING))
    driver.press("left", 3750)
    driver.frames(3800, 5000, with_tiles(first, _8G=NOTHING, _8H=NOTHING, _8I=NOTHING))
    assert not changes(driver)


@pytest.mark.parametrize(("shift", "moved"), [(2, False), (14, True)])
def test_the_board_was_moved(first, shift, moved):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    taken = CORNERS + np.float32(shift)
    driver.frames(
        5000, 6000, first, taken=lambda drawn: np.roll(drawn, shift, (0, 1)), corners=taken
    )
    driver.frames(6000, 7000, first)
    assert [
        (one.event.moved is not None, one.event.back_ns is not None) for one in changes(driver)
    ] == [(True, True)] * moved


def test_a_board_that_was_moved_and_stays_so_is_reported_with_the_next_turn(first, put):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    aside = {"taken": lambda drawn: np.roll(drawn, 14, (0, 1)), "corners": CORNERS + np.float32(14)}
    driver.frames(5000, 6000, first, **aside)
    assert not changes(driver)
    driver.press("right", 6050)
    driver.frames(6100, 9000, first, **aside)
    (one,) = changes(driver)
    assert one.event.moved is not None
    assert one.event.back_ns is None


@pytest.mark.parametrize(("rows", "side"), [(range(6), "right"), (range(9, 15), "left")])
def test_whose_arm_was_over_the_board_before_it_was_moved(first, put, rows, side):
    driver, second = played_in_turn(first, put)
    driver.frames(5500, 6500, cover(second, rows, range(3, 6)))
    other = np.random.default_rng(1).integers(256, size=(400, 400, 3), dtype=np.uint8)
    aside = {"taken": lambda drawn: other, "corners": CORNERS + np.float32(14)}
    driver.frames(6500, 7500, second, **aside)
    driver.press("left", 7550)
    driver.frames(7600, 10_000, second, **aside)
    (moved,) = changes(driver)
    assert (moved.event.side, moved.event.from_ns // MS) == (side, 6400)


@pytest.mark.parametrize(
    "after",
    [
        (GameEnded("agreed", 7600 * MS, "Dee"),),
        (ButtonPressed("neutral", 7600 * MS), GameEnded("agreed", 7700 * MS, "Dee")),
    ],
    ids=["while the clock ran", "while both clocks stood"],
)
@pytest.mark.parametrize("ended_first", [False, True])
def test_a_board_that_is_moved_after_the_last_turn(first, after, ended_first):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    aside = {"taken": lambda drawn: np.roll(drawn, 14, (0, 1)), "corners": CORNERS + np.float32(14)}
    for end in after if ended_first else ():
        driver.state = apply(driver.state, end)
    driver.frames(5000, 6000, first, **aside)
    for end in () if ended_first else after:
        driver.state = apply(driver.state, end)
    driver.frames(6000, 6500, first, **aside)
    (one,) = changes(driver)
    assert (one.event.moved is not None, one.event.seen_ns // MS) == (True, 5200)


def test_a_board_that_is_cleared_after_the_game_is_not_moved(first):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.state = apply(driver.state, GameEnded("agreed", 5000 * MS, "Dee"))
    aside = {"taken": lambda drawn: np.roll(drawn, 14, (0, 1)), "corners": CORNERS + np.float32(14)}
    driver.frames(5000, 6000, with_tiles(first, _8G=NOTHING, _8H=NOTHING), **aside)
    driver.finish()
    assert not changes(driver)


@pytest.mark.parametrize(("rows", "side"), [(range(8), "right"), (range(7, 15), "left")])
def test_whose_hand_changed_a_tile_in_the_dark(first, put, rows, side):
    driver, second = played_in_turn(first, put)
    changed, noise = with_tiles(second, _8G="T"), np.random.default_rng(5)
    driver.frames(5500, 6500, second)
    for t_ms in range(6500, 9500, 100):
        shown = second if t_ms < 8000 else changed
        shown = cover(shown, rows, range(5, 8)) if 7600 <= t_ms < 8400 else shown
        dark = 0.02 * draw(shown, seed=t_ms) + noise.normal(0, 1.5, (400, 400, 3))
        image = np.asarray(dark.clip(0, 255), np.uint8)
        driver.perception.dark_frame(Frame(image, t_ms * MS, driver.seq))
        driver.seq += 1
    driver.frames(9500, 10_500, changed)
    driver.frames(10_500, 11_500, second)
    (one,) = changes(driver)
    assert (one.event.side, one.event.changes[0].square) == (side, "8G")


def test_a_board_that_is_turned_to_each_player_is_not_moved(first):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 6000, first, corners=np.roll(CORNERS, 2, axis=0))
    driver.frames(6000, 7000, first)
    assert not changes(driver)


def askew(name: str, degrees: float, pushed: float = 0.0):
    """How the camera takes a picture in which this tile is turned clockwise and pushed."""

    def taken(drawn: np.ndarray) -> np.ndarray:
        square, side = Square.parse(name), pixels_per_square(CORNERS)
        middle = CORNERS[0] + side * (np.array([square.col, square.row]) + 0.5)
        matrix = cv2.getRotationMatrix2D(tuple(map(float, middle)), -degrees, 1.0)
        matrix[:, 2] += side * pushed
        there = np.zeros(drawn.shape[:2], np.float32)
        cv2.circle(there, tuple(map(round, middle)), round(0.6 * side), 1.0, -1)
        turned = cv2.warpAffine(drawn, matrix, drawn.shape[1::-1])
        return np.where(there[..., None] > 0, turned, drawn)

    return taken


@pytest.mark.parametrize(
    ("degrees", "pushed"),
    [(24, 0.0), (-17, 0.0), (4, 0.0), (37, 0.05), (0, 0.25), (0, 0.1)],
)
def test_a_tile_that_is_turned_on_its_square_and_back(first, degrees, pushed):
    driver = opened(first)
    driver.frames(1500, 5000, first)
    driver.frames(5000, 5500, cover(first))
    driver.frames(5500, 6500, first, taken=askew("8H", degrees, pushed))
    driver.frames(6500, 7000, cover(first))
    driver.frames(7000, 8000, first)
    assert found(driver) == ["8H AA and back"] * (abs(degrees) > 10 or pushed > 0.2)
    for one in changes(driver):
        assert one.event.changes[0].turned == pytest.approx(degrees, abs=4)


@pytest.mark.parametrize(
    ("degrees", "shadow", "same", "turned"),
    [(16, 0, True, 16), (16, 0, False, None), (0, 0, True, None), (0, 90, True, None)],
    ids=["known", "maybe another letter", "as it lay", "in a shadow"],
)
def test_how_far_a_tile_was_turned_that_is_hard_to_see(degrees, shadow, same, turned):
    rng, tile = np.random.default_rng(1), np.full((PATCH, PATCH), 90.0, np.float32)
    tile[7:21, 7:21] = 200
    tile[10:18, 13:15] = 40
    matrix = cv2.getRotationMatrix2D(((PATCH - 1) / 2,) * 2, -degrees, 1.0)
    later = cv2.warpAffine(tile, matrix, tile.shape, borderMode=cv2.BORDER_REPLICATE)
    later[:, PATCH // 2 :] -= shadow
    was, now = (
        np.repeat((one + rng.normal(0, 16, one.shape))[..., None], 3, axis=2)
        for one in (tile, later)
    )
    by, _ = move_of(was, now, same=same) or (0.0, 0.0)
    assert not abs(by) >= 10 if turned is None else by == pytest.approx(turned, abs=4)


@pytest.mark.parametrize(
    ("shifted", "shadow", "move"),
    [("tile", 0, (0, 0.1875)), ("picture", 0, None), ("picture", 60, None), ("bare", 0, None)],
)
def test_a_tile_is_pushed_against_what_is_around_it(shifted, shadow, move):
    board = np.full((PATCH, PATCH), 90.0, np.float32)
    if shifted != "bare":
        board[[5, 22]] = board[:, [5, 22]] = 130  # the grid's lines
    tile = np.zeros((PATCH, PATCH), bool)
    tile[6:22, 6:22] = True
    face = np.full((PATCH, PATCH), 200.0, np.float32)
    face[9:17, 13:15] = 40
    was = np.where(tile, face, board)
    face, tile = (np.roll(one, 3, axis=0) for one in (face, tile))
    now = np.where(tile, face, board) if shifted != "picture" else np.roll(was, 3, axis=0)
    now[:, PATCH // 2 :] -= shadow
    each = (np.repeat(one[..., None], 3, axis=2) for one in (was, now))
    assert move_of(*each, same=True) == move


@pytest.mark.parametrize("seems", ["A", "~", "?"])
def test_a_tile_that_lies_askew_at_the_press_and_is_put_straight_later(first, seems):
    driver = Driver()
    driver.frames(0, 500, NO_TILES)
    driver.press("right", 450)
    shown = {"read": with_tiles(first, _8H=seems), "taken": askew("8H", 24)}
    driver.frames(500, 1500, first, **shown)
    driver.press("left", 1050)
    driver.frames(1500, 3500, first, **shown)
    driver.frames(3500, 4000, cover(first))
    driver.frames(4000, 5000, first)
    driver.press("right", 5050)
    driver.frames(5100, 8000, first)
    (one,) = changes(driver)
    (change,) = one.event.changes
    assert (change.square, change.askew) == ("8H", True)
    assert change.turned == pytest.approx(-24, abs=4)
    assert one.event.from_ns < one.event.seen_ns
    from_ms = 1400 if seems == "~" else 3400  # no picture before tells what was not read
    assert one.event.from_ns // MS == pytest.approx(from_ms, abs=100)
    assert one.event.seen_ns // MS == 4000
    assert [turn.word for turn in driver.state.turns] == ["CAT" if seems == "A" else ANY, None]


@pytest.mark.parametrize(
    ("arm", "expected"),
    [("right", ["10F .S and back"]), ("left", [])],
    ids=["by the player who has just pressed", "by the player on turn, who thinks"],
)
def test_a_tile_was_laid_on_a_bare_square_and_taken_off_again(first, put, arm, expected):
    driver, second = played_in_turn(first, put)
    lay(driver, 5500, second, with_tiles(second, _10F="S"), arm)
    lay(driver, 8000, with_tiles(second, _10F="S"), second, arm)
    assert found(driver) == expected
    assert all(one.event.side == one.event.back_by == arm for one in changes(driver))


def test_a_tile_was_laid_out_of_turn_where_one_had_been_tried(first, put):
    (driver, second), third = played_in_turn(first, put), put("I8", ".HE", put("H7", "B.N", first))
    tried, again = with_tiles(second, _10F="S"), with_tiles(third, _10F="S")
    lay(driver, 5500, second, tried, "left")
    lay(driver, 7500, tried, second, "left")
    lay(driver, 9500, second, third, "left")
    driver.press("left", 11_550)
    driver.frames(11_600, 12_500, third)
    lay(driver, 12_500, third, again, "left")
    lay(driver, 15_000, again, third, "left")
    assert found(driver) == ["10F .S and back"]


def test_letters_that_are_exchanged_at_once_after_the_press_are_a_change(first):
    driver = opened(first)
    driver.frames(1500, 2000, cover(first))
    driver.frames(2000, 5000, with_tiles(first, _8G="T", _8I="C"))
    driver.press("right", 5050)
    driver.frames(5100, 6000, with_tiles(first, _8G="T", _8I="C"))
    assert found(driver) == ["8G CT, 8I TC"]
    (one,) = changes(driver)
    assert one.event.from_ns // MS == 1400
    assert 2000 <= one.event.seen_ns // MS <= 2200


@pytest.mark.parametrize(("gone_ms", "expected"), [(5000, ["8G C."]), (7000, [])])
def test_a_tile_is_gone_before_the_last_stop_or_after_it(first, gone_ms, expected):
    driver, gone = opened(first), with_tiles(first, _8G=NOTHING)
    driver.frames(1500, gone_ms, first)
    driver.frames(gone_ms, gone_ms + 1000, gone)
    driver.press("neutral", 6050)
    driver.frames(gone_ms + 1000, 8200, gone)
    driver.state = apply(driver.state, GameEnded("agreed", 8200 * MS, "Dee"))
    driver.frames(8300, 9000, with_tiles(gone, _8H=NOTHING))
    driver.finish()
    assert found(driver) == expected


TOP, BOTTOM = range(9), range(6, 15)


@pytest.mark.parametrize(
    ("stretches", "expected"),
    [
        ([(6000, 9500, TOP)], [(6, 9)]),
        ([(6000, 9500, BOTTOM)], []),
        ([(6000, 6600, TOP)], []),
        ([(5500, 6000, TOP), (8500, 12_500, TOP)], [(8, 12)]),
        ([(6000, 9500, range(1))], []),
        ([(6000, 9500, range(2))], [(6, 9)]),
    ],
    ids=["of the other player", "one's own", "passing", "come back", "at the rim", "two rows in"],
)
def test_an_arm_over_the_board(first, put, stretches, expected):
    """Each stretch: from when to when, in ms, an arm covers these rows; left is on turn."""
    driver, second = played_in_turn(first, put)
    now_ms = 5500
    for from_ms, until_ms, rows in stretches:
        driver.frames(now_ms, from_ms, second)
        driver.frames(from_ms, until_ms, cover(second, rows, range(2, 5)))
        now_ms = until_ms
    driver.frames(now_ms, now_ms + 2000, second)
    driver.finish()
    arms = [one.event for one in changes(driver)]
    assert [(e.side, e.back_by, e.changes) for e in arms] == [("right", "right", ())] * len(arms)
    spans = [(e.seen_ns / 1e9, e.back_from_ns / 1e9) for e in arms]
    assert spans == [pytest.approx(span, abs=1.0) for span in expected]


@pytest.mark.parametrize(("until_ms", "long"), [(11_500, True), (8500, False)])
@pytest.mark.parametrize("shift", [0, 1])
def test_a_hand_that_stays_over_the_board_after_its_press(first, put, shift, until_ms, long):
    driver, second = played_in_turn(first, put)
    resting = cover(second, BOTTOM, range(2, 5))
    driver.frames(5500, 7000, resting)
    driver.press("left", 6950)
    driver.frames(7000, 8000, resting)
    driver.frames(8000, until_ms, cover(second, BOTTOM, range(2 + shift, 5 + shift)))
    driver.frames(until_ms, until_ms + 2000, second)
    driver.finish()
    arms = [one.event for one in changes(driver)]
    assert [(e.side, e.from_ns // MS, e.seen_ns // MS) for e in arms] == [
        ("left", 7000, 7000)
    ] * long
    for e in arms:
        assert (e.back_ns or 0) // MS == pytest.approx(until_ms, abs=300)


def test_an_arm_that_was_seen_before_the_lens_was_covered_explains_nothing(first, put):
    driver, second = played_in_turn(first, put)
    driver.frames(5500, 6500, cover(second, BOTTOM, range(5, 8)))
    driver.frames(9500, 10_500, with_tiles(second, _8G="T"))
    driver.frames(10_500, 11_500, second)
    (one,) = changes(driver)
    assert (one.event.side, one.event.changes[0].square) == (None, "8G")


@pytest.mark.parametrize(("arm", "expected"), [("right", ["8J SX"]), ("left", [])])
def test_a_hand_of_the_player_not_on_turn_on_a_fresh_tile(first, put, arm, expected):
    driver, second = played_in_turn(first, put)
    fresh = with_tiles(second, _8J="S")
    lay(driver, 5500, second, fresh, "left")
    lay(driver, 8000, fresh, with_tiles(second, _8J="X"), arm)
    assert found(driver) == expected
    assert all(one.event.side == arm for one in changes(driver))


def played_in_turn(first: Board, put) -> tuple[Driver, Board]:
    """Both have played from their edges, so that their arms are known; left is on turn."""
    driver, second = Driver(), put("H7", "B.N", first)
    driver.frames(0, 500, NO_TILES)
    driver.press("right", 450)
    lay(driver, 500, NO_TILES, first, "left")
    driver.press("left", 2450)
    lay(driver, 2500, first, second, "right")
    driver.press("right", 4450)
    driver.frames(4500, 5500, second)
    return driver, second
