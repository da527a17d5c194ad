"""The weights that ship: their classes, their size, and what they read on drawn boards."""

from __future__ import annotations

import ast
import json
from dataclasses import replace

import numpy as np
import pytest

from game.errors import TilewatchError
from models import weights
from models.scenes.render import render
from models.scenes.spec import Clutter, Light, Placement, Sensor
from models.scenes.view import Camera
from models.weights import NAMES, tile_classifiers
from table.evaluate.photographs import labelled
from tools.scenes import random_rows, random_spec
from vision.classifier import Classifier, open_session
from vision.decode import SYMBOL_ORDER, decode, turned_grid, upright_votes
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


def said_of_itself(name: str) -> dict[str, str]:
    return open_session(weights.path(name)).get_modelmeta().custom_metadata_map


def test_the_files_classes_are_ours(name, classifier):
    names = ast.literal_eval(said_of_itself(name)["names"])
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
    assert first.promise is not None
    if other is not None:  # it says how the two are pooled
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
    reported = said_of_itself(name)
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


def read_right(classifier: Classifier, image, corners, rows) -> tuple[int, list[bool]]:
    """By how many quarters the board is taken to lie turned; whether each letter is read right."""
    grid = classifier.probabilities(crops(image, corners)).reshape(15, 15, -1)
    turns = int(upright_votes(grid).argmax())
    symbols = decode(turned_grid(grid, turns)).posterior.argmax(axis=-1)
    read = [SYMBOL_ORDER[symbol] for symbol in symbols.ravel()]
    pairs = zip("".join(rows), read, strict=True)
    return turns, [letter == symbol for letter, symbol in pairs if letter.isupper()]


@pytest.mark.slow
def test_letters_of_the_stroke_face_are_read(name, classifier):
    letters = "".join(letter for letter in LETTERS if letter in classifier.letters)
    right = []
    for seed in range(40, 60):
        scene = drawn(seed, letters)
        turns, read = read_right(classifier, scene.image, scene.corners, scene.rows)
        assert turns == 0, f"board {seed} taken to lie turned"
        right += read
    assert len(right) > 500
    assert np.mean(right) > MINIMUM[name]


@pytest.mark.shared
def test_letters_of_real_boards_are_read(name, classifier, shared_dir):
    """With the corners given: the classifier alone, without the reader's second look."""
    right = []
    for photo in labelled(shared_dir / "photos"):
        if json.loads(photo.path.with_suffix(".json").read_text())["image"].startswith("q"):
            continue
        right += read_right(classifier, photo.image(), photo.corners, photo.rows)[1]
    assert np.mean(right) >= MINIMUM[name]
