"""The weights that ship: their classes, their size, and what they read on drawn boards."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from game.errors import TilewatchError
from models import weights
from models.measure import labelled
from models.scenes import (
    Camera,
    Clutter,
    Light,
    Placement,
    Sensor,
    random_rows,
    random_spec,
    render,
)
from models.tile_weights import NAMES, tile_classifiers
from vision.classifier import Classifier, open_session
from vision.decode import decode, turned_grid, upright_votes
from vision.labels import CLASS_NAMES, LETTERS
from vision.rectify import crops
from vision.tile_sets import letters_of

MINIMUM = {"tiles.onnx": 0.97, "tiles_common.onnx": 0.97}
"""Share of letters that must be right on boards in good light, lettered in our own stroke face
with values, whatever their colours and of whatever set. Ink that hardly differs from its tile is
part of it."""

CARDS = {"tiles.onnx": "MODEL_CARD.md", "tiles_common.onnx": "TILES_COMMON_CARD.md"}


@pytest.fixture(scope="module", params=NAMES)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def classifier(name) -> Classifier:
    return Classifier(weights.path(name))


def test_missing_weights_are_named():
    with pytest.raises(TilewatchError, match=r"nothing\.onnx: no such weights"):
        weights.path("nothing.onnx")


def test_the_files_classes_are_ours(name, classifier):
    import ast

    session = open_session(weights.path(name))
    reported = session.get_modelmeta().custom_metadata_map
    names = ast.literal_eval(reported["names"])
    known = tuple(names[i] for i in range(len(names)))
    assert set(known) <= set(CLASS_NAMES)
    assert len(known) == 4 * len(classifier.letters) + 4
    assert weights.path(name).stat().st_size < 4_000_000


def test_the_weights_know_every_letter_and_the_others_the_commonest_sets():
    wide, narrow = (Classifier(weights.path(one)) for one in NAMES)
    assert wide.letters == frozenset(LETTERS)
    for tile_set in ("english", "french", "german", "italian", "polish", "romanian"):
        assert letters_of(tile_set) <= narrow.letters


@pytest.mark.parametrize(
    ("tile_set", "common"),
    [("english", True), ("polish", True), ("spanish", False), ("czech", False)],
)
def test_each_set_is_read_by_weights_that_know_it(tile_set, common):
    first, other = tile_classifiers(letters_of(tile_set))
    assert letters_of(tile_set) <= first.letters
    assert (other is not None) == common


def test_the_others_say_how_they_are_pooled():
    first, other = tile_classifiers(letters_of("english"))
    assert first.promise is not None
    assert other is not None
    assert other.pool is not None
    assert 0 < other.pool.blank < 1


def test_letters_that_the_weights_do_not_know_have_no_probability():
    narrow = Classifier(weights.path("tiles_common.onnx"))
    noise = np.random.default_rng(0).integers(0, 256, (5, 64, 64, 3)).astype(np.uint8)
    seen = narrow.probabilities(noise)
    assert seen.shape == (5, len(CLASS_NAMES))
    unknown = [at for at, one in enumerate(CLASS_NAMES[:-4]) if one[0] not in narrow.letters]
    assert len(unknown) > 100
    assert not seen[:, unknown].any()


def test_the_card_is_that_of_these_weights(name):
    session = open_session(weights.path(name))
    reported = session.get_modelmeta().custom_metadata_map
    card = weights.path(CARDS[name]).read_text(encoding="utf-8")
    made = " ".join(f"--{key} {reported[key]}" for key in ("seed", "scenes", "epochs", "again"))
    begun = made.replace(f"--epochs {reported['epochs']}", "--start DIR")
    assert made in card or begun in card
    assert f"{float(reported['temperature']):.3f}" in card


def test_probabilities_are_probabilities(classifier):
    noise = np.random.default_rng(0).integers(0, 256, (7, 64, 64, 3)).astype(np.uint8)
    p = classifier.probabilities(noise)
    assert p.shape == (7, len(CLASS_NAMES))
    assert np.allclose(p.sum(axis=1), 1, atol=1e-4)
    assert classifier.probabilities(noise[:0]).shape == (0, len(CLASS_NAMES))


def drawn(seed: int, letters: str):
    """A board of any colours in good light, seen from any side."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, plain_only=True)
    spec = replace(
        spec,
        tiles=replace(
            spec.tiles,
            face=replace(spec.tiles.face, stencil=False, slant=0.0),
            digit="right",
            foreign=0.0,
        ),
        placement=Placement(0.02, 1.0),
        light=Light(),
        camera=Camera(760, 760, tilt=12, azimuth=seed * 40, roll=seed * 77, scale=33),
        clutter=Clutter(),
        sensor=Sensor(blur=0.6, noise=2.0, jpeg=90),
    )
    return render(spec, random_rows(rng, letters, words=14, blanks=0.0), rng)


@pytest.mark.slow
def test_letters_of_the_stroke_face_are_read(name, classifier):
    right = total = 0
    letters = "".join(letter for letter in LETTERS if letter in classifier.letters)
    for seed in range(40, 60):
        scene = drawn(seed, letters)
        grid = classifier.probabilities(crops(scene.image, scene.corners))
        grid = grid.reshape(15, 15, -1)
        turns = int(upright_votes(grid).argmax())
        assert turns == 0, f"board {seed} taken to lie turned"
        symbols = decode(turned_grid(grid, turns)).posterior.argmax(axis=-1)
        from vision.decode import SYMBOL_ORDER

        for row in range(15):
            for col in range(15):
                if scene.rows[row][col] != ".":
                    total += 1
                    right += SYMBOL_ORDER[symbols[row, col]] == scene.rows[row][col]
    assert total > 500
    assert right / total > MINIMUM[name]


@pytest.mark.shared
def test_letters_of_real_boards_are_read(name, classifier, shared_dir):
    """With the corners given: the classifier alone, without the reader's second look."""
    right = total = 0
    for photo in labelled(shared_dir / "photos"):
        if json.loads(photo.path.with_suffix(".json").read_text())["image"].startswith("q"):
            continue
        grid = classifier.probabilities(crops(photo.image(), photo.corners)).reshape(15, 15, -1)
        turns = int(upright_votes(grid).argmax())
        symbols = decode(turned_grid(grid, turns)).posterior.argmax(axis=-1)
        from vision.decode import SYMBOL_ORDER

        for row in range(15):
            for col in range(15):
                if photo.rows[row][col].isupper():
                    total += 1
                    right += SYMBOL_ORDER[symbols[row, col]] == photo.rows[row][col]
    assert right / total >= MINIMUM[name]
