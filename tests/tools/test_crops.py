"""Labelled crops: every kind of square, and labels that turn with the picture."""

from __future__ import annotations

import numpy as np
import pytest

from game.tileset import load_tile_set, tile_set_ids
from tools.train.crops import (
    _letters_of_a_table,
    _seen_from,
    _turned_label,
    draw_scene,
    generate,
    label_of,
    scene_crops,
)
from vision.labels import CLASS_NAMES, LETTERS, STATES, class_index, parse, state_index
from vision.rectify import CROP, crops, turned


@pytest.mark.slow
def test_every_kind_of_square_is_there():
    labels = np.concatenate([scene_crops(seed).labels for seed in range(700, 712)])
    states = {CLASS_NAMES[label] for label in labels if label >= 4 * len(LETTERS)}
    assert states == set(STATES)
    letters = labels[labels < 4 * len(LETTERS)] // 4
    assert set(letters) >= set(range(26))
    assert len(set(letters)) > 0.8 * len(LETTERS)
    assert 0.5 < len(letters) / len(labels) < 0.85


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_another_side_is_the_same_crop_turned(turn):
    """Cut from the corners rolled on, a crop is the first one turned back, and so is its label."""
    _, scene = draw_scene(3)
    square = 15 * 4 + 11
    seen = _seen_from(square, turn)
    first = crops(scene.image, scene.corners, np.array([square]))[0]
    other = crops(scene.image, turned(scene.corners, turn), np.array([seen]))[0]
    gap = np.abs(np.rot90(first, turn).astype(int) - other.astype(int)).mean()
    assert gap < 4
    for name in ("A@0", "Ö@3"):
        letter, quarter = parse(name)
        label = class_index(letter, quarter)
        assert _turned_label(label, -turn) == class_index(letter, quarter - turn)
    assert _turned_label(state_index("blank"), turn) == state_index("blank")


def test_labels_follow_the_truth():
    spec, scene = draw_scene(5)
    for row in range(15):
        for col in range(15):
            label = label_of(scene, spec, row, col)
            if label is None or label == state_index("unreadable"):
                continue
            symbol, quarter = parse(CLASS_NAMES[label])
            truth = scene.rows[row][col]
            if truth.isupper():
                assert (symbol, quarter) == (truth, scene.rotation[row, col])
            elif truth == ".":
                assert symbol == "."
            else:
                assert symbol in "?#"


def test_a_set_is_kept_and_used_again(tmp_path):
    first = generate(tmp_path, 1, seed=9)
    assert first.crops.shape == (len(first.labels), CROP, CROP, 3)
    assert first.crops.dtype == np.uint8
    assert len(first.labels) == len(first.seeds) > 0
    stamp = {f: f.stat().st_mtime_ns for f in tmp_path.iterdir()}
    again = generate(tmp_path, 1, seed=9)
    assert {f: f.stat().st_mtime_ns for f in tmp_path.iterdir()} == stamp
    assert (first.crops == again.crops).all()
    assert (first.labels == again.labels).all()
    held = generate(tmp_path, 1, seed=9, validation=True)
    assert not set(held.seeds) & set(first.seeds)


def test_tables_have_the_letters_of_one_language_or_of_all():
    seen = {_letters_of_a_table(np.random.default_rng(seed)) for seed in range(200)}
    assert LETTERS[:26] in seen
    assert any(set(letters) == set(LETTERS) for letters in seen)
    sets = {load_tile_set(name).shown for name in tile_set_ids()}
    assert sum(frozenset(letters) in sets for letters in seen) > 10
