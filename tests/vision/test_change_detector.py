"""Whether something was laid on a square, from a look before and one after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import weights
from models.scenes.render import render
from models.scenes.spec import BoardStyle, Light, SceneSpec, Shadow, Surface, TileStyle
from models.scenes.view import Camera
from vision.change_detector import PATCH, ChangeDetector, network_input, square_patches
from vision.errors import ModelError

NOTHING = ("." * 15,) * 15
SOME = (
    ("." * 15,) * 4
    + ("...?.......?...",)
    + ("." * 15,) * 5
    + (".?.....?....#..",)
    + ("." * 15,) * 4
)
PLACED = np.array([symbol != "." for symbol in "".join(SOME)])
ALL = np.arange(225)


@pytest.fixture(scope="module")
def watch() -> ChangeDetector:
    return ChangeDetector(weights.path("change.onnx"))


@pytest.fixture(scope="module")
def table():
    """A board whose tiles have nearly its squares' colour."""
    board = BoardStyle(
        square=Surface((196, 222, 228), "linen", 0.05),
        premiums=((206, 178, 118), (176, 120, 52), (170, 150, 226), (70, 70, 200)),
        line=(120, 140, 150),
    )
    tiles = TileStyle(surface=Surface((194, 221, 230), "plain", 0.04), ink=(30, 30, 30))
    return SceneSpec(5, board, tiles, camera=Camera(scale=40.0, tilt=6.0))


def seen(spec, rows, seed: int = 1):
    scene = render(spec, rows, np.random.default_rng(seed))
    return square_patches(scene.image, scene.corners)


@pytest.fixture(scope="module")
def bare(table):
    return seen(table, NOTHING)


@pytest.fixture(scope="module")
def placed(table):
    return seen(table, SOME, 2)


def test_blanks_as_plain_as_their_squares_are_told(watch, bare, placed):
    output = watch.log_likelihood_ratio(bare, placed, ALL)
    assert output.shape == (225,)
    assert (output[PLACED] > 2).all()
    assert (output[~PLACED] < -2).all()


def test_a_shadow_is_no_tile_nor_is_another_light(watch, table, bare):
    edge = Shadow(((-2.0, -2.0), (9.3, -2.0), (6.1, 17.0), (-2.0, 17.0)), 0.5, 0.1)
    shaded = replace(table, light=replace(table.light, shadows=(edge,)))
    output = watch.log_likelihood_ratio(bare, seen(shaded, NOTHING, 2), ALL)
    assert (output < 0).all()
    output = watch.log_likelihood_ratio(bare, seen(shaded, SOME, 2), ALL)
    assert (output[PLACED] > 0).all()
    warm = replace(table, light=Light(gain=(0.6, 0.8, 1.0), gradient=(0.4, 30.0)))
    assert (watch.log_likelihood_ratio(bare, seen(warm, NOTHING, 2), ALL) < 0).all()


def test_what_is_asked_about_does_not_change_the_answer(watch, bare, placed):
    some = np.array([63, 71, 5])
    assert np.allclose(
        watch.log_likelihood_ratio(bare, placed, some),
        watch.log_likelihood_ratio(bare, placed, ALL)[some],
        atol=1e-4,
    )
    assert watch.log_likelihood_ratio(bare, placed, np.array([], np.intp)).shape == (0,)


@pytest.mark.parametrize("turns", range(4))
def test_a_play_along_the_edge_is_no_change_of_light(turns):
    before = np.full((225, PATCH, PATCH, 3), 200, np.uint8)
    play = np.zeros((15, 15), bool)
    play[:7, 14] = True
    changed = np.rot90(play, turns).ravel()
    after = before.copy()
    after[changed] = 170
    pairs = network_input(before, after, ALL)
    assert (pairs[changed, 3:] < -0.2).all()
    assert np.abs(pairs[~changed, 3:]).max() < 0.01


def test_other_weights_are_refused(tmp_path: Path):
    with pytest.raises(ModelError, match=r"change\.onnx: no such weights"):
        ChangeDetector(tmp_path / "change.onnx")
    with pytest.raises(ModelError, match=r"tiles\.onnx: reads .* train it again"):
        ChangeDetector(weights.path("tiles.onnx"))
