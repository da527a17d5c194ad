"""A table lets Woogles have nothing sooner than the public, and racks only where it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.gcg import gcg_text
from dashboard.site import table_over
from game.events import GameEnded, PublicationDecided
from record.log.event_log import EventLog
from record.rack_key import RackKey
from table.coming_games import round_of
from table.racks.history import RackSighting
from table.racks.known import KnownRacks
from table.views.public_policy import PublicPolicy
from table.woogles_games import ShownLate
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from woogles.slot import WooglesOptions

KEY = RackKey.generate()
NAMES = {"left": "Ann Lee", "right": "Bo"}


@pytest.fixture
def log(tmp_path):
    with EventLog(tmp_path / "tilewatch.db") as opened:
        yield opened


@pytest.fixture
def game(log):
    return GameInLog(log).start(names=NAMES)


def late(log, game, public=None, known=None, **options) -> ShownLate:
    table = table_over(log, id="1", name="T", clock=lambda: game.t_ns, public=public or
                       PublicPolicy())  # fmt: skip
    given = {"account": "club", "broadcast": "open", **options}
    return ShownLate(table, WooglesOptions.model_validate(given), 3, 7, known)


def count(games: ShownLate, game_id=None) -> int:
    shown = games.game(game_id)
    return 0 if shown is None else len(shown.record.entries)


def test_a_game_comes_as_the_public_sees_it_with_its_round_and_table(log, game):
    games = late(log, game)
    game.plays(TURNS)
    shown = games.game(None)
    assert (shown.wanted.round, shown.wanted.table) == (3, 7)
    assert shown.wanted.players == ("Ann Lee", "Bo")
    assert count(games) == len(TURNS)
    assert all(clock is not None for clock in shown.clocks)
    assert games.game(None) is shown


@pytest.mark.parametrize(
    ("public", "own"), [({"delay_turns": 3}, {}), ({}, {"delay_turns": 3}),
                        ({"delay_turns": 1}, {"delay_turns": 3})],
)  # fmt: skip
def test_the_later_delay_holds(log, game, public, own):
    games = late(log, game, PublicPolicy(**public), **own)
    for number, turn in enumerate(TURNS, start=1):
        game.play(*turn)
        assert count(games) <= max(0, number - 3)
    assert count(games) == len(TURNS) - 3


def test_a_game_that_is_not_shown_is_not_sent(log, game):
    games = late(log, game)
    game.plays(TURNS)
    game.put(PublicationDecided("nothing", "TD", "asked", game.t_ns))
    assert games.game(None) is None


def test_players_without_names_are_nobody_to_follow(log):
    game = GameInLog(log).start(names={"left": "Left", "right": "Right"})
    game.plays(TURNS)
    assert late(log, game).game(None) is None


def test_racks_come_only_if_it_is_said_and_as_late_as_the_rest(log, game):
    known = KnownRacks(KEY)
    games = late(log, game, known=known, delay_turns=2, racks=True)
    silent = late(log, game, known=known, delay_turns=2)
    state = late(log, game)
    tiles = ("FIRNSAE", "HOETRAI", "AEIOUTR", "TOLSXYZ")
    for rack, turn in zip(tiles, TURNS, strict=False):
        folded = state._table.folded.shown().state
        for event in known.sealing(folded, RackSighting(game.side, rack, game.t_ns + SECOND)):
            game.put(event)
        game.play(*turn)
    racks = [entry.rack for entry in games.game(None).record.entries]
    assert racks[0] == "FIRNSAE"
    assert "TOLSXYZ" not in str(games.game(None))
    assert silent.game(None).record.entries[0].rack == "FINRS"
    assert silent.game(None).racks == (None, None)


def test_an_earlier_game_is_whole_and_has_its_own_round(log, game):
    games = late(log, game)
    game.plays(TURNS)
    game.put(GameEnded("agreed", game.t_ns))
    after = replace(game, game_id="game-2", side="left", board=game.board.empty())
    after.t_ns += SECOND
    after.start(names=NAMES)
    games._table.folded.shown()
    assert games.game(None).wanted.round == 4
    assert games.game("game-1").wanted.round == 3
    assert count(games, "game-1") >= len(TURNS)
    assert round_of(log, "game-2", 1) == 2


def test_a_records_racks_are_in_it_once_they_are_opened(log, game):
    known = KnownRacks(KEY)
    table = late(log, game)._table
    state = table.folded.shown().state
    for event in known.sealing(state, RackSighting("left", "FIRNSAE", game.t_ns + SECOND)):
        game.put(event)
    game.play(*TURNS[0])
    game.put(GameEnded("agreed", game.t_ns))
    assert "FIRNSAE" not in gcg_text(table.folded.shown().state, table, "public")
    game.put(known.opening(table.folded.shown().state, game.t_ns + SECOND))
    assert ">Ann_Lee: FIRNSAE 8D FIRNS" in gcg_text(table.folded.shown().state, table, "public")
