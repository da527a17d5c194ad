"""Racks of a table's games are opened once a game cannot go on."""

from __future__ import annotations

from game.events import GameEnded, RackSeen
from record.rack_key import RackKey
from table.racks.history import RackSighting
from table.racks.known import KnownRacks
from tests.table.sessionkit import MS, opened


def seen(sat, tiles):
    return sat.session.rack(RackSighting("left", tiles, sat.now_ms * MS), "racks")


def test_racks_open_once_the_game_cannot_go_on(sit, put):
    sat = sit(racks=KnownRacks(RackKey.generate()))
    board = opened(sat, put)
    sealed = sat.session.racks.sealed
    assert seen(sat, "AEINRT?")
    sat.rule(GameEnded("agreed", sat.now_ms * MS, "TD"))
    sat.video(0.2, board)
    assert seen(sat, "AEINRTS") is None
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
    assert seen(sat, "A") is None
    assert not any(isinstance(one, RackSeen) for one in sat.state.progress.events)
