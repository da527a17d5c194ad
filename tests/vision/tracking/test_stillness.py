"""Still segments of a video."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from game.board import Board, Square
from sensors.interfaces import Frame
from vision.rectify import turned
from vision.tracking.composing import hidden
from vision.tracking.observer import BoardObserver
from vision.tracking.stillness import StillnessTracker

MS = 1_000_000


@pytest.fixture
def watched(bench, drawn, put):
    """A tracker that has seen a board at rest, its observer and the time."""
    board = put("8D", "RIVER")
    observer = BoardObserver(bench.reader)
    tracker = StillnessTracker(observer)
    for at in range(5):
        frame = Frame(drawn(board, seed=at), at * 100 * MS, at)
        bench.reader.teach(frame.image, board)
        tracker.add(frame, None)
    observer.commit(observer.update(tracker.observe(), 1))
    tracker.watch_board()
    return tracker, observer, board


def test_a_press_on_a_board_at_rest_is_observed_in_its_segment(watched):
    tracker, _, board = watched
    assert tracker.observed
    assert tracker.observe_at_press(400 * MS).reading.rows == board.rows
    assert tracker.observe_at_press(5000 * MS) is None


def test_a_new_size_of_picture_has_moved_and_the_board_lies_there_to_scale(watched, drawn):
    tracker, observer, board = watched
    tracker.add(Frame(drawn(board, seed=5), 500 * MS, 5), None)
    before, segment = observer.corners, tracker.segment_id
    half = cv2.resize(drawn(board, seed=6), None, fx=0.5, fy=0.5)
    tracker.add(Frame(np.asarray(half), 600 * MS, 6), None)
    assert observer.corners == pytest.approx(before / 2)
    assert tracker.segment_id == segment + 1
    assert not tracker.earlier


def test_a_new_size_before_the_board_was_found_has_moved(bench, drawn):
    tracker = StillnessTracker(BoardObserver(bench.reader))
    image = drawn(Board.empty())
    for at, picture in enumerate([image, image, cv2.resize(image, (640, 480))]):
        tracker.add(Frame(np.asarray(picture), at * 100 * MS, at), None)
    assert tracker.segment_id == 2


def test_a_tile_at_the_edge_of_a_board_that_was_moved_is_noticed(bench, watched, drawn, grid, put):
    """It lies beyond the place that the board had when the last turn was seen."""
    tracker, observer, board = watched

    def add(at: int, board: Board) -> None:
        image = np.roll(drawn(board, seed=at), -20, axis=1)
        bench.reader.teach(image, board)
        key = bench.reader._key(image)
        corners = grid - np.float32([20, 0])
        bench.reader.taught[key] = replace(bench.reader.taught[key], corners=corners)
        tracker.add(Frame(image, at * 100 * MS, at), None)
        tracker.observe_ahead(at * 100 * MS)

    for at in range(5, 10):
        add(at, board)
    moved = tracker.segment_id
    assert tracker.current.reading.rows == board.rows
    after = put("7A", "I", board)
    for at in range(10, 14):
        add(at, after)
    assert tracker.segment_id == moved + 1
    assert tracker.observe_at_press(1300 * MS).reading.rows == after.rows
    (placed,) = tracker.placements(
        [Square.parse("7A")], observer.update(tracker.current, 2)
    ).values()
    assert placed.before_press(1300 * MS)
    assert placed.before_press(900 * MS) is False


@pytest.mark.parametrize("turns", range(4))
def test_an_arm_comes_from_one_way_whichever_way_round_the_board_was_guessed_to_lie(
    bench, drawn, put, grid, turns
):
    """No letter has shown it until now; the first play does."""
    observer = BoardObserver(bench.reader)
    tracker = StillnessTracker(observer)
    for at in range(3):
        image = drawn(Board.empty(), seed=at)
        bench.reader.teach(image, Board.empty())
        tracker.add(Frame(image, at * 100 * MS, at), None)
    seen = observer.update(tracker.observe(), 0)
    guessed = replace(seen.reading, corners=turned(grid, turns))
    observer.commit(replace(seen, reading=guessed))
    tracker.remember(seen)
    for at in range(3, 6):
        image = drawn(Board.empty(), seed=at)
        if at == 5:
            image[220:, 240:300] = (90, 120, 190)
        tracker.add(Frame(image, at * 100 * MS, at), None)
        if at == 3:
            tracker.remember(seen)
    right, down = tracker.arm_way(grid, 0, 600 * MS, Square.parse("11K"))
    assert down > 0.9
    assert abs(right) < 0.5


def test_a_square_is_not_known_by_a_tile_that_was_left_out_of_a_sighting(
    watched, drawn, bench, put
):
    """A tile of the next turn is in the picture; when it was laid is asked for later."""
    tracker, observer, board = watched
    tracker.remember(observer.update(tracker.observe(), 1))
    at_8i = Square.parse("8I")
    for at, tiles in enumerate([board, board, *[put("8I", "S", board)] * 4], 5):
        frame = Frame(drawn(tiles, seed=at), at * 100 * MS, at)
        bench.reader.teach(frame.image, tiles)
        tracker.add(frame, None)
    mask, nothing = np.zeros((2, 15, 15), np.bool_)
    mask[at_8i] = True
    without = observer.update(hidden(tracker.observe(), mask, nothing), 1)
    tracker.remember(replace(without, merged=replace(without.merged, rows=board.rows)))
    (placement,) = tracker.placements([at_8i], observer.update(tracker.observe(), 2)).values()
    assert placement.after_ns < placement.by_ns


@pytest.mark.parametrize("restless", [False, True])
def test_a_board_that_is_never_at_rest_is_observed_between_two_movements(
    watched, bench, drawn, restless
):
    """A shadow passes over it, and is there again in every fourth picture."""
    tracker, _, board = watched
    observed = []
    for at in range(5, 35):
        image = drawn(board, seed=at)
        bench.reader.teach(image, board)
        if at % 4 == 0:
            image[100:200, 100:200] //= 2
        tracker.add(Frame(image, at * 100 * MS, at), None)
        if tracker.observe_ahead(at * 100 * MS, restless=restless) is not None:
            observed.append(at)
    assert bool(observed) == restless
    assert all(later - sooner >= 15 for sooner, later in pairwise(observed))
