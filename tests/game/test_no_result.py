"""A game that was broken off has no winner, nothing to be signed, and no right to a recount."""

from __future__ import annotations

import pytest

from game.adjudication.entries import check_entry
from game.adjudication.preview import difference
from game.errors import TilewatchError
from game.events import GameEnded, ResultSigned, Retracted
from game.gcg import record_from_game, write
from game.rulebooks.loading import rulebook_ids
from game.state.timed_rights import recount_refused, windows
from table.views.views import AUDIENCES, view

from .gamekit import SECOND, Table


def broken_off(book="wespa-2007", reason="broken off"):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.put(GameEnded(reason, table.now + SECOND, "TD", ""))
    return table


@pytest.mark.parametrize("book", rulebook_ids())
@pytest.mark.parametrize("reason", ["broken off", "set up anew"])
def test_nobody_has_won_and_nothing_is_to_be_asked_for(book, reason):
    state = broken_off(book, reason).state
    assert (state.status, state.no_result, state.final, state.outcome) == (
        "ended",
        True,
        False,
        None,
    )
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


def test_a_log_in_which_one_was_signed_stays_readable():
    table = broken_off()
    state = table.put(ResultSigned("both", table.now))
    assert (state.final, state.outcome) == (False, None)


def test_the_end_can_be_taken_back():
    table = broken_off()
    state = table.put(Retracted(len(table.events), "TD", "", table.now))
    assert (state.status, state.no_result) == ("running", False)


def test_the_preview_of_it_says_no_result_and_nothing_of_a_final_one():
    table = Table()
    table.play("8G", "CAT")
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
