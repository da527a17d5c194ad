"""A play that is taken off while the clock stands, and a next play on the same squares."""

from __future__ import annotations

import pytest

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import BoardSeen, ButtonPressed, Retracted, StopExplained, TurnRuled
from game.state.fold import fold, play_was_moved

from .gamekit import SECOND, Table, codes, kinds, press


def board(table: Table, *changes: str) -> Board:
    pairs = [change.split("=") for change in changes]
    return table.board.replace({Square.parse(s): t for s, t in pairs})


def seen(table: Table, *changes: str) -> None:
    """The camera sees the board, changed like this, while the clock stands."""
    table.now += SECOND
    rows = board(table, *changes).rows
    table.put(BoardSeen(len(table.state.turns), rows, table.now, {}, table.now))


def phoney(table: Table | None = None) -> Table:
    """CAT stands; right's ONE under it is a phoney, and the clock is stopped."""
    table = table or Table()
    table.play("8G", "CAT")
    table.play("9G", "ONE")
    press(table, "neutral")
    return table


OFF = ("9G=.", "9H=.", "9I=.")
NEXT = ("9G=O", "9H=X", "9I=.")
"""The challenger's OX, whose first letter is that of the phoney."""


def test_a_play_on_the_squares_of_one_that_was_seen_taken_off():
    table = phoney()
    seen(table, *OFF)
    press(table, "right")
    turn = table.lay(*NEXT)
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    assert table.state.turns[1].inferred
    assert turn.tiles == {"9G": "O", "9H": "X"}
    assert codes(turn) == []
    assert table.state.scores["right"] == 0
    assert fold(table.events) == table.state


def test_without_having_seen_it_there_is_a_question():
    table = phoney()
    press(table, "right")
    turn = table.lay(*NEXT)
    assert kinds(table) == ["play", "play", "exchange_or_pass"]
    assert {"tile_replaced", "challenge_unclear"} <= set(codes(turn))


def test_some_of_the_new_letters_may_be_those_that_lay_there():
    table = phoney()
    seen(table, *OFF)
    press(table, "right")
    turn = table.lay("9G=O", "9H=N", "9I=S")
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    assert turn.tiles == {"9G": "O", "9H": "N", "9I": "S"}
    assert codes(turn) == []


def test_tiles_that_were_seen_put_back_were_not_challenged_off():
    table = phoney()
    seen(table, *OFF)
    seen(table)
    press(table, "right")
    turn = table.play("10G", "A")
    assert kinds(table) == ["play", "play", "play"]
    assert turn.tiles == {"10G": "A"}


def test_tiles_that_were_put_back_unseen_are_asked_about():
    table = phoney(Table(rulebook="naspa-2017"))
    seen(table, *OFF)
    press(table, "right")
    turn = table.play("10G", "A")
    assert kinds(table) == ["play", "play", "play"]
    assert codes(turn) == ["challenge_unclear"]
    assert "was it challenged off?" in turn.flags[0].message


@pytest.mark.parametrize(
    "changes", [("9G=.",), ("9G=.", "9H=."), (*OFF, "8I=."), (*OFF, "9J=X"), ("9G=~", *OFF[1:])]
)
def test_what_is_not_the_whole_play_and_no_more_tells_nothing(changes):
    table = phoney()
    assert not play_was_moved(table.state, board(table, *changes))
    seen(table, *changes)
    press(table, "right")
    table.lay(*NEXT)
    assert kinds(table)[1] == "play"


def test_a_hand_over_some_of_the_tiles_afterwards_takes_nothing_back():
    table = phoney()
    seen(table, *OFF)
    seen(table, "9G=~", "9H=.", "9I=.")
    assert table.state.play_off


def test_another_tile_that_is_gone_with_the_next_turn_is_no_challenge():
    table = phoney()
    seen(table, *OFF)
    press(table, "right")
    table.lay(*NEXT, "8G=.")
    assert kinds(table)[1] == "play"


@pytest.mark.parametrize(
    "word",
    [StopExplained(2, "score", "TD", "", 10**12), TurnRuled(2, "play", "TD", "", 10**12)],
)
def test_a_director_may_say_otherwise_and_take_that_back(word):
    table = phoney()
    seen(table, *OFF)
    press(table, "right")
    table.lay(*NEXT)
    before = table.state
    number = len(table.events) + 1
    table.put(word)
    assert kinds(table)[1] == "play"
    table.put(Retracted(number, "TD", "", 10**12))
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    assert table.state == before


