"""Boards drawn to hold a promise against, and how their squares are read.

They are lettered in faces that the training never saw, and each picture is read from finding the
board on. How surely a square must be read follows by Learn then Test (Angelopoulos, Bates, Candès,
Jordan and Lei, arXiv 2110.01052): see :func:`least_certainty`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import FACE_DOWN, UNREADABLE
from models import weights
from models.scenes.faces import Face
from models.scenes.render import render
from models.scenes.spec import Scene, SceneSpec
from models.weights import tile_classifiers
from table.evaluate.photographs import plain
from tools.scenes import random_camera, random_rows, random_sensor, random_spec
from tools.scenes.system_faces import FontFile, system_faces
from tools.train.crops import shown_in_order
from tools.train.drawing import drawn
from vision.classifier import Classifier
from vision.errors import NoBoardFoundError
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.tile_sets import letters_of, readable_sets

RISK: Final = 1 / 20_000
CONFIDENCE: Final = 0.95

BASE: Final = 1 << 29
"""First seed of the boards, apart from those of every training."""

BLANKS: Final = 0.02
"""Share of blanks among a set's tiles."""

HOME: Final = "english"
_ABROAD: Final = 0.5
"""Share of the boards with tiles of another set than English."""


@dataclass(frozen=True)
class Squares:
    """How the squares of some boards were read, in any order.

    Attributes:
        certainty: float64 (N,), :attr:`vision.reading.Reading.certainty`.
        wrong: bool (N,).
        unfound: pictures in which no board was found; their squares are not among these.
    """

    certainty: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    unfound: int = 0

    def marked(self, sure: float) -> float:
        """Return the share of squares that are read less surely."""
        return float((self.certainty < sure).mean())

    def silent(self, sure: float) -> int:
        """Return how many squares are wrong although they are read as surely."""
        return int((self.wrong & (self.certainty >= sure)).sum())


def joined(parts: list[Squares]) -> Squares:
    """Return the squares of all parts."""
    return Squares(
        np.concatenate([part.certainty for part in parts]),
        np.concatenate([part.wrong for part in parts]),
        sum(part.unfound for part in parts),
    )


def binomial_tail(count: int, trials: int, share: float) -> float:
    """Return the probability of at most ``count`` successes in ``trials``, each with ``share``."""
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(share)
        + (trials - k) * math.log1p(-share)
        for k in range(count + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))


def least_certainty(
    squares: Squares, risk: float = RISK, confidence: float = CONFIDENCE
) -> float | None:
    """Return the least certainty that passes the test; None if none does.

    Args:
        squares: of boards that were drawn independently.
        risk: the largest share of all squares that may be wrong at that certainty and above.
        confidence: the probability with which this holds, over draws of the squares.
    """
    trials = len(squares.wrong)
    allowed = -1
    while binomial_tail(allowed + 1, trials, risk) <= 1 - confidence:
        allowed += 1
    if allowed < 0:
        return None
    mistakes = -np.sort(-squares.certainty[squares.wrong])
    if len(mistakes) <= allowed:
        return 0.0
    # Just above the first mistake that is one too many, as float32 tells certainties apart.
    least = float(np.nextafter(np.float32(mistakes[allowed]), np.float32(2)))
    return least if least <= 1 else None


def draw_game(
    seed: int, letters: frozenset[str], blanks: float = BLANKS
) -> tuple[str, SceneSpec, Scene]:
    """Return the tile set, the table and the scene of a seed: a game in play, any light.

    Args:
        seed: of every random number.
        letters: the set is one that has no others.
        blanks: share of the tiles.
    """
    rng = np.random.default_rng(seed)
    others = [one for one in readable_sets() if one != HOME and letters_of(one) <= letters]
    name = others[int(rng.integers(len(others)))] if rng.random() < _ABROAD else HOME
    spec = random_spec(rng)
    scale = float(np.exp(rng.uniform(np.log(26), np.log(68))))
    camera = random_camera(rng, spec.board, scale)
    pool = [path for paths in system_faces(held_out=True).values() for path in paths]
    face = Face(FontFile(pool[int(rng.integers(len(pool)))]))
    spec = replace(
        spec,
        camera=camera,
        sensor=random_sensor(rng, scale),
        tiles=replace(spec.tiles, face=face),
    )
    rows = random_rows(rng, shown_in_order(name), words=int(rng.integers(4, 29)), blanks=blanks)
    return name, spec, render(spec, rows, rng)


@lru_cache(maxsize=1)
def _parts(tiles: Path) -> tuple[Classifier, Classifier | None, Locator]:
    cv2.setNumThreads(1)
    coarse, refine = weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx")
    other = tile_classifiers(letters_of(HOME))[1]
    return Classifier(tiles), other, Locator(coarse, refine)


def _read(tiles: Path, seed: int) -> Squares:
    """Return how the board of a seed is read."""
    classifier, other, locator = _parts(tiles)
    known = classifier.letters if other is None else classifier.letters & other.letters
    name, spec, scene = draw_game(seed, known)
    try:
        reader = BoardReader(classifier, locator, letters_of(name), other=other)
        reading = reader.read(scene.image)
    except NoBoardFoundError:
        return Squares(np.zeros(0), np.zeros(0, bool), 1)
    read = np.array([[plain(symbol) for symbol in row] for row in reading.rows])
    truth = np.array([[plain(symbol) for symbol in row] for row in scene.rows])
    right = read == truth
    if spec.tiles.face_down == "plain":  # a back with no moulding of its own is a blank's face
        right |= (truth == FACE_DOWN) & (read == "?")
    wrong = ~right & (read != UNREADABLE)
    return Squares(reading.certainty.astype(np.float64).ravel(), wrong.ravel())


def read_boards(tiles: Path, first: int, count: int, processes: int, what: str) -> Squares:
    """Read the boards of so many seeds.

    Args:
        tiles: the ``.onnx`` file of the classifier; the commonest sets' other opinion goes with it.
        first: the first seed.
        count: how many boards.
        processes: how many draw and read at once.
        what: a word for the progress on stderr.
    """
    return joined(list(drawn(partial(_read, tiles), range(first, first + count), processes, what)))
