"""The recorder: a play that ends with the clock stopped, mostly the last of a game."""

from __future__ import annotations

import pytest

from .conftest import Bench
from .recorderkit import EMPTY, cover


def near_the_end(live, put):
    """Ninety-three tiles lie there; Ann has two left, and it is her turn."""
    from dataclasses import replace

    board = put("8D", "RATES")
    live.video(0, 600, board)
    live.press("right", 550)
    live.recorder.state = replace(
        live.state,
        bag_count=0,
        racks={"left": 2, "right": 3},
        board=board,
        _ledger=replace(
            live.state._ledger,
            positions=(
                replace(
                    live.state._ledger.position,
                    bag=0,
                    racks={"left": 2, "right": 3},
                    board=board,
                ),
            ),
        ),
    )
    return board


def test_whoever_plays_out_stops_the_clock_and_is_seen_though_a_tile_was_knocked(live, put):
    board = near_the_end(live, put)
    knocked = put("9D", "R", put("8D", ".ATES"))
    last = put("7H", "O", put("9H", "X", knocked))
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1)[0] == "tile_moved"
    assert live.state.end_reason == "out"


def test_whoever_plays_out_with_a_tile_more_than_was_counted_is_out(live, put):
    """A tile that was taken off the board, and counted as played, is in somebody's hand."""
    board = near_the_end(live, put)
    last = put("7H", "OXO", board)
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert len(live.turns[0].tiles) == 3
    assert live.state.end_reason == "out"


def test_whoever_plays_out_under_a_hand_is_seen_when_the_board_is_clear(live, put):
    board = near_the_end(live, put)
    last = put("7H", "O", put("9H", "X", board))
    live.video(600, 1800, cover(last))
    live.press("neutral", 1750)
    assert live.turns == ()
    live.video(1800, 2500, last)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1) == ["board_covered"]


def test_a_stopped_clock_with_nothing_played_is_no_turn(live, put):
    board = near_the_end(live, put)
    live.video(600, 1800, cover(board))
    live.press("neutral", 1750)
    live.video(1800, 2500, board)
    assert live.turns == ()
    live.press("right", 2450)
    assert live.turns == ()


@pytest.mark.parametrize(("rulebook", "turns"), [("sanspa-2001", 1), ("wespa-2007", 0)])
def test_a_stop_of_the_clock_ends_a_play_where_the_text_has_it(tmp_path, put, rulebook, turns):
    live = Bench(tmp_path, stills=False, rulebook=rulebook)
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, put("8G", "CAT"))
    live.press("neutral", 1450)
    assert len(live.turns) == turns
    live.video(1500, 2500, put("8G", "CAT"))
    live.press("neutral", 2450)  # nothing more was played
    assert len(live.turns) == turns
    live.log.close()
