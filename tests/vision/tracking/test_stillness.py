"""Still segments of a video."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.board import Board
from sensors.interfaces import Frame
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
