"""What only seems to be a tile of a turn."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from game.board import SIZE, Board, Square
from vision.tracking.turn_view import stray_tiles

BEFORE = Board.empty().replace({Square.parse(at): s for at, s in {"8G": "C", "8H": "A"}.items()})
PLAY = {"8I": "T", "8J": "S"}


def strays(tiles: dict[str, str], *, covered: str = "", unsure: str = "") -> list[str]:
    """The squares that hold no tile, of those that seem to hold a new one."""
    board = BEFORE.replace({Square.parse(name): symbol for name, symbol in tiles.items()})
    hidden = np.zeros((SIZE, SIZE), np.bool_)
    sure = np.ones((SIZE, SIZE))
    if covered:
        hidden[Square.parse(covered)] = True
    if unsure:
        sure[Square.parse(unsure)] = 0.7
    state = SimpleNamespace(board=BEFORE, rulebook=SimpleNamespace(rack_tiles=7))
    merged = SimpleNamespace(rows=board.rows, covered=hidden, confidence=sure)
    found = stray_tiles(state, SimpleNamespace(merged=merged))
    return [Square(*at).name for at in np.argwhere(found).tolist()]


@pytest.mark.parametrize("doubt", [{"covered": "2K"}, {"unsure": "2J"}])
def test_a_tile_aside_of_a_play_is_none_where_a_hand_or_its_reading_makes_it_doubtful(doubt):
    assert strays({**PLAY, "2J": "E"}, **doubt) == ["2J"]


def test_a_tile_in_full_view_is_one_wherever_it_lies():
    assert strays({**PLAY, "2J": "E"}) == []


def test_a_doubtful_tile_of_a_play_is_one():
    assert strays(PLAY, unsure="8J", covered="9I") == []
    assert strays({"2J": "E"}, unsure="2J") == []


def test_where_either_of_two_may_be_the_one_too_many_both_stay_to_be_asked_about():
    assert strays({"8I": "T", "7H": "B"}, covered="7I") == []
