"""Every letter of every set can be drawn, is a class of its own, and looks like no other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.tile_symbols import SYMBOL_OF, TEXT_OF
from game.tileset import load_tile_set, tile_set_ids
from models.scenes.faces import CAP, Face, glyph
from models.scenes.spec import Placement
from models.scenes.tiles import lay, letter
from vision.labels import LETTERS
from vision.tile_sets import readable_sets

FACES = (Face(), Face(weight=0.24, round_caps=False), Face(form=7, square=1.0, weight=0.1))


def test_every_shipped_set_can_be_read():
    assert readable_sets() == tile_set_ids()
    assert len(set(LETTERS)) == len(LETTERS)
    shown = frozenset().union(*(load_tile_set(name).shown for name in tile_set_ids()))
    assert frozenset(LETTERS[26:]) <= shown


@pytest.mark.parametrize("face", FACES)
def test_no_two_letters_are_drawn_alike(face):
    pages = {}
    for symbol in LETTERS:
        page = np.zeros((60, 60), np.uint8)
        letter(page, face, symbol, 0.5, (0.46, 0.48))
        assert page.max() > 200, TEXT_OF.get(symbol, symbol)
        pages[symbol] = page.astype(int)
    for one, other in itertools.combinations(LETTERS, 2):
        assert np.abs(pages[one] - pages[other]).sum() > 1500, (one, other)


def test_several_letters_stand_side_by_side_on_one_line():
    both, alone = glyph(Face(), SYMBOL_OF["CH"]), glyph(Face(), "C")
    assert abs(both.baseline - CAP) <= 1
    assert abs(alone.baseline - CAP) <= 1
    assert both.mask.shape[1] > 1.6 * alone.mask.shape[1]


def test_pushed_tiles_are_up_to_four_tenths_off_and_no_more():
    rows = ("ABCDEFGHIJKLMNO",) * 15
    _, _, offsets = lay(rows, Placement(shift=0.0, sloppy=0.0, pushed=0.5), 1, None)
    most = np.abs(offsets[..., :2]).max(axis=-1)
    assert 0.3 < np.mean(most > 0.29) < 0.7
    assert most.max() <= 0.42 + 1e-6
