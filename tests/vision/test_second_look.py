"""A second classifier's opinion of crops in doubt, and the pool of two opinions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from game.tile_symbols import SYMBOL_OF
from vision.classifier import Pool, parse_pool
from vision.labels import BLANK, CLASS_NAMES, EMPTY, LETTERS, UNREADABLE, class_index, state_index
from vision.second_look import OtherOpinion, augmented, with_other

ENGLISH = frozenset(LETTERS[:26])
BOARD = np.zeros((652, 652, 3), np.uint8)
NONE = np.zeros(225, bool)


class Sure:
    """A classifier that sees the same on every crop; letters turn with it."""

    letters = frozenset(LETTERS)
    pool = None

    def __init__(self, **shares):
        self.shares = shares
        self.crops = 0

    def probabilities(self, crops):
        self.crops += len(crops)
        out = np.full((4, len(CLASS_NAMES)), 1e-6, np.float32)
        for turn in range(4):
            for name, share in self.shares.items():
                at = state_index(name) if name in (BLANK, UNREADABLE) else class_index(name, turn)
                out[turn, at] = share
        out /= out.sum(axis=1, keepdims=True)
        sides = {3: [1, 2, 3], 5: [1, 2, 3, 0, 0]}  # the other ones at once, and two shifted
        turns = sides.get(len(crops), [0] * len(crops))
        return out[turns]


def pooled(own, theirs):
    first = own.probabilities(np.zeros((1, 64, 64, 3), np.uint8))
    other = OtherOpinion(theirs, ENGLISH)
    return augmented(own, BOARD, np.array([112]), first, other)[0]


@pytest.mark.parametrize(
    ("letter", "stands_for"),
    [
        ("A", class_index("A", 0)),
        ("Ş", class_index("S", 0)),
        ("Đ", class_index("D", 0)),
        (SYMBOL_OF["CH"], state_index(BLANK)),
    ],
)
def test_letters_of_other_sets_count_for_what_they_are_in_this_one(letter, stands_for):
    other = OtherOpinion(Sure(**{letter: 1.0}), ENGLISH)
    seen = other.probabilities(np.zeros((1, 64, 64, 3), np.uint8))[0]
    assert seen[stands_for] > 0.99
    assert seen.sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("own", "theirs", "symbol", "share"),
    [
        # How likely a blank is, is for the first to tell: it was shown blanks of many makes.
        ({"H": 0.8, "blank": 0.2}, {"H": 1.0}, BLANK, 0.2),
        ({"H": 0.8, "blank": 0.2}, {"H": 0.5, "blank": 0.5}, BLANK, 0.2),
        ({"blank": 0.5, "H": 0.3, "L": 0.2}, {"H": 1.0}, BLANK, 0.5),
        # What is covered is no blank by the word of the second.
        ({"unreadable": 0.5, "H": 0.3, "L": 0.2}, {"blank": 1.0}, UNREADABLE, 0.5),
    ],
)
def test_how_likely_no_letter_is_is_for_the_first_to_tell(own, theirs, symbol, share):
    seen = pooled(Sure(**own), Sure(**theirs))
    assert seen[state_index(symbol)] == pytest.approx(share, abs=0.08 if share == 0.2 else 0.05)


def test_what_is_no_letter_to_the_second_is_likelier_a_blank():
    """Though it has no say on blanks."""
    own, both = Sure(H=0.8, blank=0.2), Sure(L=0.6, M=0.4)
    assert pooled(own, both)[state_index(BLANK)] > 0.9


def test_what_a_file_says_of_the_pool_counts():
    theirs = Sure(H=1.0)
    theirs.pool = Pool(2.0)
    seen = pooled(Sure(H=0.8, blank=0.2), theirs)
    assert seen[state_index(BLANK)] > 0.5


def test_letters_that_two_networks_take_for_one_another_are_doubtful():
    grid = np.tile(Sure(C=0.99, G=0.01).probabilities(np.zeros((1, 64, 64, 3), np.uint8)), (225, 1))
    both, _ = with_other(grid, BOARD, OtherOpinion(Sure(G=0.99, C=0.01), ENGLISH), NONE)
    assert both[:, class_index("C", 0)] == pytest.approx(0.5, abs=0.02)
    bare = np.zeros_like(grid)
    bare[:, state_index(EMPTY)] = 1
    both, _ = with_other(bare, BOARD, OtherOpinion(Sure(G=1.0), ENGLISH), NONE)
    assert both == pytest.approx(bare)


def test_the_second_is_not_asked_about_the_surest_tiles():
    asked = Sure(G=1.0)
    grid = np.zeros((225, len(CLASS_NAMES)), np.float32)
    grid[:, class_index("C", 0)] = 0.99995
    grid[:, class_index("G", 0)] = 0.00005
    both, _ = with_other(grid, BOARD, OtherOpinion(asked, ENGLISH), NONE)
    assert both == pytest.approx(grid)
    assert asked.crops == 0
    grid[7] = 0
    grid[7, class_index("C", 0)], grid[7, class_index("G", 0)] = 0.999, 0.001
    with_other(grid, BOARD, OtherOpinion(asked, ENGLISH), NONE)
    assert asked.crops == 1


def test_a_blank_of_the_second_makes_a_letter_doubtful_and_no_other_symbol():
    seen = pooled(Sure(H=0.8, L=0.2), Sure(blank=1.0))
    assert seen.argmax() == class_index("H", 0)
    assert seen.max() < 0.6


def test_of_unsure_letters_both_have_a_say():
    seen = pooled(Sure(H=0.55, M=0.45), Sure(M=0.9, H=0.1))
    assert seen[class_index("M", 0)] > seen[class_index("H", 0)] > 0.2


def test_nobody_is_asked_twice_about_the_same_crop():
    own, theirs = Sure(H=0.55, M=0.45), Sure(M=0.9, H=0.1)
    grid = np.tile(own.probabilities(np.zeros((1, 64, 64, 3), np.uint8)), (225, 1))
    other, own.crops = OtherOpinion(theirs, ENGLISH), 0
    both, upright = with_other(grid, BOARD, other, np.arange(225) != 112)
    seen = augmented(own, BOARD, np.array([112]), both[[112]], other, upright[[112]])[0]
    assert own.crops == 5, "the other sides, and shifted"
    assert theirs.crops == 4, "all sides"
    again = augmented(own, BOARD, np.array([112]), both[[112]], other)[0]
    assert again == pytest.approx(seen)


def test_without_a_second_the_first_one_is_right():
    own = Sure(H=0.6, M=0.4)
    first = own.probabilities(np.zeros((1, 64, 64, 3), np.uint8))
    seen = augmented(own, BOARD, np.array([112]), first)[0]
    assert seen[class_index("H", 0)] == pytest.approx(0.6, abs=0.02)


H, M, NO_TILE = class_index("H", 0), class_index("M", 0), state_index(UNREADABLE)
NO_LETTER = state_index(BLANK)


def opinion(**shares: float) -> np.ndarray:
    out = np.full((1, len(CLASS_NAMES)), 1e-9, np.float32)
    for name, share in shares.items():
        at = state_index(name) if name in (BLANK, UNREADABLE) else class_index(name, 0)
        out[0, at] = share
    return out / out.sum()


def test_both_have_the_same_say_on_letters():
    pool = Pool(0.4)
    one, other = opinion(H=0.9, M=0.1), opinion(H=0.2, M=0.8)
    assert pool.of(one, other) == pytest.approx(pool.of(other, one), abs=1e-6)


def test_the_second_has_no_say_on_blanks_and_on_what_is_covered():
    pool = Pool(0.3)
    own = opinion(H=0.5, blank=0.3, unreadable=0.2)
    for name in (BLANK, UNREADABLE):
        pooled = [pool.of(own, opinion(H=0.4, **{name: share})) for share in (0.1, 0.5)]
        odds = [float(one[0, state_index(name)] / one[0, H]) for one in pooled]
        assert odds[1] / odds[0] == pytest.approx((0.5 / 0.9) ** -0.5, rel=0.3)
        assert pooled[0][0, NO_LETTER] / pooled[0][0, NO_TILE] == pytest.approx(
            pooled[1][0, NO_LETTER] / pooled[1][0, NO_TILE], rel=1e-3
        )


def test_a_blanks_own_term_favours_it():
    own = opinion(H=0.5, blank=0.5)
    plain, more = (Pool(blank).of(own, own)[0, NO_LETTER] for blank in (0.0, 0.5))
    assert plain == pytest.approx(0.5, abs=1e-3)
    assert more == pytest.approx(1 / (1 + np.exp(-0.5)), abs=1e-3)


def test_pooled_probabilities_sum_to_one_and_are_none_below_zero():
    """Even of a first opinion that is a hair surer than sure."""
    own = np.zeros((1, len(CLASS_NAMES)), np.float32)
    own[0, NO_LETTER] = np.nextafter(np.float32(1), np.float32(2))
    pooled = Pool().of(own, opinion(H=1.0))
    assert pooled.min() >= 0
    assert pooled.sum() == pytest.approx(1, abs=1e-6)


def test_a_pool_comes_back_from_its_json():
    pool = Pool(-0.2)
    assert parse_pool(pool.to_json()) == pool


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"both": 0.5}',
        json.dumps({"blank": float("nan")}),
        json.dumps({"blank": "no"}),
    ],
)
def test_what_is_no_pool_is_none(text):
    assert parse_pool(text) is None
