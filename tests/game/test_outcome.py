"""Who has won, and by how much: played, resigned, forfeited."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.events import GameEnded, GameForfeited, PenaltyAdded
from game.state.fold import apply
from game.state.outcome import played

from .gamekit import Table


def test_a_director_may_set_a_spread_of_nothing_where_the_text_is_silent():
    table = Table(rulebook="wespa-2007")
    table.play("8G", "CAT")
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        table.put(GameForfeited("left", "director", "TD", "", table.now, margin=-1))
    state = table.put(GameForfeited("left", "director", "TD", "", table.now, margin=0))
    assert (state.outcome.winner, state.outcome.margin) == ("right", 0)


@pytest.mark.parametrize(
    ("left", "right", "winner", "margin"),
    [(1, 0, "left", 1), (0, 1, "right", 1), (-3, -3, None, 0), (300, 299, "left", 1)],
)
def test_a_point_decides(left, right, winner, margin):
    outcome = played({"left": left, "right": right})
    assert (outcome.kind, outcome.winner, outcome.margin) == ("played", winner, margin)


@pytest.mark.parametrize("cause", ["left", "resigned", "late", "absent", "director"])
def test_an_outcome_says_what_it_came_from(cause):
    table = Table(rulebook="psa")
    outcome = table.put(GameForfeited("left", cause, "TD", "", 0)).outcome
    assert (outcome.kind, outcome.winner) == (cause, "right")


def test_the_higher_score_wins_by_the_difference():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    state = apply(table.state, GameEnded("agreed", table.now))
    assert dict(state.scores) == {"left": 10, "right": 10}
    assert (state.outcome.winner, state.outcome.margin) == (None, 0)
    table.put(PenaltyAdded("left", 4, None, "TD", "", table.now))
    state = apply(table.state, GameEnded("agreed", table.now))
    assert (state.outcome.winner, state.outcome.margin) == ("right", 4)


def test_a_game_resigned_at_its_score_is_won_by_the_lead():
    table = Table(rulebook="naspa-2017", adjust={"leaving.resigning": "current_score"})
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(PenaltyAdded("right", 3, None, "TD", "", table.now))
    outcome = table.put(GameForfeited("right", "resigned", "TD", "", table.now)).outcome
    assert (outcome.winner, outcome.margin, outcome.rule) == ("left", 3, "I.B")


@pytest.mark.parametrize(
    ("book", "margin", "rule"), [("naspa-2017", 50, "III.C, V.K"), ("wespa-2007", None, None)]
)
def test_a_game_that_neither_came_to_is_lost_by_both_where_the_text_says_so(book, margin, rule):
    table = Table(rulebook=book)
    outcome = table.put(GameForfeited("left", "both_absent", "TD", "", 0)).outcome
    assert (outcome.winner, outcome.margin, outcome.rule) == (None, margin, rule)
