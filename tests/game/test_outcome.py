"""Who has won, by how much, and how that is fixed: played, resigned, forfeited, broken off."""

from __future__ import annotations

import pytest

from game.adjudication.entries import check_entry
from game.adjudication.preview import difference
from game.errors import TilewatchError
from game.events import GameEnded, ResultSigned
from game.gcg import record_from_game, write
from game.rulebooks.loading import rulebook_ids
from game.state.outcome import played
from game.state.timed_rights import recount_refused, windows
from table.views.views import AUDIENCES, view

from .gamekit import Table
from .scriptkit import after

V_K = "the difference of the scores, to which 50 points were added (rule V.K)"
AT_SCORE = "naspa-2017 leaving.resigning=current_score"
OUTCOMES = [
    # under what, what happens, who wins by how much, and how that is fixed
    ("wespa-2007", "8G CAT, 9G ON, end", None, 0, ""),
    ("wespa-2007", "8G CAT, 9G ON, penalty left 4, end", "right", 4, ""),
    ("wespa-2007", "8G CAT, forfeit left director 0", "right", 0, "set by the director"),
    ("wespa-2007", "8G CAT, forfeit right resigned", "left", None, "left to the director"),
    ("wespa-2007", "8G CAT, forfeit right resigned 70", "left", 70, "set by the director"),
    ("wespa-2007", "forfeit left both_absent", None, None, "left to the director"),
    (
        "wespa-2007 seconds=2200", "8G CAT, forfeit left overtime", "right", 100,
        "the lead as the limit was reached, 100 points at the least (rule 8.3)",
    ),
    (
        "wespa-2021 seconds=2200", "8G CAT, forfeit left overtime", "right", 100,
        "the difference of the scores, with the limit's points in them (rule 5.3.3)",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right resigned", "left", 60,
        "the lead of 10 and 50 points more (rule 5.7(c))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit left resigned", "right", 50,
        "50 points, as the winner did not lead (rule 5.7(c))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right resigned 150", "left", 150,
        "raised by the director (rule 2.3.6, 5.7(d))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right left", "left", None,
        "left to the director (rule 5.7(d))",
    ),
    ("wespa-2021", "8G CAT, forfeit right director", "left", None, "left to the director"),
    (
        "psa", "8G CAT, forfeit right left", "left", 60,
        "the lead of 10 and 50 points more (rule 5.7)",
    ),
    ("psa", "forfeit left late", "right", 150, "fixed by the rulebook (rule 2.3.6)"),
    (
        AT_SCORE, "8G CAT, 9G ON, penalty right 3, forfeit right resigned", "left", 3,
        "the difference of the scores (rule I.B)",
    ),
    ("naspa-2017", "8G CAT, forfeit right resigned", "left", 60, V_K),
    ("naspa-2017", "8G CAT, forfeit left left", "right", 50, V_K),
    (
        "naspa-2017", "8G CAT, forfeit right resigned 150", "left", 60,
        f"{V_K}; the director raised what the loser's spread loses (rule V.K.3)",
    ),
    ("naspa-2017", "forfeit left absent", "right", 50, "fixed by the rulebook (rule V.K)"),
    (
        "naspa-2017", "forfeit left both_absent", None, 50,
        "a loss of 50 points for each player (rule III.C, V.K)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "steps", "winner", "margin", "basis"), OUTCOMES)
def test_who_has_won_and_how_the_spread_is_fixed(given, steps, winner, margin, basis):
    outcome = after(steps, given).state.outcome
    assert (outcome.winner, outcome.margin, outcome.basis) == (winner, margin, basis)
    how = steps.split(", ")[-1].split()
    due = "played" if how[0] == "end" else how[2].replace("overtime", "overtime_limit")
    assert outcome.kind == due


def test_no_director_sets_a_spread_below_nothing():
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        after("8G CAT, forfeit left director -1")


@pytest.mark.parametrize(
    ("left", "right", "winner", "margin"),
    [(1, 0, "left", 1), (0, 1, "right", 1), (-3, -3, None, 0), (300, 299, "left", 1)],
)
def test_a_point_decides(left, right, winner, margin):
    outcome = played({"left": left, "right": right})
    assert (outcome.kind, outcome.winner, outcome.margin) == ("played", winner, margin)


# A game that was broken off has no winner, nothing to be signed, and no right to a recount.


def broken_off(book="wespa-2007", reason="broken off") -> Table:
    table = after("8G CAT, wait 1", book)
    table.put(GameEnded(reason, table.now, "TD", ""))
    return table


@pytest.mark.parametrize("book", rulebook_ids())
@pytest.mark.parametrize("reason", ["broken off", "set up anew"])
def test_nobody_has_won_and_nothing_is_to_be_asked_for(book, reason):
    state = broken_off(book, reason).state
    found = (state.status, state.no_result, state.final, state.outcome)
    assert found == ("ended", True, False, None)
    assert windows(state) == ()
    assert recount_refused(state) == "the game ended without a result"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_no_audience_is_told_a_result(audience):
    shown = view(broken_off().state, audience)
    assert (shown["outcome"], shown["final"], shown["no_result"]) == (None, False, True)


def test_it_cannot_be_signed_until_somebody_says_how_it_ended():
    table = broken_off()
    with pytest.raises(TilewatchError, match="without a result, so there is nothing to sign"):
        check_entry(table.state, ResultSigned("both", table.now))
    table.put(GameEnded("director", table.now, "TD", "", instead=len(table.events)))
    check_entry(table.state, ResultSigned("both", table.now))
    assert table.state.outcome.winner == "left"


def test_a_log_in_which_one_was_signed_stays_readable_and_its_end_can_be_taken_back():
    table = broken_off()
    state = table.put(ResultSigned("both", table.now))
    assert (state.final, state.outcome) == (False, None)
    state = after("8G CAT, end broken_off, retract -1").state
    assert (state.status, state.no_result) == ("running", False)


def test_the_preview_of_it_says_no_result_and_nothing_of_a_final_one():
    table = after("8G CAT")
    found = difference(table.state, GameEnded("broken off", table.now))
    assert found.facts["outcome"] == (None, "no result")
    assert "final" not in found.facts
    table.put(GameEnded("broken off", table.now))
    found = difference(table.state, GameEnded("agreed", table.now, instead=len(table.events)))
    assert found.facts["outcome"][0] == "no result"


def test_its_record_says_so_and_is_no_whole_game():
    record = record_from_game(broken_off().state)
    assert record.incomplete
    assert "GCG cannot say this: the game was broken off: it has no result" in write(record)
