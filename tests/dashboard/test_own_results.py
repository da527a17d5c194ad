"""Results of a table's own games, for the overlays of the event."""

from __future__ import annotations

import time

import pytest

from dashboard.event.own_results import own_results, results_of_table
from dashboard.shown_games import GameLine, ShownGames
from game.events import Finding, GameEnded
from table.pairings.details import PairedGame
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, site_over

PAIR = frozenset(("ann", "bob"))
ONCE = (PairedGame(1, 1, "Ann", "Cem"), PairedGame(2, 1, "Bob", "ANN "))


def line(
    left=("Ann", 402), right=("Bob", 371), *, kind=None, early=None, final=True, provisional=False
):
    players = {
        side: {"name": name, "score": score}
        for side, (name, score) in {"left": left, "right": right}.items()
    }
    no_result = early in ("broken off", "set up anew")
    final = final and not no_result
    return GameLine("g", players, "left", kind, early, final, no_result, provisional, False, 20, 0)


@pytest.mark.parametrize(
    ("played", "games", "counts"),
    [
        (line(), ONCE, True),
        (line(early="agreed"), ONCE, True),
        (line(early="director"), ONCE, True),
        (line(early="broken off"), ONCE, False),
        (line(early="set up anew"), ONCE, False),
        (line(kind="overtime_limit"), ONCE, False),
        (line(kind="resigned"), ONCE, False),
        (line(final=False), ONCE, False),
        (line(provisional=True), ONCE, False),
        (line(right=("Dee", 371)), ONCE, False),
        (line(), (*ONCE, PairedGame(9, 4, "Ann", "Bob")), False),
        (line(), (PairedGame(2, 1, "Bob", "Ann", scores=(380, 392)),), False),  # by the file
    ],
)
def test_a_result_counts_for_the_one_round_in_which_its_players_meet(played, games, counts):
    expected = {(2, PAIR): {"ann": 402, "bob": 371}}
    assert own_results([played], games) == (expected if counts else {})


def test_of_two_games_the_newest_counts():
    newest = line(left=("Ann", 300))
    assert own_results([newest, line()], ONCE)[2, PAIR]["ann"] == 300


def test_games_of_another_day_are_of_another_event(log):
    game = GameInLog(log).start()
    game.play(*TURNS[0])
    game.put(GameEnded("agreed", game.t_ns))
    site = site_over(log)
    try:
        games = (PairedGame(3, 1, NAMES["left"], NAMES["right"]),)
        days = 86_400 * SECOND
        for age_ns, count in ((0, 1), (2 * days, 0)):
            results = results_of_table(
                ShownGames(), site.tables[0], lambda age=age_ns: time.time_ns() + age
            )
            assert len(results(games)) == count
    finally:
        site.close()


def test_a_result_in_question_does_not_count(log):
    game = GameInLog(log).start()
    game.play(*TURNS[0], [Finding("uncertain_square", TURNS[0][0])])
    game.put(GameEnded("agreed", game.t_ns))
    site = site_over(log)
    try:
        games = (PairedGame(3, 1, NAMES["left"], NAMES["right"]),)
        assert results_of_table(ShownGames(), site.tables[0])(games) == {}
    finally:
        site.close()
