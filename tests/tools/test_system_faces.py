"""Font files that lack a letter of the sets get its mark from our own strokes."""

from __future__ import annotations

import numpy as np
import pytest

from models.scenes.faces import CAP, Face, glyph
from models.scenes.strokes import ABOVE, BELOW, PLAIN
from tools.scenes import system_faces
from tools.scenes.system_faces import FontFile, marked


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

    monkeypatch.setattr(system_faces, "_truetype", drawn)
    glyph.cache_clear()
    try:
        ink = glyph(Face(FontFile("a.ttf")), "Ł")
        assert ink.mask.shape[1] > 50
        assert ink.baseline == CAP
        assert np.array_equal(glyph(Face(FontFile("a.ttf")), "L").mask, stem)
    finally:
        glyph.cache_clear()
