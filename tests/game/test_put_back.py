"""A flag about tiles that went astray is settled once they lie there again."""

from __future__ import annotations

import random

from hypothesis import given

from game.board import EMPTY, SQUARES, Square
from game.events import TilesChanged
from game.state.fold import fold

from .gamekit import SECOND, codes, random_game
from .settledkit import begun, opened, replayed, seeds, settled, some


def test_a_tile_that_is_moved_and_moved_back_leaves_nothing_open():
    table = begun()
    table.lay("8J=.", "8K=T")
    assert opened(table.state) == [(3, "tile_moved", ("8J", "8K"))]
    table.lay("8J=T", "8K=.")
    assert opened(table.state) == []
    assert settled(table.state) == [(3, "tile_moved", len(table.events))]
    assert codes(table.state.turns[3]) == []  # and the way back is no other fault
    assert table.state.turns[3].kind == "exchange_or_pass"


def test_a_tile_that_goes_astray_in_steps_and_comes_back():
    table = begun()
    table.lay("8J=.", "8K=T")
    table.lay("8K=.", "8L=T")
    assert len(opened(table.state)) == 2
    table.lay("8L=.", "8J=T")
    assert opened(table.state) == []


def test_a_tile_that_is_swapped_and_swapped_back_leaves_nothing_open():
    table = begun()
    table.lay("8H=E")
    assert opened(table.state) == [(3, "tile_replaced", ("8H",))]
    table.lay("8H=A")
    assert opened(table.state) == []
    assert codes(table.state.turns[3]) == []


def test_tiles_that_are_gone_and_lie_there_again():
    table = begun()
    table.lay("9G=.", "8J=.")
    table.lay("9G=O")
    assert [code for _, code, _ in opened(table.state)] == ["tile_removed"]
    table.lay("8J=T")
    assert opened(table.state) == []


def test_a_tile_is_played_as_the_others_are_put_back():
    table = begun()
    table.lay("8J=.", "8K=T")
    turn = table.lay("8J=T", "8K=.", "10G=E")
    assert (turn.kind, dict(turn.tiles), codes(turn)) == ("play", {"10G": "E"}, [])
    assert opened(table.state) == []


def test_a_tile_that_is_moved_again_is_flagged_again():
    table = begun()
    table.lay("8J=.", "8K=T")
    table.lay("8J=T", "8K=.")
    table.lay("8J=.", "8K=T")
    assert opened(table.state) == [(5, "tile_moved", ("8J", "8K"))]


def test_what_changed_after_the_press_and_was_put_right_is_settled():
    table = begun()
    seen = table.board
    without = seen.replace({Square.parse("9H"): EMPTY})
    table.put(TilesChanged(2, without.rows, table.now + SECOND, {}, table.now + SECOND))
    assert opened(table.state) == [(2, "changed_after_press", ("9H",))]
    again = fold([*table.events, TilesChanged(2, seen.rows, table.now + 2 * SECOND, {}, table.now)])
    assert opened(again) == []
    assert again.board == seen
    assert (again.bag_count, again.racks) == (begun().state.bag_count, begun().state.racks)
    assert codes(table.nothing()) == []
    assert opened(table.state) == []
    table = begun()
    more = table.board.replace({Square.parse("10G"): "E"})
    table.put(TilesChanged(2, more.rows, table.now + SECOND, {}, table.now + SECOND))
    table.nothing()  # taken away again
    assert opened(table.state) == []


@some
@given(seeds)
def test_tiles_moved_in_a_game_and_moved_back_leave_nothing_open(seed):
    rng = random.Random(seed)
    table = random_game(seed)
    events = table.events[: 2 + 2 * rng.randint(4, 14)]
    game = replayed(events)
    if game.state.status != "running":
        return
    before = game.board
    tiles = list(before.tiles())
    free = [square for square in SQUARES if before[square] == EMPTY]
    act = rng.choice(["move", "remove", "replace"])
    moved = before
    for origin in rng.sample(tiles, min(len(tiles), rng.randint(1, 3))):
        if act == "move":
            target = free.pop(rng.randrange(len(free)))
            moved = moved.replace({origin: EMPTY, target: before[origin]})
        else:
            symbol = (
                EMPTY if act == "remove" else rng.choice([c for c in "AEZ" if c != before[origin]])
            )
            moved = moved.replace({origin: symbol})
    turn = game.see(moved)
    if turn.kind == "play" or not turn.flags:
        return  # tiles that were moved so may be a play for all that anybody can see
    again = game.see(before)
    left = [one for one in opened(game.state) if one[1] not in ("six_zeros", "overtime")]
    if again.kind == "play":
        assert left  # the last play may have been taken back, and played again: somebody is asked
    else:
        assert left == []
    assert game.state.board == before
