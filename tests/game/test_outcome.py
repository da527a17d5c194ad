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


AT_SCORE = {"leaving.resigning": "current_score"}


@pytest.mark.parametrize(
    ("book", "adjust", "side", "cause", "margin", "basis"),
    [
        (
            "wespa-2021", {}, "right", "resigned", 60,
            "the lead of 10 and 50 points more (rule 5.7(c))",
        ),
        (
            "wespa-2021", {}, "left", "resigned", 50,
            "50 points, as the winner did not lead (rule 5.7(c))",
        ),
        ("psa", {}, "right", "left", 60, "the lead of 10 and 50 points more (rule 5.7)"),
        (
            "naspa-2017", AT_SCORE, "right", "resigned", 10,
            "the difference of the scores (rule I.B)",
        ),
        (
            "naspa-2017", {}, "right", "resigned", 60,
            "the difference of the scores, to which 50 points were added (rule V.K)",
        ),
        (
            "naspa-2017", {}, "left", "left", 50,
            "the difference of the scores, to which 50 points were added (rule V.K)",
        ),
        ("wespa-2007", {}, "right", "resigned", None, "left to the director"),
        ("wespa-2021", {}, "right", "left", None, "left to the director (rule 5.7(d))"),
        ("wespa-2021", {}, "right", "director", None, "left to the director"),
    ],
)  # fmt: skip
def test_a_game_that_is_given_up_says_how_its_spread_is_fixed(
    book, adjust, side, cause, margin, basis
):
    table = Table(rulebook=book, adjust=adjust)
    table.play("8G", "CAT")
    outcome = table.put(GameForfeited(side, cause, "TD", "", table.now)).outcome
    assert (outcome.margin, outcome.basis) == (margin, basis)


@pytest.mark.parametrize(
    ("book", "cause", "margin", "basis"),
    [
        ("wespa-2007", "resigned", 70, "set by the director"),
        ("wespa-2021", "resigned", 150, "raised by the director (rule 2.3.6, 5.7(d))"),
        (
            "naspa-2017", "resigned", 150,
            "the difference of the scores, to which 50 points were added (rule V.K); the director "
            "raised what the loser's spread loses (rule V.K.3)",
        ),
    ],
)  # fmt: skip
def test_a_spread_that_the_director_set_says_so(book, cause, margin, basis):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    event = GameForfeited("right", cause, "TD", "", table.now, margin=margin)
    assert table.put(event).outcome.basis == basis


@pytest.mark.parametrize(
    ("book", "cause", "basis"),
    [
        ("naspa-2017", "absent", "fixed by the rulebook (rule V.K)"),
        ("psa", "late", "fixed by the rulebook (rule 2.3.6)"),
        ("naspa-2017", "both_absent", "a loss of 50 points for each player (rule III.C, V.K)"),
        ("wespa-2007", "both_absent", "left to the director"),
    ],
)
def test_a_game_that_was_not_begun_says_how_its_spread_is_fixed(book, cause, basis):
    table = Table(rulebook=book)
    assert table.put(GameForfeited("left", cause, "TD", "", 0)).outcome.basis == basis


def test_a_game_that_is_played_out_is_decided_by_its_scores_and_needs_no_more():
    assert played({"left": 1, "right": 0}).basis == ""


@pytest.mark.parametrize(
    ("book", "basis"),
    [
        ("wespa-2007", "the lead as the limit was reached, 100 points at the least (rule 8.3)"),
        (
            "wespa-2021",
            "the difference of the scores, with the limit's points in them (rule 5.3.3)",
        ),
    ],
)
def test_a_game_that_is_lost_by_overtime_says_how_its_spread_is_fixed(book, basis):
    table = Table(rulebook=book, seconds=2200)
    table.play("8G", "CAT")
    assert table.put(GameForfeited("left", "overtime", "TD", "", table.now)).outcome.basis == basis
