"""Drawn tables and the weights that ship."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.tileset import load_tile_set
from models import weights
from models.scenes.render import render
from models.scenes.spec import Clutter, Light, Scene, Sensor
from simulation.appearance import look
from vision.classifier import Classifier
from vision.locate.locator import Locator
from vision.reader import BoardReader

EMPTY = ("." * 15,) * 15
LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@pytest.fixture(scope="session")
def locator() -> Locator:
    return Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"))


@pytest.fixture(scope="session")
def classifier() -> Classifier:
    return Classifier(weights.path("tiles.onnx"))


@pytest.fixture(scope="session")
def reader(classifier, locator) -> BoardReader:
    return BoardReader(classifier, locator, LETTERS)


@pytest.fixture(scope="session")
def spec():
    """A pleasant table in good, even light."""
    made = look(8, load_tile_set("english"))
    return replace(made, light=Light(cast=0.3), clutter=Clutter(), sensor=Sensor(blur=0.5))


def drawn(spec, rows=EMPTY, seed=1, **changes) -> Scene:
    """A picture of it, with parts changed."""
    return render(replace(spec, **changes), rows, np.random.default_rng(seed))
