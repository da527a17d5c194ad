"""Corrections, rulings and changes afterwards: in any order, taken back, and from a snapshot."""

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
    PlayersNamed,
    RackReported,
    RackUnderdrawn,
    Retracted,
    ScoreAgreed,
    SquareCorrected,
    StopExplained,
    TurnRuled,
    TurnSeen,
)
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply, fold
from game.values import replace

from .gamekit import SECOND, random_game
from .scriptkit import after

PLAYED = random_game(5, pass_rate=0.2).events[:40]
BOOKS = st.sampled_from(rulebook_ids())
TURNS = st.integers(1, 12)
BY, WHY, TIMES = st.just("TD"), st.just("test"), st.integers(0, 5)
SIDES, NONE = st.sampled_from(["left", "right"]), st.none()
RULINGS = ["play", "exchange", "pass", "challenge_upheld", "taken_back", "no_score", "undone"]
SQUARES = st.sampled_from(["8H", "8G", "9H", "1A", "7H"])
POSES = st.sampled_from(["", "it lies on its side", "it lies upside down"])
REASONS = st.sampled_from(["challenge", "score", "six_zeros", "other"])
SECONDS = st.integers(-90, 90).map(lambda seconds: seconds * SECOND)
CORRECTIONS = st.one_of(
    st.builds(TurnRuled, TURNS, st.sampled_from(RULINGS), BY, WHY, TIMES),
    st.builds(SquareCorrected, TURNS, SQUARES, st.sampled_from("AEQz.?#"), BY, WHY, TIMES, POSES),
    st.builds(PenaltyAdded, SIDES, st.integers(0, 50), NONE, BY, WHY, TIMES),
    st.builds(StopExplained, st.integers(0, 12), REASONS, BY, WHY, TIMES),
    st.builds(HoldCalled, TURNS, st.just("opponent"), TIMES),
    st.builds(InfractionNoted, SIDES, NONE, BY, WHY, TIMES),
    st.builds(ClockAdjusted, SIDES, SECONDS, NONE, BY, WHY, TIMES),
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
    """But for two rulings on one turn, or two corrections of one moment: the last entered holds."""
    start = under(book)
    shuffled = corrections[:]
    rng.shuffle(shuffled)
    for alike in set(map(ordered, corrections)):
        kept = iter([one for one in corrections if ordered(one) == alike])
        shuffled = [next(kept) if ordered(one) == alike else one for one in shuffled]
    one, two = accepted(start, corrections), accepted(start, shuffled)
    if one is not None and two is not None:
        assert one.scores == two.scores
        assert one.board == two.board
        assert [turn.kind for turn in one.turns] == [turn.kind for turn in two.turns]
        assert list(map(turned, one.turns)) == list(map(turned, two.turns))


def ordered(event):
    """Which corrections count in the order in which they were entered."""
    return type(event), None if isinstance(event, TurnRuled) else event.t_ns


MOMENTS = st.integers(0, 20 * 30).map(lambda seconds: seconds * SECOND + 1)
ENTERED = st.one_of(
    st.builds(PenaltyAdded, SIDES, st.integers(0, 50), NONE, BY, WHY, MOMENTS),
    st.builds(InfractionNoted, SIDES, NONE, BY, WHY, MOMENTS),
    st.builds(RackReported, SIDES, st.sampled_from(["", "AEINRST", "QU?"]), MOMENTS),
    st.builds(RackUnderdrawn, SIDES, st.integers(1, 2), BY, WHY, MOMENTS),
    st.builds(ScoreAgreed, st.just(0), SIDES, st.integers(0, 300), BY, WHY, MOMENTS),
)


@given(BOOKS, st.lists(ENTERED, min_size=1, max_size=4))
def test_what_is_entered_late_counts_as_if_it_had_been_entered_at_once(book, entered):
    played = events_under(book)
    at_once = played[:1] + sorted(played[1:] + entered, key=moment)
    late, in_time = accepted(under(book), entered), accepted(None, at_once)
    if late is not None and in_time is not None:
        assert late.scores == in_time.scores
        assert late.adjustments == in_time.adjustments
        assert (late.racks, late.bag_count) == (in_time.racks, in_time.bag_count)
        assert [turn.total for turn in late.turns] == [turn.total for turn in in_time.turns]


def moment(event):
    return event.press_ns if isinstance(event, TurnSeen) else event.t_ns


def turned(turn):
    return {(f.squares, f.message) for f in turn.flags if f.code.startswith("misoriented")}


@pytest.mark.parametrize(
    ("steps", "word"),
    [
        ("8G C?T, letter 8H O, letter 8H A", "CaT"),
        ("8G C?T, letter 8H A, letter 8H O", "CoT"),
        ("8G C?T, letter 8H A, correct 1 8H=E", "CET"),
    ],
)
def test_of_two_corrections_at_one_moment_the_one_entered_last_holds(steps, word):
    assert after(steps, "wespa-2021").state.turns[0].word == word


def test_of_two_reasons_for_a_stop_at_one_moment_the_one_entered_last_holds():
    table = after("8G CAT, neutral, why 1 score, why 1 director", "wespa-2021")
    assert table.state.progress.ledger.rulings_for(1).stop_reasons == ("director",)


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


def test_a_correction_scores_everything_after_it_again():
    right = after("8G CAQ, I8 .UI, 10I .T").state
    state = after("8G CAO, I8 .UI, 10I .T, correct 1 8I=Q").state
    for one, other in zip(state.turns, right.turns, strict=True):
        assert replace(one, seen=None) == replace(other, seen=None)
    assert (state.board, state.scores) == (right.board, right.scores)
    assert state.turns[0].seen.rows[7][8] == "O"  # what the camera saw stays visible


@pytest.mark.parametrize("wrong", [{}, {"middle": "X"}, {"left": " "}])
def test_a_name_of_nobody_and_no_name_are_refused(wrong):
    with pytest.raises(TilewatchError, match=r"PlayersNamed\.players"):
        after("8G CAT").put(PlayersNamed(wrong, "director", 12))
