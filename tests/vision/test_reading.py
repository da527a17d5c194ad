"""A reading marks the squares in doubt, and is sure of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.board import Square
from tests.readerkit import reading_of
from vision.promise import Promise, parse_promise
from vision.reading import Reading

PROMISE = Promise(sure=0.999, risk=1 / 20_000, confidence=0.95, boards=500)


def reading(**certainty: float) -> Reading:
    confidence = np.ones((15, 15), np.float32)
    rows = [["."] * 15 for _ in range(15)]
    for name, sure in certainty.items():
        square = Square.parse(name.removeprefix("s"))
        confidence[square] = sure
        rows[square.row][square.col] = "A" if sure > 0.6 else "~"
    return reading_of(["".join(row) for row in rows], confidence=confidence)


def test_squares_that_are_not_sure_enough_are_marked():
    seen = replace(reading(s8H=0.9995, s8I=0.998, s1A=0.3), promise=PROMISE)
    assert [square.name for square in seen.marked] == ["1A", "8I"]


def test_backs_are_marked_however_sure_they_are():
    seen = reading(s8H=1.0)
    seen = replace(seen, rows=("#" + "." * 14, *seen.rows[1:]), promise=PROMISE)
    assert [square.name for square in seen.marked] == ["1A"]


def test_all_of_a_bad_picture_is_marked():
    bad = {f"s{row}{col}": 0.2 for row in range(1, 4) for col in "ABCDEFGHIJ"}
    assert len(replace(reading(**bad), promise=PROMISE).marked) == 225
    few = dict(list(bad.items())[:15])
    assert len(replace(reading(**few), promise=PROMISE).marked) == 15
    some = dict(list(bad.items())[:16])
    assert len(replace(reading(**some), promise=PROMISE).marked) == 225
    letters = {f"s{row}{col}": 1.0 for row in range(5, 9) for col in "ABCDEFGHIJ"}
    assert len(replace(reading(**some, **letters), promise=PROMISE).marked) == 16


def test_letters_that_do_not_tell_which_way_is_up_mark_all():
    seen = replace(reading(s8H=1.0), promise=PROMISE, upright=0.8)
    assert len(seen.marked) == 225
    assert replace(reading(), promise=PROMISE, upright=0.25).marked == ()


def test_weights_without_a_promise_mark_nothing():
    assert reading(s8H=0.3).marked == ()


def test_a_promise_goes_through_the_metadata():
    assert parse_promise(PROMISE.to_json()) == PROMISE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '{"sure": 0.9}',
        '{"sure": 2, "risk": 0.1, "confidence": 0.9, "boards": 5}',
        '{"sure": "x", "risk": 0.1, "confidence": 0.9, "boards": 5}',
        '{"sure": null, "risk": 0.1, "confidence": 0.9, "boards": 5}',
        '{"sure": 0.9, "risk": 0, "confidence": 0.9, "boards": 5}',
        '{"sure": 0.9, "risk": 0.1, "confidence": 0.9, "boards": NaN}',
        '{"sure": 0.9, "risk": 0.1, "confidence": 0.9, "boards": Infinity}',
        '{"sure": NaN, "risk": 0.1, "confidence": 0.9, "boards": 5}',
    ],
)
def test_what_cannot_be_read_is_no_promise(text):
    assert parse_promise(text) is None


def guessed(row: str, guesses: dict[str, tuple[tuple[str, float], ...]]) -> Reading:
    named = {Square.parse(name): found for name, found in guesses.items()}
    seen = reading()
    return replace(seen, rows=(row, *seen.rows[1:]), guesses=named)


def test_an_unread_square_shows_what_is_likelier_than_all_else():
    likely, even = (("T", 0.55), ("I", 0.4)), (("E", 0.45), ("F", 0.44))
    seen = guessed("CA~~~~.........", {"1C": likely, "1D": even, "1E": (), "1F": (("?", 0.02),)})
    assert seen.likeliest[0] == "CAT~~~........."
    assert seen.rows[0] == "CA~~~~........."


def test_a_guess_that_is_shown_stays_in_doubt():
    seen = guessed("~..............", {"1A": (("T", 0.55),)})
    assert seen.likeliest[0][0] == "T"
    assert seen.certainty[0, 0] == 0


def test_what_was_read_is_not_replaced():
    seen = guessed("T..............", {"1A": (("I", 0.55),)})
    assert seen.likeliest == seen.rows
