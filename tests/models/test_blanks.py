"""The marks that are drawn on blanks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.scenes.blanks import MARKS, blank
from models.scenes.draw import BLANK_MARKS, random_tiles
from models.scenes.emblems import EMBLEMS

SIDE = 60


def test_each_mark_that_is_chosen_can_be_drawn() -> None:
    assert BLANK_MARKS.keys() == MARKS.keys() | {"plain"}
    assert sum(BLANK_MARKS.values()) == pytest.approx(1)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("variant", range(3))
def test_a_mark_shows(mark: str, variant: int) -> None:
    for seed in range(8):
        style = replace(random_tiles(np.random.default_rng(seed), True), blank_mark=mark)
        page = np.zeros((SIDE, SIDE), np.uint8)
        blank(page, style, "e", variant)
        assert 0.002 < page.mean() / 255 < 0.75, seed


@pytest.mark.parametrize("mark", ["corner", "logo", "emblem"])
def test_a_mark_lies_on_the_tile(mark: str) -> None:
    cut = 0
    for seed in range(30):
        style = replace(random_tiles(np.random.default_rng(seed), True), blank_mark=mark)
        page = np.zeros((SIDE, SIDE), np.uint8)
        blank(page, style, "?", 0)
        edge = np.concatenate([page[0], page[-1], page[:, 0], page[:, -1]])
        cut += bool(edge.max() > 128)
    assert cut <= 2


def test_a_mark_is_the_same_on_each_blank_of_a_set() -> None:
    style = replace(random_tiles(np.random.default_rng(4), True), blank_mark="corner")
    first, second = np.zeros((2, SIDE, SIDE), np.uint8)
    blank(first, style, "?", 0)
    blank(second, style, "?", 1)
    assert np.array_equal(first, second)


@pytest.mark.parametrize("emblem", EMBLEMS)
def test_an_emblem_fills_its_square(emblem: object) -> None:
    assert callable(emblem)
    for seed in range(30):
        points = np.concatenate(emblem(np.random.default_rng(seed)))
        assert np.abs(points).max() <= 1.15
        assert np.ptp(points, axis=0).max() > 0.9
