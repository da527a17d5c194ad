"""The pool of two classifiers' opinions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vision.labels import BLANK, CLASS_NAMES, UNREADABLE, class_index, state_index
from vision.pool import Pool, parse_pool

H, M, NO_TILE = class_index("H", 0), class_index("M", 0), state_index(UNREADABLE)
NONE = state_index(BLANK)


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
        assert pooled[0][0, NONE] / pooled[0][0, NO_TILE] == pytest.approx(
            pooled[1][0, NONE] / pooled[1][0, NO_TILE], rel=1e-3
        )


def test_a_blanks_own_term_favours_it():
    own = opinion(H=0.5, blank=0.5)
    plain, more = (Pool(blank).of(own, own)[0, NONE] for blank in (0.0, 0.5))
    assert plain == pytest.approx(0.5, abs=1e-3)
    assert more == pytest.approx(1 / (1 + np.exp(-0.5)), abs=1e-3)


def test_pooled_probabilities_sum_to_one_and_are_none_below_zero():
    """Even of a first opinion that is a hair surer than sure."""
    own = np.zeros((1, len(CLASS_NAMES)), np.float32)
    own[0, NONE] = np.nextafter(np.float32(1), np.float32(2))
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
