"""Readings of photographs with known truth are counted right, also where a tile is turned."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from game.board import Square
from game.errors import TilewatchError
from table.evaluate.damages import DAMAGES
from table.evaluate.photographs import HEADER, Score, compare, labelled, line, with_turned_tile
from vision.reading import Reading
from vision.rectify import PITCH, crops, rectify

CORNERS = np.array([[20, 20], [320, 20], [320, 320], [20, 320]], np.float32)
ROWS = ("CAT?..." + "." * 8, "...s" + "." * 11, *("." * 15 for _ in range(13)))


def reading(rows, corners=CORNERS, confidence=0.995) -> Reading:
    return Reading(
        corners=np.asarray(corners, np.float32),
        rows=tuple(rows),
        confidence=np.full((15, 15), confidence, np.float32),
        rotation=np.full((15, 15), -1, np.int8),
        guesses={},
        findings=(),
        upright=1.0,
    )


def test_a_blank_is_right_whatever_it_stands_for():
    rows = ("CAT?..." + "." * 8, "...?" + "." * 11, *ROWS[2:])
    score = compare(reading(rows), ROWS, CORNERS)
    every = {"letters": 3, "blanks": 2, "squares": 225}
    right = {f"{kind}_right": count for kind, count in every.items()}
    same = replace(score, exact=1, sure=225, sure_wrong=0, **every, **right)
    assert score == same


def test_each_kind_of_mistake_is_counted():
    rows = ("COT~..." + "." * 8, "...?" + "." * 10 + "X", *ROWS[2:])
    score = compare(reading(rows, CORNERS + np.float32([10, 0])), ROWS, CORNERS)
    counts = {"exact": 0, "letters_right": 2, "squares_right": 222, "false_tiles": 1, "unsure": 1}
    assert score == replace(score, sure_wrong=2, **counts)
    assert score.worst_corner == pytest.approx(0.5)


def test_no_board_found_counts_as_nothing_read():
    score = compare(None, ROWS, CORNERS)
    assert (score.pictures, score.found, score.letters, score.letters_right) == (1, 0, 3, 0)
    total = Score()
    total.add(score)
    total.add(compare(reading(ROWS), ROWS, CORNERS))
    assert (total.pictures, total.found, total.letters) == (2, 1, 6)
    assert "no board found" in line("p", score)
    assert len(line("all", total)) == len(HEADER)


@pytest.mark.parametrize("name", ["turned 15°", "turned 90°", "turned 225°", "bump of 12 px"])
def test_corners_move_with_the_picture(name):
    image = np.full((360, 400, 3), 90, np.uint8)
    marks = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]
    for (x, y), color in zip(CORNERS, marks, strict=True):
        cv2.circle(image, (int(x), int(y)), 7, color, -1)
    page, corners = DAMAGES[name](image, CORNERS)
    for (x, y), color in zip(corners, marks, strict=True):
        assert np.abs(page[round(y), round(x)].astype(int) - color).max() < 30


def test_every_damage_damages():
    image = np.random.default_rng(0).integers(0, 200, (340, 340, 3)).astype(np.uint8)
    for name, damage in DAMAGES.items():
        page, corners = damage(image, CORNERS)
        assert page.dtype == np.uint8
        assert corners.shape == (4, 2)
        assert page.shape != image.shape or (page != image).any(), name
    assert len(DAMAGES) > 30


def test_labelled_says_what_is_wrong(tmp_path):
    with pytest.raises(TilewatchError, match="no such folder"):
        labelled(tmp_path / "nothing")
    with pytest.raises(TilewatchError, match="no labelled photographs"):
        labelled(tmp_path)
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((200, 200, 3), np.uint8))
    label = {"corners": CORNERS.tolist(), "rows": ["."]}
    for wrong, says in (({}, r"a\.json: not a label"), (label, "15 strings")):
        (tmp_path / "a.json").write_text(json.dumps(wrong))
        with pytest.raises(TilewatchError, match=says):
            labelled(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps(label | {"rows": ROWS}))
    (only,) = labelled(tmp_path)
    assert only.rows == ROWS
    assert only.image().shape == (200, 200, 3)


TILTED = np.array([(40, 60), (640, 40), (660, 650), (30, 640)], np.float32)


def picture() -> np.ndarray:
    rng = np.random.default_rng(4)
    small = rng.integers(0, 255, (44, 44, 3)).astype(np.uint8)
    return np.asarray(np.kron(small, np.ones((16, 16, 1), np.uint8)), np.uint8)


def inner(image: np.ndarray, square: Square) -> np.ndarray:
    crop = crops(image, TILTED, np.array([15 * square.row + square.col]))[0]
    side = PITCH // 2
    start = (crop.shape[0] - side) // 2
    return crop[start : start + side, start : start + side].astype(np.float32)


def test_a_tile_is_turned_clockwise_and_four_quarters_make_a_whole():
    image, square = picture(), Square(5, 9)
    before = inner(image, square)
    for turns in range(5):
        after = inner(with_turned_tile(image, TILTED, square, turns), square)
        assert np.abs(after - np.rot90(before, -turns)).mean() < 12
        if turns in (1, 2, 3):
            assert np.abs(after - before).mean() > 30


def test_other_squares_are_left_alone():
    image = picture()
    turned = with_turned_tile(image, TILTED, Square(0, 0), 1)
    board, was = rectify(turned, TILTED), rectify(image, TILTED)
    changed = np.abs(board.astype(int) - was.astype(int)).max(axis=2) > 0
    assert 0 < np.argwhere(changed).max() < 1.6 * PITCH


def test_a_corner_square_at_the_edge_of_the_picture_can_be_turned():
    image = picture()
    at_edge = np.array([(0, 0), (703, 0), (703, 703), (0, 703)], np.float32)
    assert with_turned_tile(image, at_edge, Square(14, 14), 3).shape == image.shape
