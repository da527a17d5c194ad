"""A table that was killed goes on where it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.events import GameForfeited
from table.desk import NamePlayers, NextGame
from table.resume import resume_game
from tests.table.sessionkit import EMPTY, MS, end, hand, new_game, opened
from vision.tracking.turn_sightings import TurnSightings

CLUB = {"clock.minutes": 20}
"""The settings that the event announces for one game."""


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
        patch.setattr(TurnSightings, "turn_ended", die)
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
        sat.session.seat_players({"left": "Ann", "right": "Bob"})
        sat.killed()
    events = [event.payload["type"] for event in sat.log.events()]
    assert events.count("PlayersNamed") == 1
    assert dict(sat.session.state.players) == {"left": "Ann", "right": "Bob"}


@pytest.mark.parametrize("why", ["", "the draw"])
def test_names_for_the_next_game_are_on_the_disk_when_they_are_answered(sit, put, why):
    sat = sit()
    opened(sat, put)
    end(sat)
    sent = NamePlayers({"left": "Eve", "right": "Bo"}, "director: Ann#1f", "", why, announced=CLUB)
    assert sat.post(sent).seq == sat.log.last_seq
    assert sat.post(NamePlayers({"left": "Eva"}, "director: Ann")).done
    sat.killed()
    assert sat.post(NextGame("director", despite_tiles=True)).done
    assert dict(sat.state.players) == {"left": "Eva", "right": "Bo"}
    assert sat.state.start.adjust == CLUB
    sat.killed()  # in the game that they are of: they are nobody's after it
    end_waiting(sat)
    assert dict(sat.state.players) == {"left": "Left", "right": "Right"}
    assert sat.state.start.adjust == {}


def test_rules_set_by_hand_outlive_a_kill_until_the_configuration_has_others(sit, put):
    sat = sit(settings={"rulebook": "wespa-2007", "announced": {}})
    assert sat.post(new_game("director: Ann", "")).done
    sat.killed()
    end_waiting(sat)
    assert (sat.state.rulebook.id, sat.state.start.adjust) == ("psa", {"clock.minutes": 22})
    sat.options["settings"] = {"rulebook": "wespa-2007", "announced": {"clock.minutes": 20}}
    sat.setup = replace(sat.setup, announced={"clock.minutes": 20})
    sat.killed()
    end_waiting(sat)
    assert sat.state.rulebook.id == "wespa-2007"
    assert sat.state.start.adjust == {"clock.minutes": 20}


def test_simulated_players_take_nobody_s_place_after_a_kill(sit, put):
    own = {"left": "Ann", "right": "Bob"}
    sat = sit()
    sat.session.seat_players(own)
    assert sat.post(NamePlayers({"left": "Eve"}, "director: hub")).done
    sat.killed()
    sat.session.seat_players(own)
    assert dict(sat.state.players) == {"left": "Eve", "right": "Bob"}
    sat.session.seat_players({"left": "Cem", "right": "Dan"})
    assert dict(sat.state.players) == {"left": "Eve", "right": "Dan"}
    end_waiting(sat, {"left": "Fay"})
    assert sat.state.players["left"] == "Fay"
    sat.session.seat_players(own)
    assert dict(sat.state.players) == {"left": "Fay", "right": "Bob"}


def end_waiting(sat, names=None) -> None:
    """Have the game that waits forfeited, names sent for the next, and that one begun."""
    forfeit = GameForfeited("left", "absent", "director", "did not come", sat.now_ms * MS)
    assert sat.rule(forfeit).done
    sat.session.seat_players({"left": "Gus", "right": "Hal"} if names else {})
    assert names is None or sat.post(NamePlayers(names, "director: hub")).done
    assert sat.post(NextGame("director")).done
