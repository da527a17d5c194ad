"""Tiles that change after the press, tiles that come back, and names that are mended."""

from __future__ import annotations

import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameStarted,
    PlayersNamed,
    TilesChanged,
    TurnRuled,
    TurnSeen,
    from_payload,
    to_payload,
)
from game.state.fold import fold

from .gamekit import Table, position

START = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", None, 0)
CAT = {"8G": "C", "8H": "A", "8I": "T"}
S = 1_000_000_000


def board(*parts: dict[str, str]) -> Board:
    placed = Board.empty()
    for part in parts:
        placed = placed.replace({Square.parse(name): symbol for name, symbol in part.items()})
    return placed


def turn(side, at: int, *parts: dict[str, str]):
    return [ButtonPressed(side, at * S), TurnSeen(side, at * S, board(*parts).rows, at * S)]


def changed(number: int, at: int, *parts: dict[str, str]) -> TilesChanged:
    return TilesChanged(number, board(*parts).rows, at * S, {}, at * S)


def opened(*more):
    return fold([START, ButtonPressed("right", 0), *turn("left", 10, CAT), *more])


def flags(state, number: int):
    return [(flag.code, flag.squares) for flag in state.turns[number - 1].flags]


def test_a_tile_taken_after_the_press_is_flagged_on_its_turn_and_still_scored():
    state = opened(changed(1, 12, {"8G": "C", "8H": "A"}))
    assert state.turns[0].score == 10
    assert flags(state, 1) == [("changed_after_press", ("8I",))]
    assert "8I T gone" in state.turns[0].flags[0].message
    assert state.board == board({"8G": "C", "8H": "A"})
    assert sum(state.racks.values()) + state.bag_count + 3 == 100


def test_a_tile_added_or_swapped_after_the_press_scores_nothing():
    state = opened(changed(1, 12, {**CAT, "8H": "O", "8J": "S"}))
    assert state.turns[0].score == 10
    assert flags(state, 1) == [("changed_after_press", ("8H", "8J"))]
    assert sum(state.racks.values()) + state.bag_count + 4 == 100
    later = opened(
        changed(1, 12, {**CAT, "8J": "S"}),
        *turn("right", 20, CAT, {"8J": "S", "7J": "O", "9J": "X"}),
    )
    assert later.turns[1].tiles == {"7J": "O", "9J": "X"}
    assert later.turns[1].flags == ()


def test_what_was_changed_and_put_right_is_no_play_of_the_opponent():
    state = opened(changed(1, 12, {"8G": "C", "8H": "A"}), *turn("right", 20, CAT))
    assert state.turns[1].kind == "exchange_or_pass"
    assert flags(state, 2) == []
    assert state.board == board(CAT)
    assert sum(state.racks.values()) + state.bag_count + 3 == 100


def test_a_knocked_off_tile_that_comes_back_is_no_play():
    left = {"8G": "C", "8H": "A"}
    state = opened(
        *turn("right", 20, left, {"7G": "A", "9G": "T"}),
        *turn("left", 30, CAT, {"7G": "A", "9G": "T", "9H": "O"}),
    )
    assert flags(state, 2) == [("tile_removed", ("8I",))]
    assert state.turns[2].tiles == {"9H": "O"}
    assert flags(state, 3) == []


def test_a_withdrawn_play_may_be_played_again():
    state = opened(*turn("right", 20), *turn("left", 30, CAT))
    assert state.turns[2].tiles == CAT


def test_tiles_of_a_withdrawn_play_go_by_leave():
    ruled = TurnRuled(1, "challenge_upheld", "director", "no word", 14 * S)
    for output in ([changed(1, 12), ruled], [ruled, changed(1, 12)]):
        state = opened(*output)
        assert flags(state, 1) == []
        assert state.board == Board.empty()


def test_hidden_squares_and_blanks_are_no_change():
    state = opened(changed(1, 12, {**CAT, "8H": "~", "9A": "~"}))
    assert flags(state, 1) == []
    assert state.board == board(CAT)


def test_only_the_last_turn_of_a_game_that_goes_on_can_change():
    for number in (0, 2):
        with pytest.raises(TilewatchError, match="not the last"):
            opened(changed(number, 12, CAT))


def test_names_are_mended_everywhere():
    state = opened(PlayersNamed({"right": "Bea"}, "director", 12 * S))
    assert dict(state.players) == {"left": "Ann", "right": "Bea"}
    for wrong in ({}, {"middle": "X"}, {"left": " "}):
        with pytest.raises(TilewatchError, match=r"PlayersNamed\.players"):
            opened(PlayersNamed(wrong, "director", 12 * S))


@pytest.mark.parametrize(
    "event", [changed(1, 12, CAT), PlayersNamed({"left": "Å"}, "director", 5)], ids=repr
)
def test_they_are_stored_and_read_again(event):
    assert from_payload(to_payload(event)) == event


def test_a_play_that_came_off_whole_is_asked_about_and_may_be_ruled_challenged_off():
    events = [START, ButtonPressed("right", 0), *turn("left", 30, CAT), changed(1, 33)]
    state = fold(events)
    assert [flag.code for flag in state.turns[0].flags] == [
        "changed_after_press",
        "challenge_unclear",
    ]
    assert state.turns[0].flags[1].turn == 1
    assert state.turns[0].kind == "play"
    ruled = TurnRuled(1, "challenge_upheld", "TD", "", 40 * S)
    assert fold([*events, ruled]).turns[0].flags == ()
    some = fold([*events[:-1], changed(1, 33, {"8G": "C"})])
    assert [flag.code for flag in some.turns[0].flags] == ["changed_after_press"]


@pytest.mark.parametrize(
    ("in_bag", "word", "bag", "rack"),
    [(8, "RATIUES", 0, 7), (7, "RATIUES", 0, 5), (0, "RATIUE", 0, 0)],
)
def test_more_tiles_than_were_left_cannot_have_come_from_bag_or_rack(in_bag, word, bag, rack):
    table = Table(rows=position(in_bag))
    table.play("8I", word)
    rows = table.board.replace({Square.parse("10H"): "E", Square.parse("10I"): "E"}).rows
    table.put(TilesChanged(1, rows, table.now, {}, table.now))
    turn = table.state.turns[0]
    assert (table.state.bag_count, table.state.racks["left"]) == (bag, rack)
    assert (turn.bag_count, turn.rack_count) == (bag, rack)
