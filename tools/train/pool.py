"""Fit how two classifiers' words are pooled: ``python -m tools.train pool --help``.

Draws boards lettered in faces that no training saw, finds them, and shows every square that the
first network leaves open to both, from all sides, as the reader does. A blank is favoured as far as
makes the log loss the least. As many other boards then measure it beside none.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from models import weights
from models.weights import tile_classifiers
from tools.train.crops import label_of
from tools.train.drawing import drawn
from tools.train.pool_fit import Opinions, fitted, joined, log_loss
from tools.train.promise import copy_with
from tools.train.promise_boards import BLANKS, HOME, draw_game
from tools.train.training import options
from vision.classifier import POOL_KEY, Classifier, Pool
from vision.decode import likeliest
from vision.labels import BLANK, CLASS_NAMES, state_index
from vision.locate.locator import Locator
from vision.rectify import corner_distance, rectify, turned, windows
from vision.second_look import DOUBTFUL, OtherOpinion, augmented, open_to_others, with_other
from vision.square_classifier import MOST_DOUBTFUL
from vision.tile_sets import letters_of

BASE: Final = 1 << 30
"""First seed of the boards, apart from those of every training and of the promise."""

_MORE_BLANKS: Final = 6
"""So many times as many blanks are drawn as a set has; each counts for as much less."""

_FOUND: Final = 0.3
"""Largest distance, in squares, of corners that were found from the drawn ones."""


@lru_cache(maxsize=1)
def _networks() -> tuple[Classifier, Classifier, Locator]:
    cv2.setNumThreads(1)
    coarse, refine = weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx")
    first, other = tile_classifiers(letters_of(HOME))
    assert other is not None  # it knows English
    return first, other, Locator(coarse, refine)


def _seen(seed: int) -> Opinions:
    """Return what both say of the open squares of a seed's board; of none if it is not found."""
    first, second, locator = _networks()
    other = OtherOpinion(second, first.letters)
    _, spec, scene = draw_game(seed, first.letters & second.letters, _MORE_BLANKS * BLANKS)
    nothing = np.zeros((0, len(CLASS_NAMES)), np.float32)
    none = Opinions(nothing, nothing, np.zeros(0, np.intp), np.zeros(0))
    found = locator.candidates(scene.image)
    poses = [turned(one.corners, turns) for one in found for turns in range(4)]
    if not poses:
        return none
    nearest = min(poses, key=lambda pose: float(np.abs(pose - scene.corners).max()))
    if corner_distance(nearest, scene.corners) > _FOUND:
        return none
    board = rectify(scene.image, nearest)
    grid = first.probabilities(windows(board))
    read, _ = with_other(grid, board, other, np.zeros(len(grid), bool))
    if (likeliest(read) < DOUBTFUL).sum() > MOST_DOUBTFUL:
        return none  # of so bad a picture the reader takes no second look either
    labels = [label_of(scene, spec, *divmod(square, 15)) for square in range(len(grid))]
    known = np.array([label is not None for label in labels])
    squares = np.flatnonzero(open_to_others(grid) & known)
    if not len(squares):
        return none
    own = augmented(first, board, squares, grid[squares])
    theirs = other.from_all_sides(windows(board, squares))
    shown = np.array([labels[square] for square in squares], np.intp)
    counts = np.where(shown == state_index(BLANK), 1 / _MORE_BLANKS, 1.0)
    return Opinions(own, theirs, shown, counts)


def main(argv: list[str] | None = None) -> int:
    """Fit the pool, measure it, and write it into a copy of the second classifier's weights."""
    parser = options("pool", __doc__, scenes=400)
    args = parser.parse_args(argv)
    boards = 10 if args.quick else args.scenes
    first = BASE + args.seed * (1 << 16)
    seeds = range(first, first + 2 * boards)
    seen = list(drawn(_seen, seeds, args.threads, "boards"))
    pool = fitted(joined(seen[:boards]))
    check = joined(seen[boards:])
    target = copy_with(weights.path("tiles_common.onnx"), args.out, POOL_KEY, pool.to_json())
    none, now = log_loss(Pool(), check), log_loss(pool, check)
    sys.stderr.write(
        f"{target}: {pool.to_json()}; log loss on {len(check.labels):,} squares of {boards} other"
        f" boards {now:.1f}, with none {none:.1f}\n"
    )
    return 0
