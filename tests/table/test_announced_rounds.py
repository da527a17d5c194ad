"""What the pairings announce for a round, and what goes over it."""

from __future__ import annotations

from dataclasses import replace

from game.rulebooks.loading import load_rulebook
from table.desk import (
    NamePlayers,
)
from table.game_setup import GameSetup
from table.pairings.details import Seat
from table.roster import RosterFile, Schedule
from tests.table.sessionkit import EMPTY, PAIRINGS, end, new_game, opened

ANNOUNCED = PAIRINGS.replace("right\n", "right,challenge,clock.minutes\n").replace(
    "Bob\n", "Bob,lose_turn,\n"
)


def announcing(path):
    book = load_rulebook("wespa-2007")
    return Schedule(pairings=RosterFile(path, Seat(1), book))


def test_what_the_pairings_announce_holds_for_its_round_alone(sit, put, tmp_path):
    pairings = tmp_path / "pairings.csv"
    pairings.write_text(ANNOUNCED.replace("lose_turn", "points 10 challenge"))
    sat = sit(schedule=announcing(pairings))
    assert sat.state.rulebook.challenge_failed_points == 10
    opened(sat, put)
    end(sat)
    sat.video(1.5, EMPTY)
    assert sat.state.players["left"] == "Dora"
    assert sat.state.start.adjust == {}


def test_an_announcement_that_comes_while_the_board_is_ready_holds_too(sit, put, tmp_path):
    pairings = tmp_path / "pairings.csv"
    pairings.write_text(ANNOUNCED.replace("lose_turn", ""))
    sat = sit(schedule=announcing(pairings))
    before = sat.state.game_id
    assert sat.post(NamePlayers({"left": "Anna"}, "director")).done
    pairings.write_text(ANNOUNCED.replace("Bob,lose_turn,", "Bobby,lose_turn,22"))
    sat.video(0.2, EMPTY)
    assert sat.state.game_id != before
    assert dict(sat.state.players) == {"left": "Anna", "right": "Bobby"}
    assert sat.state.start.adjust == {"challenge.failed": "lose_turn", "clock.minutes": 22}
    assert sat.log.verify() is None


def test_rules_set_by_hand_outlive_the_pairings(sit, tmp_path):
    pairings = tmp_path / "pairings.csv"
    pairings.write_text(ANNOUNCED)
    sat = sit(schedule=announcing(pairings))
    assert sat.post(new_game("director", "other rules")).done
    pairings.write_text(ANNOUNCED.replace("lose_turn", "points 10 word"))
    sat.video(0.2, EMPTY)
    assert sat.state.rulebook.id == "psa"
    assert sat.state.start.adjust == {"clock.minutes": 22}


def test_names_come_with_what_is_announced_for_their_game(sit, put):
    sat = sit()
    output = {"challenge": "lose_turn"}
    naming = NamePlayers({"left": "Ann", "right": "Bo"}, "hub", announced=output)
    assert sat.post(naming).done
    assert sat.state.start.adjust == {"challenge.failed": "lose_turn"}
    assert dict(sat.state.players) == {"left": "Ann", "right": "Bo"}
    game = sat.state.game_id
    assert sat.post(replace(naming, players={"left": "Anna"})).done
    assert (sat.state.game_id, sat.state.players["left"]) == (game, "Anna")
    wrong = replace(naming, announced={"challenge": "points 7 word"})
    assert "an event may announce" in sat.post(wrong).refused
    opened(sat, put)
    assert "with other rules; end it first" in sat.post(replace(naming, announced={})).refused
    assert sat.post(naming).done  # the same rules: they are only named
    end(sat)
    assert sat.post(replace(naming, announced={})).done
    sat.video(1.5, EMPTY)
    assert (sat.state.start.adjust, sat.state.players["left"]) == ({}, "Ann")


def test_a_round_s_announcement_goes_over_the_table_s_own():
    table = GameSetup("english", "wespa-2007", announced={"clock.minutes": 20})
    assert table.adjust() == {"clock.minutes": 20}
    assert table.adjust({"challenge": "lose_turn"}) == {
        "clock.minutes": 20,
        "challenge.failed": "lose_turn",
    }
    assert table.adjust({"clock.minutes": 25}) == {}
    assert replace(table, by_hand=True).adjust({"clock.minutes": 22}) == {"clock.minutes": 20}
    sent = replace(table, by_hand=True, of_round={"clock.minutes": 15})
    assert sent.adjust({"clock.minutes": 22}) == {"clock.minutes": 15}
