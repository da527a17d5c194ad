"""Both players play on without a press, before a camera that saw no hands."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import TurnRuled

from .recorderkit import cover, opened


def played_on(live, put, from_ms=4000):
    """Right has laid OD, and left AE seconds later; nobody has pressed in between."""
    one = put("G9", "OD", opened(live, put))
    two = put("9I", "E", put("7I", "A", one))
    live.video(1500, from_ms, opened_board(put))
    live.video(from_ms, 6500, one)
    live.video(6500, 12000, two)
    return one, two


def opened_board(put):
    return put("8G", "CAT")


def found(live):
    return [(t.side, "".join(sorted(t.tiles))) for t in live.turns]


def test_a_second_play_is_asked_about_at_once(live, put):
    played_on(live, put)
    (flag,) = [flag for flag in live.state.flags if flag.code == "press_forgotten"]
    assert flag.squares == ("9G", "10G")
    assert live.logged().count("SecondPlaySeen") == 1
    assert len(live.turns) == 1


@pytest.mark.parametrize("reminded", [False, True], ids=["one press", "both presses"])
def test_the_press_of_the_second_player_shows_that_there_were_two(live, put, reminded):
    """The first player may be reminded to press; the second one, who has played, presses again."""
    _, two = played_on(live, put)
    if reminded:
        live.press("right", 12050)
    live.video(12100, 12900, two)
    live.press("left", 12950)
    live.video(13000, 15000, two)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G9G"), ("left", "7I9I")]
    assert [flag.code for turn in live.turns for flag in turn.flags] == ["not_pressed"]
    assert live.turns[2].press_ns == 12_950_000_000
    assert (live.state.on_turn, live.state.clocks.running) == ("right", "right")


def test_a_press_that_comes_after_both_asks_on_its_turn(live, put):
    _, two = played_on(live, put)
    live.press("right", 12050)
    live.video(12100, 15000, two)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G7I9G9I")]
    assert "press_forgotten" in {flag.code for flag in live.turns[1].flags}


def test_a_press_that_may_be_for_another_play_shows_nothing_of_the_one_before(live, put):
    _, two = played_on(live, put)
    live.press("right", 12050)
    live.video(12100, 15900, two)
    live.press("left", 15950)
    live.video(16000, 17000, two)
    assert found(live)[1] == ("right", "10G7I9G9I")
    assert "press_forgotten" in {flag.code for flag in live.turns[1].flags}


def test_a_press_of_the_wrong_player_after_one_play_ends_nothing(live, put):
    first = opened(live, put)
    one = put("G9", "OD", first)
    live.video(1500, 4000, one)
    live.press("left", 4050)
    live.video(4100, 6000, one)
    assert found(live) == [("left", "8G8H8I")]
    live.press("right", 6050)
    live.video(6100, 7000, one)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G9G")]
    assert not live.turns[1].flags


def test_a_play_that_was_taken_back_is_no_second_one(live, put):
    first = opened(live, put)
    live.video(1500, 5000, put("G9", "OD", first))
    live.video(5000, 6000, first)
    live.video(6000, 9000, put("9I", "E", put("7I", "A", first)))
    assert "SecondPlaySeen" not in live.logged()
    assert not live.state.flags


def test_nothing_is_asked_while_the_second_play_is_still_being_laid(live, put):
    first = opened(live, put)
    one = put("G9", "OD", first)
    live.video(1500, 5000, one)
    live.video(5000, 7000, put("3C", "E", one))
    assert "SecondPlaySeen" not in live.logged()


def test_a_tile_that_was_knocked_aside_is_no_play(live, put):
    first = opened(live, put)
    live.video(1500, 4000, first)
    knocked = first.replace({Square.parse("8I"): ".", Square.parse("7H"): "T"})
    live.video(4000, 7000, knocked)
    play = put("G9", "OD", knocked)
    live.video(7000, 10000, play)
    live.press("right", 10050)
    live.video(10100, 11000, play)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G9G")]
    assert [flag.code for flag in live.turns[1].flags] == ["tile_moved"]


def test_a_tile_that_is_put_back_is_no_play_of_its_own(live, put):
    first = opened(live, put)
    knocked = first.replace({Square.parse("8I"): ".", Square.parse("9I"): "T"})
    live.video(1500, 4000, put("G9", "OD", knocked))
    live.press("right", 4050)
    live.video(4100, 6000, put("G9", "OD", knocked))
    mended = put("G9", "OD", first)
    live.video(6000, 9000, mended)
    seven = put("11G", "ESTRIAL", mended)
    live.video(9000, 12000, seven)
    live.press("left", 12050)
    live.video(12100, 13000, seven)
    assert [(side, len(tiles) // 2) for side, tiles in found(live)][:2] == [
        ("left", 3),
        ("right", 2),
    ]
    assert (live.turns[2].side, len(live.turns[2].tiles), len(live.turns)) == ("left", 7, 3)
    assert "press_forgotten" not in {flag.code for flag in live.turns[2].flags}


def test_two_plays_that_came_at_once_are_one_turn_laid_awry(live, put):
    first = opened(live, put)
    live.video(1500, 4000, first)
    both = put("10H", "R", put("G9", "ODE", first))
    live.video(4000, 7000, both)
    live.press("right", 7050)
    live.video(7100, 8000, both)
    assert len(live.turns) == 2
    codes = {flag.code for flag in live.turns[1].flags}
    assert "not_one_line" in codes
    assert "press_forgotten" not in codes


def test_a_letter_that_may_be_another_is_a_tile_of_the_second_play(live, put):
    first = opened(live, put)
    one = put("G9", "OD", first)
    two = put("I9", "IN", one)  # of which only the I touches what lies there
    doubtful = {"sure": {"9I": 0.76}, "guesses": {"9I": [("I", 0.76), ("L", 0.22)]}}
    live.video(1500, 6500, one)
    live.video(6500, 12000, two, **doubtful)
    live.press("left", 12050)
    live.video(12100, 14000, two, **doubtful)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G9G"), ("left", "10I9I")]


def test_the_press_counts_although_its_play_is_seen_only_when_the_next_one_lies(live, put):
    first = opened(live, put)
    one = put("G9", "OD", first)
    two = put("9I", "E", put("7I", "A", one))
    three = put("5I", "OR", two)
    live.video(1500, 6500, one)
    live.video(6500, 12000, cover(two, range(6, 10), range(8, 15)))
    live.press("left", 12050)
    live.video(12100, 15000, cover(two, range(6, 10), range(8, 15)))
    live.video(15000, 18000, three)
    assert found(live) == [("left", "8G8H8I"), ("right", "10G9G"), ("left", "7I9I")]
    live.press("right", 18050)
    live.video(18100, 19000, three)
    assert found(live)[3:] == [("right", "5I5J")]
    assert live.logged().count("SecondPlaySeen") == 0


def test_the_view_that_shows_both_plays_counts_for_the_second_at_once(live, put):
    """The next hand may hide its tiles before there is another."""
    first = opened(live, put)
    one = put("G9", "OD", first)
    two = put("9I", "E", put("7I", "A", one))
    live.video(1500, 6500, one)
    live.video(6500, 12000, cover(two, range(6, 10), range(8, 15)))
    live.press("left", 11950)
    live.video(12000, 12400, two)
    assert found(live)[1:] == [("right", "10G9G"), ("left", "7I9I")]


def ruled_off_too_late(live, put):
    """Right's OD comes off once left has laid AE; nobody takes its tiles up. The board then."""
    one = put("G9", "OD", opened(live, put))
    live.video(1500, 4000, one)
    live.press("right", 4050)
    two = put("9I", "E", put("7I", "A", one))
    live.video(4100, 8000, two)
    live.press("left", 8050)
    live.recorder.record(TurnRuled(2, "challenge_upheld", "TD", "no word", 8_060_000_000), "desk")
    live.video(8100, 11000, two)
    return two


def test_tiles_of_a_play_ruled_off_that_still_lie_there_are_no_second_play(live, put):
    three = put("10I", "R", ruled_off_too_late(live, put))
    live.video(11000, 16000, three)
    assert "SecondPlaySeen" not in live.logged()
    live.press("right", 16050)
    live.video(16100, 17000, three)
    assert found(live)[2:] == [("left", "7I9I"), ("right", "10I")]
    assert not {"not_pressed", "press_forgotten"} & {f.code for t in live.turns for f in t.flags}


def test_a_press_under_a_hand_is_waited_for_although_a_play_ruled_off_still_lies_there(live, put):
    """Its tiles passed for the whole play, and what came into sight later for the next one's."""
    three = put("10I", "R", ruled_off_too_late(live, put))
    under = cover(three, range(9, 13), range(7, 13))
    live.video(11000, 12000, under)
    live.press("right", 11950)
    live.video(12000, 13000, under)
    live.video(13000, 16000, three)
    assert found(live)[2:] == [("left", "7I9I"), ("right", "10I")]
