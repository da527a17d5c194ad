"""A head fitted to the tiles that were counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.fine_tune import (
    STEPS,
    Examples,
    augmented,
    fine_tuned,
    fit_head,
    needs_fine_tuning,
)
from calibration.model import CalibrationError
from calibration.storage import NAME, forget_head, load_head, save_head
from calibration.tile_check import check_tiles
from game.tileset import load_tile_set
from models import weights
from models.scenes.faces import Face
from tools.scenes import random_rows
from vision.classifier import LinearHead
from vision.labels import CLASS_NAMES, EMPTY, class_index, state_index
from vision.rectify import crops

from .conftest import LETTERS, drawn

TILES = load_tile_set("english")
BAG = [tile for tile, count in TILES.counts.items() for _ in range(count)]
CLASSES = len(CLASS_NAMES)
BARE = state_index(EMPTY)


@pytest.fixture(scope="module")
def odd(spec):
    """Tiles in a face that is hard to read: narrow, small, cut by a stencil, in faint ink."""
    face = Face(weight=0.14, width=0.75, stencil=True, form=20)
    tiles = replace(spec.tiles, face=face, digit_face=face, letter=0.4, ink_strength=0.8)
    camera = replace(spec.camera, width=900, height=700, scale=36.0)
    return replace(spec, tiles=tiles, camera=camera)


def laid_out(seed=7):
    grid = np.full((15, 15), ".")
    grid[2:12, 3:13] = np.random.default_rng(seed).permutation(BAG).reshape(10, 10)
    return tuple("".join(row) for row in grid)


def misread(reader, scene):
    read = reader.read(scene.image, scene.corners)
    return sum(
        want != got
        for line, output in zip(scene.rows, read.rows, strict=True)
        for want, got in zip(line, output, strict=True)
        if want.isalpha()
    )


@pytest.mark.slow
def test_an_odd_set_is_read_better_once_it_was_counted_and_empty_squares_stay_empty(
    odd, reader, classifier
):
    rng = np.random.default_rng(11)
    boards = [
        drawn(odd, random_rows(rng, "".join(sorted(LETTERS)), words=16, blanks=0), seed=seed)
        for seed in (20, 21, 22, 23)
    ]
    table = drawn(odd, laid_out())
    try:
        before = sum(misread(reader, board) for board in boards)
        reading = reader.read(table.image, table.corners)
        found = check_tiles(reading, TILES, sure=True)
        assert needs_fine_tuning(found, reading)
        head = fine_tuned(classifier, table.image, reading.corners, found, TILES)
        classifier.head = head
        after = sum(misread(reader, board) for board in boards)
        bare = drawn(odd)
        assert "".join(reader.read(bare.image, bare.corners).rows) == "." * 225
    finally:
        classifier.head = None
    assert before >= 8
    assert after <= 0.8 * before


def test_an_easy_set_is_left_alone(spec, reader):
    table = drawn(spec, laid_out())
    reading = reader.read(table.image, table.corners)
    assert not needs_fine_tuning(check_tiles(reading, TILES), reading)


def test_a_set_that_is_not_whole_teaches_nothing(spec, reader, classifier):
    rows = [list(row) for row in laid_out()]
    rows[5][5] = "."
    table = drawn(spec, tuple("".join(row) for row in rows))
    reading = reader.read(table.image, table.corners)
    found = check_tiles(reading, TILES)
    assert fine_tuned(classifier, table.image, reading.corners, found, TILES) is None


class Glance:
    """A classifier that tells tiles from bare squares by their colour, and knows no letter."""

    def __init__(self, tiles):
        self._face = np.median(tiles, axis=(0, 1, 2))

    def classify_with_features(self, shown):
        small = shown.reshape(len(shown), 8, 8, 8, 8, 3).mean(axis=(2, 4, 5)).astype(np.float32)
        bare = np.abs(np.median(shown, axis=(1, 2)) - self._face).max(axis=1) > 14
        p = np.full((len(shown), CLASSES), 1e-3, np.float32)
        p[bare, BARE] = 1
        p[~bare, :BARE] = 0.1
        return p / p.sum(axis=1, keepdims=True), None, small.reshape(len(shown), -1)


def test_the_counted_tiles_teach_their_letters_and_bare_squares_stay_bare(spec, reader):
    table = drawn(spec, laid_out())
    reading = reader.read(table.image, table.corners)
    found, shown = check_tiles(reading, TILES), crops(table.image, reading.corners)
    due = np.array([BARE if t == "." else ord(t) for t in "".join(table.rows)])
    for letter in LETTERS:
        due[due == ord(letter)] = class_index(letter, 0)
    glance = Glance(shown[due != BARE])
    head = fine_tuned(glance, table.image, reading.corners, found, TILES)
    p, _, features = glance.classify_with_features(shown)
    read = head.apply(p, features).argmax(axis=1)
    assert (read == due)[due == BARE].mean() > 0.95
    assert (read == due)[due < BARE].mean() > 0.4  # of 26 letters it knew none


def test_a_head_has_reached_the_least_penalised_cross_entropy():
    at, longer = fit_head(given()), fit_head(given(), steps=20 * STEPS)
    assert np.allclose(at.weight, longer.weight, atol=0.02 * np.abs(longer.weight).max())


def given(seed=0, n=80, features=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    middles = rng.normal(0, 2, (3, features))
    x = (middles[labels] + rng.normal(0, 0.5, (n, features)) + 5).astype(np.float32)
    p = np.full((n, CLASSES), 1e-3, np.float32)
    p[:, :3] = 0.3
    p /= p.sum(axis=1, keepdims=True)
    return Examples(p, x, labels, np.full(n, 1 / n, np.float32))


def test_a_head_learns_what_the_classifier_cannot_tell():
    examples = given()
    head = fit_head(examples)
    right = head.apply(examples.probabilities, examples.features).argmax(axis=1)
    assert (right == examples.labels).mean() > 0.97


def test_the_stiffer_the_penalty_the_less_a_head_moves():
    examples = given()
    heads = [fit_head(examples, stiffness=stiffness) for stiffness in (0.01, 1.0, 100.0)]
    given_, seen = examples.probabilities, examples.features
    moved = [np.abs(head.apply(given_, seen) - given_).mean() for head in heads]
    assert moved[0] > moved[1] > moved[2]
    assert moved[2] < 0.002


def test_no_head_changes_nothing():
    examples = given()
    same = LinearHead(np.zeros((CLASSES, 12), np.float32), np.zeros(CLASSES, np.float32))
    out = same.apply(examples.probabilities, examples.features)
    assert np.allclose(out, examples.probabilities, atol=1e-6)


def test_copies_differ_and_stay_near():
    shown = np.random.default_rng(0).integers(60, 190, (6, 64, 64, 3)).astype(np.uint8)
    copies = augmented(shown, np.random.default_rng(1))
    assert copies.shape == shown.shape
    assert copies.dtype == np.uint8
    assert (np.abs(copies.astype(int) - shown).mean(axis=(1, 2, 3)) > 1).all()
    assert np.abs(copies.mean(axis=(1, 2, 3)) - shown.mean(axis=(1, 2, 3))).max() < 60


def test_a_head_is_kept_and_goes_with_its_set_and_its_weights(tmp_path):
    file = weights.path("tiles.onnx")
    head = fit_head(given())
    save_head(head, "english", file, tmp_path)
    kept = load_head("english", file, tmp_path)
    assert np.allclose(kept.weight, head.weight, atol=2e-3)
    assert load_head("german", file, tmp_path) is None
    assert load_head("english", weights.path("locate_refine.onnx"), tmp_path) is None
    forget_head(tmp_path)
    assert load_head("english", file, tmp_path) is None
    forget_head(tmp_path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no", b"x" * 100, None])
def test_a_head_that_is_damaged_or_of_another_shape_is_refused(tmp_path, data):
    file = weights.path("tiles.onnx")
    other = LinearHead(np.zeros((3, 4), np.float32), np.zeros(3, np.float32))
    save_head(other, "english", file, tmp_path)
    if data is not None:
        (tmp_path / NAME).write_bytes(data)
    with pytest.raises(CalibrationError, match="is damaged"):
        load_head("english", file, tmp_path)
