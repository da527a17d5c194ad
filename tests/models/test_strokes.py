"""Every shipped set has its letters, with the marks over, under and across them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.tile_symbols import SYMBOL_OF, TEXT_OF
from game.tileset import load_tile_set, tile_set_ids
from models.scenes import faces
from models.scenes.faces import CAP, Face, glyph
from models.scenes.spec import Placement
from models.scenes.strokes import ABOVE, BELOW, PLAIN, marked
from models.scenes.tiles import lay, letter
from vision.labels import LETTERS
from vision.tile_sets import readable_sets


@pytest.mark.parametrize("char", sorted(PLAIN))
def test_a_mark_is_added_and_the_letter_left_as_it_is(char):
    plain = glyph(Face(), PLAIN[char])
    ink, baseline = marked(char, plain.mask, plain.baseline)
    assert ink.sum() > plain.mask.sum() * 1.02
    above = baseline - plain.baseline
    below = len(ink) - len(plain.mask) - above
    if char in ABOVE:
        assert 0.1 * CAP < above < 0.6 * CAP
        assert below == 0
    elif char in BELOW:
        assert above == 0
        assert 0.1 * CAP < below < 0.4 * CAP
    elif char == "Ø":
        assert 0 < above < 0.15 * CAP
        assert 0 < below < 0.15 * CAP
    elif char == "Ľ":
        assert ink.shape[1] >= plain.mask.shape[1] - 1
        assert below == 0
    else:
        assert above == below == 0
        assert ink.shape[1] > plain.mask.shape[1]
    assert ink[0].any()
    assert ink[-1].any()


def test_a_font_without_the_letter_gets_the_mark_of_our_own(monkeypatch):
    box = np.full((90, 60), 255, np.uint8)
    stem = np.zeros((CAP, 50), np.uint8)
    stem[:, :12] = stem[-12:] = 255

    def drawn(_path, char):
        return (stem.copy(), CAP) if char == "L" else (box.copy(), 90)

    monkeypatch.setattr(faces, "_truetype", drawn)
    glyph.cache_clear()
    try:
        ink = glyph(Face(path="a.ttf"), "Ł")
        assert ink.mask.shape[1] > 50
        assert ink.baseline == CAP
        assert np.array_equal(glyph(Face(path="a.ttf"), "L").mask, stem)
    finally:
        glyph.cache_clear()


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
