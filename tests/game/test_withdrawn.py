"""Plays that were taken back or challenged off, and what goes with them."""

from __future__ import annotations

from game.board import Board, Square
from game.events import SquareCorrected, TilesChanged, TurnRuled

from .gamekit import Table, codes, kinds

CAT = {Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"}


def ruled_off() -> Table:
    """The right player's ON has been challenged off, and lies there still."""
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    return table


def ruled_off_late(*changes: str) -> Table:
    """ON has been challenged off only when the left player had changed these squares."""
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.lay(*changes)
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    return table


def test_the_same_play_by_the_opponent_may_be_challenged_off_too():
    table = Table()
    for number in (1, 2):
        turn = table.see(Board.empty().replace(CAT))
        assert turn.word == "CAT"
        table.put(TurnRuled(number, "challenge_upheld", "TD", "", table.now))
        table.put(TilesChanged(number, Board.empty().rows, table.now, {}, table.now))
        assert codes(table.state.turns[-1]) == []
    assert kinds(table) == ["challenge_upheld", "challenge_upheld"]
    assert [turn.word for turn in table.state.turns] == ["CAT", "CAT"]


def test_a_withdrawn_play_that_was_never_seen_gone_is_not_played_again():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.nothing()
    assert (turn.kind, turn.word, codes(turn)) == ("exchange_or_pass", None, ["withdrawn_left"])


def test_a_play_ruled_off_that_lies_on_is_not_the_opponent_s_once_another_has_gone():
    table = ruled_off()
    table.lay("7G=A")
    table.put(TurnRuled(3, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("7G=.")
    assert (turn.kind, turn.word, codes(turn)) == ("exchange_or_pass", None, ["withdrawn_left"])


def test_two_plays_ruled_off_at_once_of_which_one_lies_on_are_nobody_s():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.lay("7G=A")
    for number in (2, 3):
        table.put(TurnRuled(number, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("7G=.")
    assert (turn.kind, turn.word, codes(turn)) == ("exchange_or_pass", None, ["withdrawn_left"])


def test_tiles_that_were_seen_to_lie_on_are_no_part_of_a_play_beside_them():
    table = ruled_off()
    table.nothing()
    turn = table.lay("9I=E")
    assert (turn.word, list(turn.tiles), codes(turn)) == (".E", ["9I"], ["withdrawn_left"])


def test_tiles_that_a_play_needs_are_played_anew_though_they_were_seen_to_lie_on():
    table = ruled_off()
    table.nothing()
    turn = table.lay("9F=T", "9I=E")
    assert (turn.word, codes(turn)) == ("TONE", ["withdrawn_left"])
    assert turn.flags[0].squares == ("9G", "9H")


def test_a_tile_that_was_knocked_before_its_play_was_ruled_off_is_nobody_s():
    table = ruled_off_late("7G=A", "9H=.", "10H=N")
    turn = table.state.turns[-1]
    assert (turn.kind, turn.word, codes(turn)) == ("play", "A.", ["withdrawn_left"])
    assert turn.flags[0].squares == ("10H",)
    (flag,) = table.nothing().flags
    assert (flag.code, flag.side, flag.squares) == ("withdrawn_left", "right", ("9G", "10H"))
    assert codes(table.lay("9G=.", "10H=.")) == []


def test_a_tile_that_was_knocked_in_a_turn_without_a_play_is_nobody_s():
    turn = ruled_off_late("9H=.", "9I=N").state.turns[-1]
    assert (turn.kind, turn.word, codes(turn)) == ("exchange_or_pass", None, ["withdrawn_left"])


def test_the_answer_is_a_play_though_the_ruling_on_the_one_before_is_entered_late():
    turn = ruled_off_late("9G=N", "9H=O").state.turns[-1]
    assert (turn.kind, turn.word, codes(turn)) == ("play", "NO", [])


def test_a_tile_that_was_knocked_once_its_play_was_ruled_off_is_no_part_of_the_next():
    table = ruled_off()
    turn = table.lay("7G=A", "9H=.", "10H=N")
    assert (turn.word, codes(turn)) == ("A.", ["withdrawn_left"])
    assert turn.flags[0].squares == ("9G", "10H")


def test_a_tile_far_from_where_one_of_the_play_ruled_off_lay_is_played():
    table = Table()
    table.play("8D", "CATER")
    table.play("9D", "ON")
    table.lay("9E=.", "8I=N")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    turn = table.state.turns[-1]
    assert (turn.kind, turn.word, codes(turn)) == ("play", ".....N", [])


def test_a_single_tile_of_a_play_ruled_off_that_was_never_seen_gone_is_worth_a_question():
    table = Table()
    table.play("8G", "CAT")
    table.play("8F", "S")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("8J=S")
    assert (turn.word, codes(turn)) == ("S...S", ["withdrawn_left"])


def test_a_tile_of_the_same_letter_is_played_though_another_of_the_play_ruled_off_lies_there():
    table = ruled_off()
    turn = table.lay("9H=.", "9I=N")
    assert (turn.word, codes(turn)) == (".N", ["withdrawn_left"])


def test_a_correction_goes_with_the_play_that_was_challenged_off():
    table = Table()
    table.play("8G", "CAT")
    table.put(SquareCorrected(1, "8G", "B", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert table.lay("8G=C", "8H=O", "8I=T").word == "COT"


def test_a_correction_elsewhere_outlives_a_play_that_was_challenged_off():
    table = Table()
    table.play("8G", "BAT")
    table.put(SquareCorrected(1, "8G", "C", "TD", "", table.now))  # the camera goes on reading B
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("9G=.", "9H=.", "7G=A")
    assert (turn.kind, codes(turn)) == ("play", [])
    assert table.state.board[Square(7, 6)] == "C"


def test_a_withdrawn_play_is_laid_at_the_door_of_whoever_made_it_for_as_long_as_it_lies_there():
    table = ruled_off()
    for _ in range(2):
        (flag,) = table.nothing().flags
        assert (flag.code, flag.side, flag.squares) == ("withdrawn_left", "right", ("9G", "9H"))


def test_a_tile_only_told_of_goes_with_the_play_that_is_challenged_off_late():
    table = Table()
    table.play("8G", "CAT")
    table.lay("9G=O")  # the camera never sees the N
    table.put(SquareCorrected(2, "9H", "N", "TD", "", table.now))
    table.nothing()
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    table.lay("9G=.", "7G=A")
    assert kinds(table) == ["play", "challenge_upheld", "exchange_or_pass", "play"]
    assert table.state.board[Square(8, 7)] == "."


def test_a_turn_that_never_was_scores_nothing():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "undone", "TD", "", table.now))
    (turn,) = table.state.turns
    assert (turn.score, turn.total, turn.bingo, dict(turn.tiles)) == (0, 0, 0, {})


def test_a_tile_that_may_be_anew_is_asked_about_though_another_tile_is_left():
    table = ruled_off()
    table.lay("7G=A", "6G=B")  # while ON lies there
    table.put(TurnRuled(3, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("6G=.", "9G=.")
    assert turn.tiles == {"7G": "A"}
    asked = {flag.squares: flag.message for flag in turn.flags if flag.code == "withdrawn_left"}
    assert "do not count" in asked["9H",]
    assert asked["7G",].endswith("Were they left there?")


def test_a_tile_that_passed_for_a_knocked_one_counts_once_somebody_says_that_it_lay_there():
    table = Table()
    table.play("8G", "CAT")
    table.play("6H", "ON")
    table.lay("6I=.", "7I=N")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    turn = table.state.turns[2]
    assert (turn.tiles, [flag.squares for flag in turn.flags]) == ({}, [("7I",)])
    table.put(SquareCorrected(3, "7I", "N", "TD", "", table.now))
    assert table.state.turns[2].tiles == {"7I": "N"}


def test_what_is_laid_where_somebody_said_that_nothing_had_lain_is_played():
    table = Table()
    table.play("8G", "CAT")
    table.lay("8J=S")
    table.put(SquareCorrected(2, "8J", ".", "TD", "a reflection", table.now))
    assert table.nothing().tiles == {}  # it is still there
    assert table.lay("8J=.").tiles == {}
    assert table.lay("8J=S").tiles == {"8J": "S"}
