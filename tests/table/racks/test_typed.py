"""A rack that a commentator types is sealed as a camera's."""

from __future__ import annotations

import pytest

from game.events import GameEnded, RackSeen
from record.rack_key import RackKey
from table.desk import TypeRack
from table.racks.known import KnownRacks
from tests.table.sessionkit import MS, opened


def test_a_typed_rack_is_known_and_its_event_says_nothing(sit):
    sat = sit(racks=KnownRacks(RackKey.generate()))
    answer = sat.post(TypeRack(sat.state.game_id, "left", "AEINRT?", "desk", "Cora"))
    assert answer.done
    assert sat.session.racks.of(sat.state) == {"left": "AEINRT?", "right": None}
    (event,) = (one for one in sat.state.progress.events if isinstance(one, RackSeen))
    assert (event.by, "AEINRT" in event.sealed) == ("Cora", False)


@pytest.mark.parametrize("tiles", ["A" * 9, "a", "AB1", "."])
def test_what_is_no_rack_is_refused(sit, tiles):
    sat = sit(racks=KnownRacks(RackKey.generate()))
    assert "a rack has" in sat.post(TypeRack(sat.state.game_id, "left", tiles, "desk")).refused
    assert "Another game" in sat.post(TypeRack("g0", "left", "A", "desk")).refused


def test_racks_open_once_the_game_cannot_go_on(sit, put):
    sat = sit(racks=KnownRacks(RackKey.generate()))
    board = opened(sat, put)
    game, sealed = sat.state.game_id, sat.session.racks.sealed
    sat.post(TypeRack(game, "left", "AEINRT?", "desk"))
    sat.rule(GameEnded("agreed", sat.now_ms * MS, "TD"))
    sat.video(0.2, board)
    assert "is over" in sat.post(TypeRack(game, "left", "AEINRTS", "desk")).refused
    sat.session.open_racks(0)
    assert sealed(sat.state), "its end can be taken back"
    ended = sat.state
    sat.session.next_game("director")
    sat.session.open_racks(60_000 * MS)
    assert sealed(ended) and "RacksOpened" not in sat.logged()
    sat.now_ms += 61_000
    sat.session.open_racks(60_000 * MS)
    assert sat.logged().count("RacksOpened") == 1


def test_without_the_role_s_key_nothing_is_written(sit):
    sat = sit()
    sat.post(TypeRack(sat.state.game_id, "left", "A", "desk"))
    assert not any(isinstance(one, RackSeen) for one in sat.state.progress.events)
