"""The marks that are drawn on blanks."""

from __future__ import annotations

import numpy as np
import pytest

from tools.scenes.blank_marks import MARKS
from tools.scenes.draw import BLANK_MARKS, random_tiles
from tools.scenes.emblems import EMBLEMS

SIDE = 60


def test_each_mark_that_is_chosen_can_be_drawn() -> None:
    assert BLANK_MARKS.keys() == MARKS.keys() | {"plain"}
    assert sum(BLANK_MARKS.values()) == pytest.approx(1)


def drawn(mark: str, seed: int, symbol: str = "?", variant: int = 0) -> np.ndarray:
    style = random_tiles(np.random.default_rng(seed), True)
    page = np.zeros((SIDE, SIDE), np.uint8)
    MARKS[mark](page, style, symbol, variant)
    return page


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("variant", range(3))
def test_a_mark_shows(mark: str, variant: int) -> None:
    for seed in range(8):
        assert 0.002 < drawn(mark, seed, "e", variant).mean() / 255 < 0.75, seed


@pytest.mark.parametrize("mark", ["corner", "logo", "emblem"])
def test_a_mark_lies_on_the_tile(mark: str) -> None:
    pages = [drawn(mark, seed) for seed in range(30)]
    edges = [np.concatenate([page[0], page[-1], page[:, 0], page[:, -1]]) for page in pages]
    assert sum(edge.max() > 128 for edge in edges) <= 2


def test_a_mark_is_the_same_on_each_blank_of_a_set() -> None:
    assert np.array_equal(drawn("corner", 4), drawn("corner", 4, variant=1))


@pytest.mark.parametrize("emblem", EMBLEMS)
def test_an_emblem_fills_its_square(emblem: object) -> None:
    assert callable(emblem)
    for seed in range(30):
        points = np.concatenate(emblem(np.random.default_rng(seed)))
        assert np.abs(points).max() <= 1.15
        assert np.ptp(points, axis=0).max() > 0.9
