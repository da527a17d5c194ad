"""Motion: hands, tiles and turned boards move; lamps, clouds and noise do not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.board import Board, Square
from vision.tracking.appearance import appearance_of, same_appearance
from vision.tracking.motion import MotionDetector


@pytest.fixture
def board(put):
    return put("H8", "OTTER", put("8D", "RIVER"))


@pytest.fixture(params=["aimed", "whole view"])
def watch(request, grid):
    return MotionDetector(grid if request.param == "aimed" else None)


def relit(image: np.ndarray, light: np.ndarray) -> np.ndarray:
    return np.clip(image * light, 0, 255).astype(np.uint8)


def moved(watch: MotionDetector, before: np.ndarray, after: np.ndarray) -> bool:
    watch.see(before)
    return watch.see(after).moved


def test_the_first_frame_has_moved(watch, drawn, board):
    assert watch.see(drawn(board)).moved
    assert not watch.see(drawn(board, seed=1)).moved


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
    watch.see(frames[0])
    assert not any(watch.see(frame).moved for frame in frames[1:])


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
    assert watch.see(further).moved


def test_a_turned_board_moves(watch, drawn, board):
    image = drawn(board)
    assert moved(watch, image, np.ascontiguousarray(np.rot90(image)))


def turned(image: np.ndarray, degrees: float) -> np.ndarray:
    about = cv2.getRotationMatrix2D((200, 200), degrees, 1.0)
    return cv2.warpAffine(image, about, (400, 400), borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize("degrees", [0.05, 0.1, 0.3])
def test_a_board_that_turns_slowly_has_moved(watch, drawn, board, degrees):
    watch.see(drawn(board))
    frames = int(2 / degrees)
    assert any(watch.see(turned(drawn(board, seed=n), n * degrees)).moved for n in range(frames))


def test_light_that_changes_slowly_moves_nothing(watch, drawn, board):
    watch.see(drawn(board))
    for n in range(1, 40):
        image = relit(drawn(board, seed=n), np.float32(1 - n / 80))
        assert not watch.see(image).moved, n


# --- the looks of single squares ---


def changed(before: np.ndarray, after: np.ndarray, grid: np.ndarray) -> set[str]:
    same = same_appearance(appearance_of(before, grid), appearance_of(after, grid))
    return {Square(int(r), int(c)).name for r, c in np.argwhere(~same)}


@pytest.mark.parametrize("light", [0.6, 1.0, 1.1])
def test_squares_look_the_same_in_another_light(drawn, board, grid, light):
    assert changed(drawn(board), drawn(board, light, seed=1), grid) == set()


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


def test_an_empty_board_looks_like_itself(drawn, grid):
    assert changed(drawn(Board.empty()), drawn(Board.empty(), 0.7, seed=1), grid) == set()
