"""A reading marks the squares in doubt, and the tiles that are not of the set in play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.board import Square
from game.errors import TilewatchError
from game.tileset import load_tile_set, tile_set_ids
from tests.readerkit import reading_of
from vision.classifier import Promise, parse_promise
from vision.decode import SYMBOL_ORDER
from vision.labels import CLASS_NAMES, LETTERS, class_index, state_index
from vision.reading import Reading, without
from vision.tile_sets import letters_of, readable_sets, strangers

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
    assert replace(seen, promise=None).marked == ()


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


def test_a_guess_that_is_shown_stays_in_doubt_and_replaces_nothing_that_was_read():
    seen = guessed("~..............", {"1A": (("T", 0.55),)})
    assert (seen.likeliest[0][0], seen.certainty[0, 0]) == ("T", 0)
    read = guessed("T..............", {"1A": (("I", 0.55),)})
    assert read.likeliest == read.rows


AT = Square(3, 4)
LATIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def grid_of(square, **shares):
    """An empty board but for one square, which may be these letters, upright."""
    grid = np.zeros((15, 15, len(CLASS_NAMES)), np.float32)
    grid[..., state_index("empty")] = 1
    grid[square] = 0
    for letter, share in shares.items():
        grid[(*square, class_index(letter, 0))] = share
    return grid


@pytest.mark.parametrize("id_", tile_set_ids())
def test_a_set_is_read_or_refused_by_the_letters_that_are_unknown(id_):
    tiles = load_tile_set(id_)
    unknown = [letter for letter in tiles.shown if letter not in LETTERS]
    assert (id_ in readable_sets()) == (not unknown)
    if not unknown:
        assert letters_of(id_) == tiles.shown
        return
    with pytest.raises(TilewatchError, match="cannot be read by these weights") as refused:
        letters_of(id_)
    assert all(tiles.text(letter) in str(refused.value) for letter in unknown)


def test_a_letter_of_another_set_is_a_stranger():
    grid = grid_of(AT, W=0.9995, V=0.0005)
    assert strangers(grid, LATIN - {"W"}) == {AT: "W"}
    assert strangers(grid, LATIN) == {}
    assert strangers(grid, None) == {}


def test_several_likely_strangers_are_another_set():
    grid = grid_of(AT, W=0.97, V=0.03)
    assert strangers(grid, LATIN - {"W"}) == {}
    for col in (6, 8):
        grid[3, col] = grid[AT]
    assert set(strangers(grid, LATIN - {"W"}).values()) == {"W"}
    assert len(strangers(grid, LATIN - {"W"})) == 3


@pytest.mark.parametrize(
    ("shares", "allowed"),
    [
        ({"Q": 0.97, "O": 0.03}, LATIN - {"Q"}),  # a bad picture of an O
        ({"W": 0.6, "V": 0.4}, LATIN - {"W"}),  # in doubt: the set decides
        ({"Ä": 0.99}, LATIN),  # dirt over an A
        ({"Ł": 0.99}, LATIN),
    ],
)
def test_what_may_be_a_letter_of_the_set_is_no_stranger(shares, allowed):
    assert strangers(grid_of(AT, **shares), allowed) == {}


def test_a_stranger_is_left_unread_and_named():
    posterior = np.zeros((15, 15, len(SYMBOL_ORDER)), np.float32)
    posterior[AT][SYMBOL_ORDER.index("V")] = 1
    rows = tuple("." * 4 + "V" + "." * 10 if row == AT.row else "." * 15 for row in range(15))
    reading = reading_of(rows, posterior=posterior)
    left = without(reading, {AT: "W"})
    assert left.symbol(AT) == "~"
    assert [(f.code, f.square) for f in left.findings] == [("uncertain_square", "4E")]
    assert "W" in left.findings[0].detail
    assert left.posterior is not None
    assert left.posterior[AT].argmax() == SYMBOL_ORDER.index("~")
    assert without(reading, {}) is reading
