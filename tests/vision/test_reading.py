"""What a reading shows people of the squares that it is in doubt about."""

from __future__ import annotations

import numpy as np

from game.board import SIZE, Square
from vision.reading import Reading


def reading(row: str, guesses: dict[str, tuple[tuple[str, float], ...]]) -> Reading:
    rows = (row, *["." * SIZE] * (SIZE - 1))
    corners = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float32)
    sure = np.ones((SIZE, SIZE), np.float32)
    named = {Square.parse(name): found for name, found in guesses.items()}
    return Reading(corners, rows, sure, np.zeros((SIZE, SIZE), np.int8), named, (), 1.0)


def test_an_unread_square_shows_what_is_likelier_than_all_else():
    likely, even = (("T", 0.55), ("I", 0.4)), (("E", 0.45), ("F", 0.44))
    seen = reading("CA~~~~.........", {"1C": likely, "1D": even, "1E": (), "1F": (("?", 0.02),)})
    assert seen.likeliest[0] == "CAT~~~........."
    assert seen.rows[0] == "CA~~~~........."


def test_a_guess_that_is_shown_stays_in_doubt():
    seen = reading("~..............", {"1A": (("T", 0.55),)})
    assert seen.likeliest[0][0] == "T"
    assert seen.certainty[0, 0] == 0


def test_what_was_read_is_not_replaced():
    seen = reading("T..............", {"1A": (("I", 0.55),)})
    assert seen.likeliest == seen.rows
