"""Squares that look as they did are not read again; whatever changed is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.scenes.render import render
from tools.scenes import random_rows
from tools.train.crops import alike, draw_spec
from vision.labels import CLASS_NAMES, class_index, state_index
from vision.rectify import PITCH, rectify
from vision.square_classifier import SquareClassifier, SquaresRead, square_looks

SIDE = 15 * PITCH
CORNERS = np.array([[40, 40], [40 + SIDE, 40], [40 + SIDE, 40 + SIDE], [40, 40 + SIDE]], np.float32)


def picture(level: float = 120.0, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """A plain board as rectified, moved by 40 pixels."""
    rng = np.random.default_rng(seed)
    plain = rng.normal(level, noise, (SIDE + 80, SIDE + 80, 3))
    return np.clip(plain, 0, 255).astype(np.uint8)


def with_tile(image: np.ndarray, row: int, col: int, brighter: int = 60) -> np.ndarray:
    out = image.copy()
    down, right = (40 + PITCH * at for at in (row, col))
    part = out[down + 3 : down + PITCH - 3, right + 3 : right + PITCH - 3]
    part[:] = np.minimum(part.astype(int) + brighter, 255)
    return out


class Bright:
    """Reads an A where a crop's middle is bright, else nothing; counts what it is shown."""

    promise = head = None
    letters = frozenset("A")

    def __init__(self, sure=0.999):
        self.sure, self.shown = sure, []

    def probabilities(self, crops):
        return self.classify(crops)[0]

    def classify(self, crops):
        self.shown.append(len(crops))
        out = np.zeros((len(crops), len(CLASS_NAMES)), np.float32)
        bright = crops[:, 28:36, 28:36].mean(axis=(1, 2, 3)) > 150
        likely = np.where(bright, class_index("A", 0), state_index("empty"))
        out[:, state_index("unreadable")] = 1 - self.sure
        out[np.arange(len(crops)), likely] = self.sure
        return out, np.zeros((len(crops), 3), np.float32)


@pytest.fixture
def classifier() -> Bright:
    return Bright()


@pytest.fixture
def squares(classifier) -> SquareClassifier:
    return SquareClassifier(classifier)


def letters(seen) -> list[int]:
    return np.flatnonzero(seen.grid.reshape(225, -1)[:, class_index("A", 0)] > 0.5).tolist()


def shown_for(squares, classifier, image, corners=CORNERS) -> int:
    """How many crops the classifier is shown for a picture."""
    classifier.shown.clear()
    squares.see(image, corners)
    return sum(classifier.shown)


@pytest.mark.parametrize(
    ("before", "after", "corners", "shown"),
    [
        (picture(noise=4), picture(noise=4, seed=1), CORNERS, 0),
        # Corners found a hair elsewhere are those of a board that did not move.
        (with_tile(picture(), 3, 3), with_tile(picture(), 3, 3), CORNERS + 0.5, 0),
        # One that moved is read again.
        (picture(), picture(), CORNERS + np.float32([0.1 * PITCH, 0]), 225),
        (picture(), picture(), np.roll(CORNERS, 1, axis=0), 225),
        # Another light has all read again.
        (picture(120), picture(135), CORNERS, 225),
    ],
    ids=["noise", "a hair elsewhere", "moved", "turned", "light"],
)
def test_a_board_is_read_again_where_it_changed(squares, classifier, before, after, corners, shown):
    assert shown_for(squares, classifier, before) == 225
    assert shown_for(squares, classifier, after, corners) == shown


def test_a_new_tile_is_read_with_the_squares_that_see_it(squares, classifier):
    before = picture(noise=3)
    squares.see(before, CORNERS)
    after = with_tile(picture(noise=3, seed=1), 7, 7)
    assert 1 <= shown_for(squares, classifier, after) <= 9
    assert letters(squares.see(after, CORNERS)) == [112]
    assert letters(squares.see(before, CORNERS)) == []


def test_what_was_unsure_is_read_in_three_pictures_and_again_once_it_changes():
    classifier = Bright(sure=0.9)
    squares = SquareClassifier(classifier)
    shown = [shown_for(squares, classifier, picture(noise=3, seed=seed)) for seed in range(4)]
    assert shown == [225, 225, 225, 0]
    shown_for(squares, classifier, with_tile(picture(noise=3, seed=9), 7, 7))
    assert 1 <= classifier.shown[0] <= 9


def test_a_change_that_creeps_in_is_noticed(squares, classifier):
    squares.see(picture(120), CORNERS)
    shown = [shown_for(squares, classifier, picture(level)) for level in range(121, 127)]
    assert 225 in shown


def test_named_blanks_have_all_read_again(squares, classifier):
    squares.see(picture(), CORNERS)
    assert shown_for(squares, classifier, picture()) == 0
    classifier.head = object()  # it has learnt the set's own tiles
    assert shown_for(squares, classifier, picture()) == 225


@pytest.mark.parametrize("seed", [5, 9, 11])
def test_no_plain_blank_is_placed_without_a_change(seed):
    """Its tiles have nearly the board's own colour; nothing else changes but the sensor's noise."""
    rng, spec = draw_spec((1 << 29) + seed)
    spec = replace(spec, tiles=alike(rng, spec.tiles, spec.board))
    rows = random_rows(rng, "ABCDEFGH", words=6)
    blanks = tuple(
        "".join("?" if c == "." and (i * 15 + j) % 7 == 0 else c for j, c in enumerate(row))
        for i, row in enumerate(rows)
    )
    before, after = (render(spec, these, np.random.default_rng(seed)) for these in (rows, blanks))
    looks = [square_looks(rectify(scene.image, before.corners)) for scene in (before, after)]
    past = SquaresRead(
        before.corners,
        looks[0],
        np.zeros((225, 1), np.float32),
        np.zeros((225, 3), np.float32),
        np.ones(225, bool),
        np.ones(225, int),
    )
    placed = np.array([a != b for a, b in zip("".join(rows), "".join(blanks), strict=True)])
    clear = (np.maximum(before.covered, after.covered) < 0.05).ravel()
    assert (placed & clear).any()
    assert not (past.unchanged(looks[1]) & placed & clear).any()
