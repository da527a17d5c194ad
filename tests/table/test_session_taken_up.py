"""A table that was killed goes on where it was."""

from __future__ import annotations

import pytest

from table.resume import resume_game
from tests.table.sessionkit import EMPTY, MS, hand, opened
from vision.tracking.turn_sightings import TurnSightings


def test_a_killed_table_goes_on_with_the_same_game_and_clocks(sit, put):
    sat = sit()
    first = opened(sat, put)
    before = sat.state
    sat.killed()
    assert sat.state == before
    second = put("J8", "S", first)
    sat.video(0.5, first)
    sat.video(0.3, hand(second))
    sat.video(1, second)
    sat.press("right")
    assert sat.state.turns[1].tiles == {"8J": "S"}
    assert sat.state.turns[1].flags == ()
    spent = sat.state.clocks.remaining_ns["right"] - before.clocks.remaining_ns["right"]
    assert -spent == sat.state.turns[1].press_ns - sat.state.turns[0].press_ns


def test_a_press_that_was_logged_and_not_yet_read_is_read_from_what_was_spooled(
    sit, put, monkeypatch
):
    sat = sit()
    first = put("8G", "CAT")
    sat.video(1, EMPTY)
    sat.press("right")
    sat.video(0.3, hand(first))
    sat.video(1, first)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TurnSightings, "end", die)
        sat.press("left")
    assert sat.state.turns == ()
    sat.killed()
    assert sat.state.turns[0].word == "CAT"
    assert sat.state.turns[0].press_ns == sat.now_ms * MS
    assert sat.state.turns[0].flags == ()


def test_a_turn_that_was_held_open_is_still_open_after_a_restart(sit, put):
    sat = sit()
    first = put("8G", "CAT")
    sat.video(1, EMPTY)
    sat.press("right")
    sat.video(1, hand(first))
    sat.press("left")
    pressed = sat.now_ms * MS
    sat.video(0.2, hand(first))
    assert sat.state.turns == ()
    sat.killed()
    assert resume_game(sat.log, sat.state.game_id).open_turn == ("left", pressed)
    sat.video(1, first)
    assert sat.state.turns[0].word == "CAT"
    assert sat.state.turns[0].press_ns == pressed
    assert [flag.code for flag in sat.state.turns[0].flags] == ["board_covered"]


def test_a_press_just_after_a_restart_finds_the_board_as_it_lay_before(sit, put):
    sat = sit()
    first = put("8G", "CAT")
    sat.video(1, EMPTY)
    sat.press("right")
    sat.video(0.3, hand(first))
    sat.video(1, first)
    sat.killed()
    sat.press("left")
    assert sat.state.turns == ()
    sat.video(0.6, first)
    assert sat.state.turns[0].word == "CAT"
    assert sat.state.turns[0].flags == ()


def test_a_table_killed_before_its_first_game_has_one_all_the_same(sit):
    sat = sit()
    game = sat.state.game_id
    sat.killed()
    assert sat.state.game_id == game
    assert sat.state.status == "waiting"


def test_players_who_sit_down_again_after_a_kill_are_named_once(sit):
    sat = sit()
    for _ in range(2):
        sat.session.seat_players("Ann", "Bob")
        sat.killed()
    events = [event.payload["type"] for event in sat.log.events()]
    assert events.count("PlayersNamed") == 1
    assert dict(sat.session.state.players) == {"left": "Ann", "right": "Bob"}
