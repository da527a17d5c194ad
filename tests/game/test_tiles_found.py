"""Tiles that are found after the end, and racks that were underdrawn, under each rulebook."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.events import ButtonPressed, RackUnderdrawn, ResultSigned, Retracted, TilesFound
from game.rulebooks.loading import load_rulebook

from .gamekit import Table, position
from .test_declared_events import with_rule


def out(book) -> Table:
    """Left plays out from RATIUES; right has DNLGBVQ by counting."""
    table = Table(rulebook=book, rows=position(0))
    for square, tile in zip(("8I", "8J", "8K", "8L", "8M", "8N", "8O"), "RATIUES", strict=True):
        table.board = table.board.replace({_at(square): tile})
    table.see()
    table.put(ButtonPressed("neutral", table.now))
    assert table.state.end_reason == "out"
    return table


def _at(name):
    from game.board import Square

    return Square.parse(name)


@pytest.mark.parametrize(("book", "rule"), with_rule("tiles_found_in_bag"))
def test_a_tile_found_in_the_bag_after_the_end_goes_to_who_should_have_drawn_it(book, rule):
    # NASPA V.C.3, SANSPA 18.3, PSA 4.4: where both then have tiles, the game goes on.
    table = out(book)
    table.end("confirmed")
    ended = table.state
    table.put(TilesFound("bag", 1, "left", "TD", "in the bag", table.now, tiles="Q"))
    assert (table.state.status, table.state.on_turn) == ("running", "right")
    assert dict(table.state.racks) == {"left": 1, "right": 6}
    assert not table.state.adjustments
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state == ended
    table.put(TilesFound("bag", 1, "left", "TD", "in the bag", table.now, tiles="Q"))
    assert table.lay("9H=D").rack_count == 5
    assert table.lay("10H=Q").rack_count == 0
    table.put(ButtonPressed("neutral", table.now))
    assert (table.state.status, table.state.end_reason) == ("ended", "out")
    (line,) = table.state.adjustments
    assert (line.side, sorted(line.tiles)) == ("left", sorted("NLGBV"))


@pytest.mark.parametrize(("book", "rule"), with_rule("tiles_found_in_bag"))
def test_one_that_the_player_who_is_not_out_should_have_drawn_leaves_the_game_over(book, rule):
    table = out(book)
    before = table.state.scores
    table.put(TilesFound("bag", 1, "right", "TD", "", table.now, tiles="Q"))
    assert table.state.status == "ended"
    assert table.state.scores == before  # it was counted on that rack: doubled, with the others


@pytest.mark.parametrize("book", ["naspa-2017", "sanspa-2001", "sanspa-1999"])
def test_tiles_found_outside_the_bag_after_the_end_are_ignored(book):
    rule = load_rulebook(book).event_rule("tiles_found_on_table")
    with pytest.raises(TilewatchError, match=rf"are ignored \({rule}\)"):
        out(book).put(TilesFound("table", 1, "left", "TD", "", 10**12))


def test_under_psa_they_go_back_into_the_bag_until_the_result_is_signed():
    table = out("psa")
    table.put(TilesFound("table", 1, "left", "TD", "", table.now))
    assert table.state.status == "running"  # 4.3: before the result sheet has been signed
    signed = out("psa")
    signed.end("confirmed")
    signed.put(ResultSigned("both", signed.now))
    with pytest.raises(TilewatchError, match="the result was signed"):
        signed.put(TilesFound("table", 1, "left", "TD", "", signed.now))


@pytest.mark.parametrize(("book", "rule"), with_rule("tiles_found_on_table"))
def test_a_tile_that_nobody_should_have_drawn_leaves_the_game(book, rule):
    # NASPA V.C.2, SANSPA 15: the game proceeds without it.
    table = Table(rulebook=book, rows=position(0))
    with pytest.raises(TilewatchError, match="say how many each player has"):
        table.put(TilesFound("table", 1, None, "TD", "", 0, tiles="V"))
    racks = {"left": 7, "right": 6}
    table.put(TilesFound("table", 1, None, "TD", "", 0, tiles="V", racks=racks))
    assert (dict(table.state.racks), table.state.bag_count) == (racks, 0)
    for square, tile in zip(("8I", "8J", "8K", "8L", "8M", "8N", "8O"), "RATIUES", strict=True):
        table.board = table.board.replace({_at(square): tile})
    table.see()
    table.put(ButtonPressed("neutral", table.now))
    (line,) = table.state.adjustments
    assert (line.kind, sorted(line.tiles)) == ("end_rack", sorted("DNLGBQ"))


# Racks, clocks, time.


@pytest.mark.parametrize(("book", "rule"), with_rule("underdrawn"))
def test_who_plays_out_from_an_underdrawn_rack_goes_on_with_what_is_in_the_bag(book, rule):
    # SANSPA 9.4: the game continues until all the tiles are used.
    table = Table(rulebook=book, rows=position(0))
    table.put(RackUnderdrawn("left", 2, "TD", "only five", 0))
    assert (dict(table.state.racks), table.state.bag_count) == ({"left": 5, "right": 7}, 2)
    for square, tile in zip(("8I", "8J", "8K", "8L", "8M"), "RATIU", strict=True):
        table.board = table.board.replace({_at(square): tile})
    turn = table.see()
    assert (turn.bingo, turn.rack_count, turn.bag_count) == (0, 2, 0)
    assert table.state.status == "running"
    with pytest.raises(TilewatchError, match="Ann Lee has 2 tiles by counting; 3 cannot be"):
        table.put(RackUnderdrawn("left", 3, "TD", "", 0))


@pytest.mark.parametrize("book", ["naspa-2017", "psa", "wespa-2007"])
def test_tiles_that_the_opponent_drew_instead_are_counted_there(book):
    # NASPA IV.B.7.b, PSA 3.9.8(c), WESPA 4.7.4: found too late, nothing is corrected.
    table = Table(rulebook=book, rows=position(2))
    table.lay("8I=R", "8J=A", "8K=T")
    assert dict(table.state.racks) == {"left": 6, "right": 7}
    table.put(RackUnderdrawn("left", 1, "TD", "", table.now, drawn_by="opponent"))
    assert (dict(table.state.racks), table.state.bag_count) == ({"left": 5, "right": 8}, 0)
