"""Tiles that may lie face down, from one sighting to the next."""

from __future__ import annotations

import pytest

from game.board import Square
from tests.vision.tracking.trackerkit import PLACE, after, looks, merged_after

BACK_OR_X = {"X": 0.79, "#": 0.11, "Y": 0.09}


def test_a_tile_that_may_be_a_back_is_no_letter():
    look = looks(PLACE)
    (merged,) = list(merged_after(({".": 1.0}, looks()), (BACK_OR_X, look)))[1:]
    square = Square.parse(PLACE)
    assert merged.rows[square.row][square.col] == "#"
    (doubt,) = merged.doubts
    assert (doubt.code, doubt.square) == ("face_down", PLACE)
    assert "X" in doubt.detail


def test_the_same_unsure_reading_in_other_lights_makes_no_letter_of_a_back():
    lights = [looks(PLACE, by=by) for by in (0.7, 0.6, 0.5, 0.65, 0.55)]
    shown = after(({".": 1.0}, looks()), *((BACK_OR_X, light) for light in lights))
    assert [symbol for symbol, *_ in shown[1:]] == ["#"] * 5
    assert not any(corrections for *_, corrections in shown)


def test_a_tile_that_may_be_a_back_is_a_letter_once_it_surely_reads_as_one():
    shown = after(
        ({".": 1.0}, looks()),
        (BACK_OR_X, looks(PLACE)),
        ({"E": 0.999}, looks(PLACE, by=0.4)),
    )
    assert shown[2][0] == "E"


@pytest.mark.parametrize("later", ["M", "E"])
def test_a_back_that_passes_for_a_blank_is_asked_about_as_one(later):
    """Counted as a blank, it would count as the letter that is turned up after the press."""
    shown = after(
        ({".": 1.0}, looks()),
        ({"?": 0.71, "#": 0.29}, looks(PLACE)),
        ({later: 0.999}, looks(PLACE, by=0.4)),
    )
    assert [symbol for symbol, *_ in shown] == [".", "#", later]
    assert shown[2][2] == []


UNREAD_BACK = {"X": 0.5, "#": 0.3, "Y": 0.18}


BLANK_OR_BACK = {"?": 0.85, "#": 0.147, ".": 0.003}


@pytest.mark.parametrize(
    ("output", "other"),
    [
        (UNREAD_BACK, "X"),
        ({"?": 0.55, "#": 0.44}, "a blank"),
        ({"#": 0.54, "?": 0.45}, None),
    ],
)
def test_a_tile_that_may_be_a_back_is_shown_as_one(output, other):
    _, merged = merged_after(({".": 1.0}, looks()), (output, looks(PLACE)))
    square = Square.parse(PLACE)
    assert merged.rows[square.row][square.col] == "#"
    assert [doubt.code for doubt in merged.doubts] == ["face_down"] * (other is not None)
    assert all(f"or {other} (" in doubt.detail for doubt in merged.doubts)


@pytest.mark.parametrize(
    ("output", "symbol"),
    [
        ({".": 0.55, "#": 0.3, "X": 0.13}, "."),
        ({"?": 0.5, "#": 0.3, ".": 0.18}, "~"),
        ({"?": 0.5, "#": 0.1, "A": 0.38}, "~"),
        (BLANK_OR_BACK, "?"),
    ],
)
def test_what_may_well_be_bare_or_is_hardly_a_back_is_none(output, symbol):
    shown = after(({".": 1.0}, looks()), (output, looks(PLACE)))
    assert shown[1][0] == symbol


@pytest.mark.parametrize(("output", "symbol"), [(UNREAD_BACK, "#"), (BLANK_OR_BACK, "?")])
def test_a_back_that_could_not_be_read_and_is_turned_up_was_no_letter(output, symbol):
    """It is likelier to have been turned over than to have been that letter all along."""
    shown = after(
        ({".": 1.0}, looks()), (output, looks(PLACE)), ({"T": 0.99}, looks(PLACE, by=0.4))
    )
    assert [symbol for symbol, *_ in shown] == [".", symbol, "T"]
    assert not any(corrections for *_, corrections in shown)


def test_a_letter_that_may_have_been_a_back_and_reads_surely_now_was_that_letter():
    unsure = {"T": 0.5, "#": 0.3, "Y": 0.18}
    shown = after(
        ({".": 1.0}, looks()), (unsure, looks(PLACE)), ({"T": 0.99}, looks(PLACE, by=0.4))
    )
    assert shown[2][0] == "T"
    assert shown[2][2] == [(2, "T")]
