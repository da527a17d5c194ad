"""A game that was ended for a reason that does not hold goes on, or ended otherwise."""

from __future__ import annotations

import pytest

from game.adjudication.remedies import offers
from game.errors import TilewatchError
from game.events import GameEnded, GameReopened, Retracted, TurnRuled
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import apply, fold

from .answerkit import LATER, entered
from .gamekit import Table
from .test_ending import out_table


def test_a_game_whose_last_play_came_off_can_go_on():
    table = out_table()
    table.end("out")
    assert not table.state.ended_but_nobody_out
    challenge = TurnRuled(table.state.turns[-1].number, "challenge_upheld", "TD", "", table.now)
    state = table.put(challenge)
    assert (state.status, state.end_reason) == ("ended", "out")
    assert state.ended_but_nobody_out
    (flag,) = state.flags
    offer = offers(state, None, flag)[0]
    assert offer.text == "the game goes on: take its end back"
    state = entered(state, offer)
    assert (state.status, state.end_reason, state.flags) == ("running", None, ())
    ruled = len(state.progress.events) - 1
    assert apply(state, Retracted(ruled, "TD", "it stood", LATER)).end_reason == "out"


def ended_too_early(book):
    table = Table(rulebook=book)
    table.play("8G", "CAT")
    table.nothing()
    table.nothing()
    return table, table.end("six_zeros")


def asked_how_it_ended(state):
    (flag,) = [one for one in state.flags if one.code == "not_scoreless"]
    return {one.id.rpartition(":")[2]: one for one in offers(state, None, flag)}


@pytest.mark.parametrize("book", rulebook_ids())
def test_an_end_by_scoreless_turns_that_were_too_few_can_be_put_right(book):
    table, state = ended_too_early(book)
    flag = state.flags[0]
    assert "2 in a row are counted, 6 are needed" in flag.message
    assert flag.rule == load_rulebook(book).rule("scoreless.turns")
    found = asked_how_it_ended(state)
    assert [*found] == ["going_on", "confirmed", "shortened", "director"]
    after = entered(state, found["going_on"])
    assert (after.status, after.end_reason) == ("running", None)
    after = entered(state, found["shortened"])
    assert (after.status, after.end_reason) == ("ended", "shortened")
    assert "not_scoreless" not in [one.code for one in after.flags]
    assert after.progress.ended.t_ns == table.now  # it was over then
    last = len(after.progress.events)
    assert apply(after, Retracted(last, "TD", "a slip", LATER)).end_reason == "six_zeros"
    first = apply(after, Retracted(last - 1, "TD", "a slip", LATER))
    assert (first.status, first.end_reason) == ("ended", "shortened")
    assert fold(after.progress.events) == after


def test_an_end_that_took_the_place_of_another_is_taken_back_with_it():
    table = Table()
    table.play("8G", "CAT")
    table.end("director")
    state = table.put(GameEnded("six_zeros", LATER, instead=len(table.events)))
    after = entered(state, asked_how_it_ended(state)["going_on"])
    assert (after.status, after.end_reason) == ("running", None)


def test_what_ended_nothing_is_not_replaced():
    table = Table()
    table.play("8G", "CAT")
    table.end("director")
    for number in (0, 1, len(table.events) + 1):
        with pytest.raises(TilewatchError, match="did not end the game"):
            table.put(GameEnded("shortened", LATER, instead=number))


def test_enough_scoreless_turns_are_not_asked_about():
    table = Table(rulebook="naspa-2017")
    for _ in range(6):
        table.nothing()
    assert "not_scoreless" not in [one.code for one in table.end("six_zeros").flags]
    table.put(GameReopened("the game goes on", "TD", "", table.now))
    assert "not_scoreless" not in [one.code for one in table.end("six_zeros").flags]
