"""Corrections: in any order, taken back, and from a snapshot."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    GameEnded,
    HoldCalled,
    InfractionNoted,
    PenaltyAdded,
    ResultSigned,
    Retracted,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply, fold

from .gamekit import SECOND, Table, random_game

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


def under(book):
    from dataclasses import replace

    return fold([replace(PLAYED[0], rulebook=book), *PLAYED[1:]])


def accepted(state, events):
    """The state after all of them, or None where one is refused."""
    for event in events:
        try:
            state = apply(state, event)
        except TilewatchError:
            return None
    return state


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
@given(BOOKS, CORRECTIONS)
def test_taking_a_correction_back_restores_the_state_exactly(book, correction):
    before = under(book)
    after = accepted(before, [correction])
    if after is not None:
        number = len(PLAYED) + 1
        assert apply(after, Retracted(number, "TD", "a slip", 9)) == before


@settings(max_examples=40, deadline=None)
@given(BOOKS, st.lists(CORRECTIONS, max_size=4), st.integers(1, 39))
def test_a_snapshot_goes_on_to_the_same_state(book, corrections, cut):
    from dataclasses import replace

    events = [replace(PLAYED[0], rulebook=book), *PLAYED[1:]]
    whole = accepted(fold(events), corrections)
    if whole is not None:
        parts = fold(events[cut:], fold(events[:cut]))
        assert fold(corrections, parts) == whole


def test_a_signed_result_is_refused_a_change_in_words_for_people():
    table = Table()
    table.play("8G", "CAT")
    table.put(GameEnded("agreed", table.now))
    table.put(ResultSigned("both", table.now))
    with pytest.raises(TilewatchError, match=r"^the result was signed; to change it reopen"):
        table.put(PenaltyAdded("left", 5, None, "TD", "", table.now))


def test_what_was_seen_cannot_be_taken_back():
    table = Table()
    table.play("8G", "CAT")
    with pytest.raises(TilewatchError, match="only an entry"):
        table.put(Retracted(3, "TD", "", table.now))
    with pytest.raises(TilewatchError, match="no event 99"):
        table.put(Retracted(99, "TD", "", table.now))


def test_nothing_can_be_taken_back_once_it_is_signed_or_twice():
    table = Table()
    table.play("8G", "CAT")
    table.put(PenaltyAdded("left", 5, None, "TD", "", table.now))
    number = len(table.events)
    table.put(Retracted(number, "TD", "", table.now))
    assert table.state.scores["left"] == 10
    with pytest.raises(TilewatchError, match="already been taken back"):
        table.put(Retracted(number, "TD", "", table.now))
    table.put(GameEnded("agreed", table.now))
    table.put(ResultSigned("both", table.now))
    with pytest.raises(TilewatchError, match="the result was signed"):
        table.put(Retracted(len(table.events) - 1, "TD", "", table.now))
