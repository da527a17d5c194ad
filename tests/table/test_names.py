"""The names that a game is played under."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from table.game_setup import MAX_NAME, checked_names


def test_names_lose_the_blanks_around_them():
    assert checked_names({"left": " Ann ", "right": None}) == {"left": "Ann"}


@pytest.mark.parametrize("name", ["", "  ", "x" * (MAX_NAME + 1), "A\nB", 7])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(TilewatchError, match="can be printed"):
        checked_names({"left": name})


def test_two_players_of_one_name_are_refused():
    with pytest.raises(TilewatchError, match="both players are called João; add"):
        checked_names({"left": "João", "right": " João"})
