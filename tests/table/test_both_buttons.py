"""One blow on both clock buttons, and a game that goes on without any press."""

from __future__ import annotations

import pytest

from table.resume import resume_game

from .recorderkit import cover, opened


def found(live):
    return [(turn.side, turn.kind, "".join(sorted(turn.tiles))) for turn in live.turns]


CAT = ("left", "play", "8G8H8I")
ONE = ("right", "play", "9G9H9I")


@pytest.mark.parametrize("order", [("right", "left"), ("left", "right")])
def test_a_blow_on_both_buttons_ends_the_turn_of_the_player_on_turn(live, put, order):
    first = opened(live, put)
    one = put("9G", "ONE", first)
    live.video(1500, 3000, one)
    for at, button in enumerate(order):
        live.press(button, 2950 + 5 * at)
    live.video(3000, 5000, one)
    assert found(live) == [CAT, ONE]
    assert (live.state.on_turn, live.state.clocks.running) == ("left", "left")
    assert live.logged().count("ButtonPressed") == 4  # both are in the record
    resumed = resume_game(live.log, "g")
    assert (resumed.open_turn, resumed.state.clocks) == (None, live.state.clocks)


def test_a_blow_on_both_buttons_under_a_hand_leaves_the_turn_open(live, put):
    first = opened(live, put)
    one = put("9G", "ONE", first)
    live.video(1500, 3000, cover(one), sure=0.3)
    live.press("right", 2950)
    live.press("left", 2955)
    live.video(3000, 3400, cover(one), sure=0.3)
    assert live.recorder.held is not None
    live.video(3400, 5000, one)
    assert found(live) == [CAT, ONE]
    assert live.codes(2) in ([], ["board_covered"])


def test_a_press_a_moment_later_is_a_turn(live, put):
    first = opened(live, put)
    live.video(1500, 3000, put("9G", "ONE", first))
    live.press("right", 2950)
    live.press("left", 3050)
    live.video(3050, 4000, put("9G", "ONE", first))
    assert found(live) == [CAT, ONE, ("left", "exchange_or_pass", "")]


def test_three_plays_without_any_press_are_asked_about(live, put):
    """No hand was seen, so whose they are is open."""
    first = opened(live, put)
    one = put("G9", "OD", first)
    two = put("9I", "E", put("7I", "A", one))
    three = put("G11", "EN", two)
    live.video(1500, 3000, first)
    for at, board in enumerate((one, two, three), start=1):
        live.video(3000 * at, 3000 * at + 3000, board)
    live.press("right", 12050)
    live.video(12100, 15000, three)
    assert live.turns[-1].tiles.keys() == {"9G", "10G", "7I", "9I", "11G", "12G"}
    assert "press_forgotten" in live.codes(2)