def test_a_ruling_before_the_next_turn_stands():
    table = phoney()
    seen(table, *OFF)
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    press(table, "right")
    turn = table.lay("9G=O", "9H=N", "9I=E")
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    assert turn.tiles == {"9G": "O", "9H": "N", "9I": "E"}
    assert codes(turn) == []


def test_it_is_news_once_the_clock_was_stopped_and_only_once():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ONE")
    off = board(table, *OFF)
    assert not play_was_moved(table.state, off)
    press(table, "neutral")
    assert play_was_moved(table.state, off)
    assert not play_was_moved(table.state, table.board)
    seen(table, *OFF)
    assert not play_was_moved(table.state, off)
    assert play_was_moved(table.state, table.board)
    press(table, "right")
    assert play_was_moved(table.state, table.board)
    table.play("10G", "A")
    assert not play_was_moved(table.state, board(table, "10G=."))


def test_an_opening_that_is_challenged_off():
    table = Table()
    table.play("8D", "ZZXQJKV")
    press(table, "neutral")
    seen(table, *(f"8{col}=." for col in "DEFGHIJ"))
    press(table, "left")
    turn = table.lay(*(f"8{col}=." for col in "DEJ"), "8F=H", "8G=O", "8H=U", "8I=R")
    assert kinds(table) == ["challenge_upheld", "play"]
    assert codes(turn) == []
    assert dict(table.state.scores) == {"left": 0, "right": turn.score}


def test_a_board_is_seen_after_the_last_turn_of_a_game_that_goes_on():
    table = phoney()
    for turn in (1, 3):
        with pytest.raises(TilewatchError, match="is not the last one seen"):
            table.put(BoardSeen(turn, Board.empty().rows, 0, {}, 0))
    with pytest.raises(TilewatchError, match="a board has 15 rows"):
        table.put(BoardSeen(2, (EMPTY * 15,), 0, {}, 0))
    table.end()
    with pytest.raises(TilewatchError, match="the game was ended"):
        table.put(BoardSeen(2, Board.empty().rows, 0, {}, 0))


def test_a_stop_that_ended_the_turn_is_one_too():
    table = Table(rulebook="sanspa-2001")
    table.play("8G", "CAT")
    table.stop("9G", "ONE")
    assert len(table.state.turns) == 2
    seen(table, *OFF)
    table.now += SECOND
    table.put(ButtonPressed("right", table.now))
    table.lay(*NEXT)
    assert kinds(table) == ["play", "challenge_upheld", "play"]


def test_a_play_seen_taken_off_is_asked_about_until_a_turn_tells():
    table = phoney()
    seen(table, *OFF)
    assert codes(table.state.turns[1]) == ["challenge_unclear"]
    press(table, "right")
    assert codes(table.state.turns[1]) == ["challenge_unclear"]
    table.lay(*NEXT)
    assert [codes(turn) for turn in table.state.turns] == [[], [], []]


def test_a_play_seen_taken_off_and_put_back_is_not_asked_about():
    table = phoney()
    seen(table, *OFF)
    seen(table, "9G=O", "9H=N", "9I=E")
    assert codes(table.state.turns[1]) == []


@pytest.mark.parametrize("settled", [TurnRuled(2, "play", "TD", "", 0), None])
def test_a_play_seen_taken_off_is_not_asked_about_once_somebody_has_said(settled):
    table = phoney()
    settled = settled or StopExplained(2, "score", "TD", "", 0)
    table.put(settled)
    seen(table, *OFF)
    assert codes(table.state.turns[1]) == []


@pytest.mark.parametrize("lifted", [True, False])
def test_tiles_that_are_put_back_swapped_were_not_challenged_off(lifted):
    table = phoney()
    if lifted:
        seen(table, *OFF)
    swapped = ("9G=N", "9H=E", "9I=O")
    if lifted:
        seen(table, *swapped)
    press(table, "right")
    turn = table.lay(*swapped, "7G=A")
    assert kinds(table)[:2] == ["play", "play"]
    assert "challenge_unclear" in codes(turn)
    assert turn.tiles == {"7G": "A"}
