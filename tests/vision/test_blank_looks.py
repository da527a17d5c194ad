"""Blanks with a mark that no training has seen: known once somebody has named one."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from table.calibrated_reader import board_reader
from tests.vision.boards_in_perspective import WORDS, board
from vision.blank_looks import ALIKE, BlankLooks, looks_alike
from vision.labels import BLANK, CLASS_NAMES, EMPTY, class_index, state_index
from vision.rectify import homography, project

FIRST, SECOND = Square.parse("9D"), Square.parse("11G")


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


def with_marks(seed: int, mark: str, *squares: Square) -> tuple[np.ndarray, np.ndarray]:
    """A board on some tiles of which a mark stands in place of the letter, and its corners."""
    scene = board(seed, tilt=0, height=0.15)
    picture = scene.image.copy()
    matrix = homography(scene.corners)
    for square in squares:
        reach = np.add((square.col, square.row), [[0.14], [0.86]])
        (left, top), (right, bottom) = np.round(project(matrix, reach)).astype(int)
        part = picture[top:bottom, left:right]
        part[:] = np.median(part.reshape(-1, 3), axis=0)
        ink = (20, 20, 20) if part.mean() > 110 else (235, 235, 235)
        at = (left + (right - left) // 5, bottom - (bottom - top) // 5)
        cv2.putText(picture, mark, at, cv2.FONT_HERSHEY_DUPLEX, 0.9, ink, 2, cv2.LINE_AA)
    return picture, scene.corners


@pytest.mark.parametrize(("seed", "mark"), [(1, "&"), (2, "@"), (5, "$")])
def test_the_second_blank_is_read_once_the_first_has_been_named(reader, seed, mark):
    one, corners = with_marks(seed, mark, FIRST)
    before = reader.read(one, corners)
    both, _ = with_marks(seed, mark, FIRST, SECOND)
    known = replace(before, blank_looks=reader.blank_looks(one, before, [FIRST]))
    after = reader.read(both, corners, known)
    assert (after.symbol(FIRST), after.symbol(SECOND)) == ("?", "?")
    assert after.blank_looks is known.blank_looks
    for row, (line, words) in enumerate(zip(after.rows, WORDS, strict=True)):
        for col, (symbol, word) in enumerate(zip(line, words, strict=True)):
            if Square(row, col) not in (FIRST, SECOND):
                assert symbol in (word, before.rows[row][col])


def test_such_a_blank_is_no_blank_before(reader):
    both, corners = with_marks(2, "$", FIRST, SECOND)
    seen = reader.read(both, corners)
    assert "?" not in (seen.symbol(FIRST), seen.symbol(SECOND))


def test_a_letter_that_was_named_by_mistake_does_not_make_blanks_of_its_kind(reader):
    scene = board(1, tilt=0, height=0.15)
    reading = reader.read(scene.image, scene.corners)
    assert reading.rows == WORDS
    # There are two more E, and two more A.
    assert reader.blank_looks(scene.image, reading, [Square.parse("9E")]) is None
    assert reader.blank_looks(scene.image, reading, [Square.parse("10D")]) is None


def unit(seed: int, dimensions: int = 32) -> np.ndarray:
    features = np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)
    return features / np.linalg.norm(features)


@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_an_empty_square_never_gives_way_to_a_blank(seed, mixed):
    rng = np.random.default_rng(seed)
    known = unit(seed)
    features = (mixed * known + (1 - mixed) * unit(seed + 1))[None]
    shares = rng.dirichlet(np.full(len(CLASS_NAMES), 0.1), 1).astype(np.float32)
    reported = BlankLooks(known[None]).with_known_blanks(shares, features)
    blank, empty = state_index(BLANK), state_index(EMPTY)
    assert reported.sum() == pytest.approx(1, abs=1e-4)
    assert reported[0, empty] == shares[0, empty]
    assert reported[0, blank] >= shares[0, blank] - 1e-6
    cosine = float(features[0] @ known / np.linalg.norm(features))
    if cosine < ALIKE - 0.2:
        assert reported == pytest.approx(shares, abs=1e-3)
    if cosine > ALIKE + 0.2:
        assert reported[0, [blank, empty]].sum() == pytest.approx(1, abs=1e-3)


def test_a_letter_that_looks_as_the_known_blank_is_one():
    shares = np.full((1, len(CLASS_NAMES)), 1e-6, np.float32)
    shares[0, class_index("H", 0)] = 0.98
    reported = BlankLooks(unit(3)[None]).with_known_blanks(shares, unit(3)[None])
    assert reported[0].argmax() == state_index(BLANK)


def test_blanks_are_known_from_every_side_unless_a_letter_looks_so():
    blanks = np.stack([unit(side)[None] for side in range(4)])
    letters = np.stack([unit(10 + side)[None] for side in range(4)])
    looks = looks_alike(blanks, letters)
    assert looks is not None
    assert looks.features.shape == (4, 32)
    letters[2, 0] = blanks[1, 0]
    assert looks_alike(blanks, letters) is None
    assert looks_alike(blanks, letters[:, :0]) is not None
