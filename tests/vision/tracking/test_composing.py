"""Views of a board with some of its tiles left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from game.board import SIZE, Square
from sensors.interfaces import Frame
from vision.tracking.composing import hidden, overlaid
from vision.tracking.observer import BoardObserver

LATER = ("12E", "12F", "12G", "12H")


def test_tiles_that_are_left_out_cover_none_beside_them(bench, drawn, put):
    """An unsure tile in full view stays, though so many hidden squares would make an arm."""
    known = put("8D", "RIVER")
    bench.reader.teach(drawn(known), known)
    observer = BoardObserver(bench.reader)
    observer.commit(observer.update(observer.observe([Frame(drawn(known), 0, 0)]), 1))
    after = put("12E", "GGGG", put("11H", "I", known))
    image = drawn(after, seed=1)
    bench.reader.teach(image, after)
    look = observer.observe([Frame(image, 1, 1)])
    confidence = np.array(look.reading.confidence)
    confidence[Square.parse("11H")] = 0.9
    reading = replace(look.reading, confidence=confidence, posterior=None)
    look = replace(look, reading=reading)
    shown = observer.update(look, 2)
    squares = np.zeros((SIZE, SIZE), np.bool_)
    for name in LATER:
        squares[Square.parse(name)] = True
    left = observer.update(hidden(look, squares, shown.merged.covered), 2)
    assert (shown.merged.rows[10][7], left.merged.rows[10][7]) == ("I", "I")
    assert not left.merged.covered[Square.parse("11H")]


def test_a_hand_on_the_frame_of_an_older_view_is_not_on_that_of_the_newer(bench, drawn, put):
    image = drawn(put("8D", "RIVER"))
    bench.reader.teach(image, put("8D", "RIVER"))
    look = BoardObserver(bench.reader).observe([Frame(image, 0, 0)])
    rim = np.zeros_like(look.appearance.rim)
    older = replace(look, appearance=replace(look.appearance, rim=rim))
    whole = np.ones((SIZE, SIZE), np.bool_)
    assert overlaid(look, whole, older).appearance.rim is look.appearance.rim
