"""How a game ended, through its record and back: never another winner."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from game import Game, TilewatchError
from game.events import Cause, ClockAdjusted, EndReason, GameEnded, GameForfeited
from game.gcg import check, parse
from game.rulebooks.loading import SECOND, rulebook_ids


def a_game(rulebook: str) -> Game:
    """Ann leads by 44 and is a minute over time."""
    one = Game("Ann", "Bob", rulebook=rulebook)
    one.wait(one.clocks["Ann"] + 61)
    one.play("8D", "QUIET")
    one.play("H8", ".REE")
    return one


def assert_same_end(one: Game) -> None:
    text = one.to_gcg()
    assert check(parse(text)) == []
    again = Game.from_gcg(text)
    assert (again.is_over, again.winner) == (one.is_over, one.winner)
    assert (again.scores, again.outcome) == (one.scores, one.outcome)
    assert again.to_gcg() == text


@pytest.mark.parametrize("rulebook", rulebook_ids())
@pytest.mark.parametrize("cause", get_args(Cause))
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_forfeit_comes_back_as_one(rulebook, cause, side):
    one = a_game(rulebook)
    try:
        one.record(GameForfeited(side, cause, by="TD", why="x", t_ns=one.now_ns))
    except TilewatchError:
        return  # the text, or the game so far, has none such
    assert one.is_over
    assert_same_end(one)


@pytest.mark.parametrize("rulebook", rulebook_ids())
@pytest.mark.parametrize("reason", [*EndReason, "director", "confirmed"])
def test_an_end_by_word_comes_back_as_it_was(rulebook, reason):
    one = a_game(rulebook)
    one.record(GameEnded(reason, one.now_ns))
    assert_same_end(one)


@pytest.mark.parametrize("rulebook", rulebook_ids())
@pytest.mark.parametrize("seconds", [600, 601, 630, 900, 930])
@pytest.mark.parametrize("then", ["agreed", "forfeit", None])
def test_a_game_lost_by_the_limit_on_overtime_has_the_same_winner(rulebook, seconds, then):
    one = a_game(rulebook)
    one.record(ClockAdjusted("left", (61 - seconds) * SECOND, None, "TD", "", one.now_ns))
    over = one.state.forfeit is not None
    if not one.is_over and then == "agreed":
        one.record(GameEnded(then, one.now_ns))
    elif over and not one.is_over and then == "forfeit":
        one.record(GameForfeited("left", "overtime", "TD", "", one.now_ns))
    again = Game.from_gcg(one.to_gcg())
    assert (again.is_over, again.winner) == (one.is_over, one.winner)
    assert (not over) or again.winner == ("Bob" if one.is_over else None)


def test_a_margin_that_the_director_set_comes_back():
    one = a_game("sanspa-1999")
    one.record(GameForfeited("left", "director", "TD", "", one.now_ns, margin=77))
    assert one.outcome.margin == 77
    assert_same_end(one)


def test_a_record_that_says_that_it_is_incomplete_is_not_taken_to_have_ended():
    one = a_game("wespa-2021")
    one.record(GameForfeited("left", "resigned", "TD", "", one.now_ns))
    from_elsewhere = re.sub(r"#note tilewatch: lost.*\n", "", one.to_gcg())
    again = Game.from_gcg(from_elsewhere)
    assert (again.is_over, again.winner) == (False, None)
