"""Corrections: in any order, taken back, and from a snapshot."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    HoldCalled,
    InfractionNoted,
    PenaltyAdded,
    Retracted,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply, fold
from game.values import replace

from .gamekit import SECOND, random_game
from .scriptkit import follow, scripts

PLAYED = random_game(5, pass_rate=0.2).events[:40]
BOOKS = st.sampled_from(rulebook_ids())
TURNS = st.integers(1, 12)
TIMES = st.integers(0, 5)
SIDES = st.sampled_from(["left", "right"])
RULINGS = ["play", "exchange", "pass", "challenge_upheld", "taken_back", "no_score", "undone"]
CORRECTIONS = st.one_of(
    st.builds(TurnRuled, TURNS, st.sampled_from(RULINGS), st.just("TD"), st.just("test"), TIMES),
    st.builds(
        SquareCorrected,
        TURNS,
        st.sampled_from(["8H", "8G", "9H", "1A", "7H"]),
        st.sampled_from("AEQz.?#"),
        st.just("TD"),
        st.just("test"),
        TIMES,
        st.sampled_from(["", "it lies on its side", "it lies upside down"]),
    ),
    st.builds(
        PenaltyAdded, SIDES, st.integers(0, 50), st.none(), st.just("TD"), st.just(""), TIMES
    ),
    st.builds(
        StopExplained,
        st.integers(0, 12),
        st.sampled_from(["challenge", "score", "six_zeros", "other"]),
        st.just("TD"),
        st.just(""),
        TIMES,
    ),
    st.builds(HoldCalled, TURNS, st.just("opponent"), TIMES),
    st.builds(InfractionNoted, SIDES, st.none(), st.just("TD"), st.just(""), TIMES),
    st.builds(
        ClockAdjusted,
        SIDES,
        st.integers(-90, 90).map(lambda s: s * SECOND),
        st.none(),
        st.just("TD"),
        st.just(""),
        TIMES,
    ),
)


def events_under(book):
    return [replace(PLAYED[0], rulebook=book), *PLAYED[1:]]


@cache
def under(book):
    return fold(events_under(book))


def accepted(state, events):
    """The state after all of them, or None where one is refused."""
    for event in events:
        try:
            state = apply(state, event)
        except TilewatchError:
            return None
    return state


@given(BOOKS, st.lists(CORRECTIONS, min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_corrections(book, corrections, rng):
    start = under(book)
    shuffled = corrections[:]
    rng.shuffle(shuffled)
    one, two = accepted(start, corrections), accepted(start, shuffled)
    if one is not None and two is not None:
        assert one.scores == two.scores
        assert one.board == two.board
        assert [turn.kind for turn in one.turns] == [turn.kind for turn in two.turns]
        assert list(map(turned, one.turns)) == list(map(turned, two.turns))


def turned(turn):
    return {(f.squares, f.message) for f in turn.flags if f.code.startswith("misoriented")}


@given(BOOKS, CORRECTIONS)
def test_taking_a_correction_back_restores_the_state_exactly(book, correction):
    before = under(book)
    after = accepted(before, [correction])
    if after is not None:
        number = len(PLAYED) + 1
        assert apply(after, Retracted(number, "TD", "a slip", 9)) == before


@given(BOOKS, st.lists(CORRECTIONS, max_size=4), st.integers(1, 39))
def test_a_snapshot_goes_on_to_the_same_state(book, corrections, cut):
    events = events_under(book)
    whole = accepted(under(book), corrections)
    if whole is not None:
        parts = fold(events[cut:], fold(events[:cut]))
        assert fold(corrections, parts) == whole


GAMES = """
a signed result is refused a change in words for people
    8G CAT, end, sign, penalty left 5 -> refused = the result was signed; to change it reopen
what was seen cannot be taken back, nor what nobody entered
    8G CAT, retract 3 -> refused = only an entry
    retract 99 -> refused = no event 99
    nobody 1, retract -1 -> refused = TimePassed: only an entry
nothing can be taken back twice, or once it is signed
    8G CAT, penalty left 5, retract -1 -> scores = 10 0
    retract -2 -> refused = already been taken back
    end, sign, retract -2 -> refused = the result was signed
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_cannot_be_corrected(script):
    follow(script)
