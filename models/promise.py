"""Choose how surely a square must be read to count as read: ``tilewatch train promise --help``.

Draws boards lettered in faces that the training never saw, reads each picture from finding the
board on, and chooses the least certainty above which at most 1 square in 20,000 is wrong. The
choice is by Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052), the
form of conformal risk control that holds with a stated probability: thresholds are tested one by
one from the highest down, each by the exact binomial tail of the squares that are wrong above it,
until one fails. The squares of a board are taken as independent. As many other boards then measure
what was chosen.
"""

from __future__ import annotations

import math
import shutil
import sys
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import FACE_DOWN, UNREADABLE
from models import weights
from models.crops import shown_in_order
from models.drawing import drawn
from models.measure import plain
from models.scenes import (
    Face,
    Scene,
    SceneSpec,
    random_camera,
    random_rows,
    random_sensor,
    random_spec,
    render,
)
from models.scenes.faces import system_faces
from models.tile_weights import tile_classifiers
from models.training import edited, options
from vision.classifier import Classifier
from vision.errors import NoBoardFoundError
from vision.locate.locator import Locator
from vision.promise import METADATA_KEY, Promise
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
    face = Face(path=pool[int(rng.integers(len(pool)))])
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


def _boards(tiles: Path, first: int, count: int, processes: int, what: str) -> Squares:
    return joined(list(drawn(partial(_read, tiles), range(first, first + count), processes, what)))


def copy_with(source: Path, folder: Path, key: str, value: str) -> Path:
    """Copy weights into a folder with an entry of their metadata changed; return the copy."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source.name
    shutil.copyfile(source, target)
    with edited(target) as model:
        kept = [(one.key, one.value) for one in model.metadata_props if one.key != key]
        del model.metadata_props[:]
        for entry_key, entry_value in (*kept, (key, value)):
            entry = model.metadata_props.add()
            entry.key, entry.value = entry_key, entry_value
    return target


def main(argv: list[str] | None = None) -> int:
    """Choose the certainty, measure it, and write it into a copy of the weights."""
    parser = options("promise", __doc__, scenes=500)
    parser.add_argument("--weights", type=Path, default=weights.path("tiles.onnx"), metavar="FILE")
    args = parser.parse_args(argv)
    boards = 20 if args.quick else args.scenes
    first = BASE + args.seed * (1 << 16)
    chosen = _boards(args.weights, first, boards, args.threads, "boards")
    sure = least_certainty(chosen)
    if sure is None:
        sys.stderr.write(f"no certainty is enough for 1 in {1 / RISK:.0f}; draw more boards\n")
        return 1
    check = _boards(args.weights, first + boards, boards, args.threads, "other boards")
    promise = Promise(sure, RISK, CONFIDENCE, boards)
    target = copy_with(args.weights, args.out, METADATA_KEY, promise.to_json())
    card = _card(args.weights.name, promise, args.seed, chosen, check)
    (args.out / "PROMISE_CARD.md").write_text(card, encoding="utf-8")
    sys.stderr.write(f"{target}: squares count as read from {sure:.6f} on\n")
    return 0


def _card(name: str, promise: Promise, seed: int, chosen: Squares, check: Squares) -> str:
    def row(name: str, squares: Squares) -> str:
        silent, count = squares.silent(promise.sure), len(squares.wrong)
        share = f"1 in {count // silent:,}" if silent else "none"
        return (
            f"| {name} | {count:,} | {squares.unfound} | {int(squares.wrong.sum())}"
            f" | {silent} ({share}) | {squares.marked(promise.sure):.1%} |\n"
        )

    return (
        _CARD.format(name=name, seed=seed, boards=promise.boards, sure=promise.sure)
        + row("to choose it", chosen)
        + row("to measure it", check)
    )


_CARD: Final = """# How surely a square must be read
A square counts as read from a certainty of {sure:.6f} on. Less sure ones are marked, and so are
tiles' backs, what cannot be read, and all of a picture in which 30 squares cannot, or more than 15
and more than half as many as show letters, or whose letters do not tell with 99.9% which way is up.
The figure is in the metadata of `{name}`.

`tilewatch train promise --seed {seed} --scenes {boards}` chose it so that, with 95% confidence, at
most 1 square in 20,000 is wrong and not marked, on boards drawn by our own renderer
(`models/scenes`): any table, light, camera tilt and tile set, things and hands in the way, 26 to 68
pixels a square, lettered in faces that no training saw. The method is Learn then Test
(Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052): thresholds are tested from the
highest down, each by the exact binomial tail of the squares that are wrong above it, until one
fails. It takes the squares of a board as independent. It says nothing about pictures unlike those
drawn, and nothing where more than one picture and the weights have a say: tiles that were learnt, a
picture of the empty board, a blank that somebody named.

| {boards} boards | squares | not found | wrong, at any certainty | wrong, not marked | marked |
|---|---|---|---|---|---|
"""
