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
from .scriptkit import after, follow, scripts

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

a correction holds until something else is seen there
    8G CAO, -, correct 1 8I=Q, - -> codes = -
    8I=~ -> codes = -
    8I=Q -> codes = -
    8I=B -> codes = tile_replaced; board = 8I=B
a tile that was never there can be taken out
    8G=C 8H=A 8I=T 1A=I -> codes = not_one_line
    9I O, correct 1 1A=. -> all.codes = - / -; 1.tiles = 8G=C 8H=A 8I=T
a tile that was missed can be put in
    8G=C 8I=T, -, correct 1 8H=A -> 1.word = CAT; 1.score = 10; all.codes = - / -
of two rulings the one that was entered last holds, whenever they are said to have come out
    8G CAT, wait 9, rule 1 challenge_upheld, ago 5 rule 1 challenge_withdrawn -> kind = play
    retract -1 -> kind = challenge_upheld
what is entered late stands where it happened
    8G CAT, 9G ON, 10G N, keep, ago 40 penalty left 5 -> lines = penalty left -5 after 1
    -> all.total = 10 / 10 / 10; scores = 10 10
    retract -1 -> kept = yes
and moves no clock and nobody's turn
    8G CAT, 9G ON, wait 9, ago 20 rack left AEIOUXZ, ago 20 points right 9 score -> on_turn = left
    -> clocks = 1470 1470; lines = correction right 9 after 1; all.total = 10 / 19
what was ruled can be ruled otherwise
    8G CAT, rule 1 challenge_upheld -> kind = challenge_upheld; word = CAT; scores = 0 0
    rule 1 play -> kind = play; scores = 10 0; board = 8H=A
a ruling that a correction overtakes is shown, not dropped
    -, rule 1 exchange, correct 1 8H=A -> kind = play; ruling = None; asks = ruling_ignored
a blank keeps its letter whoever names it last
    8G C?T, letter 8H a, letter 8h U -> board = 8H=u; word = CuT; codes = -
    9H S -> codes = -
a blank that is read only after its letter was said has that letter
    8G C~T, wait 5, correct 1 8H=? camera, wait -4, letter 8H a -> word = CaT; codes = -
a tile that could not be read is the blank that somebody names
    8G C~T, letter 8H a -> word = CaT; open = -
bonuses and penalties count from where they stand
    8G CAT, bonus left 5, 9G O, penalty right 10, 10G N -> all.total = 10 / 5 / 20
    -> lines = challenge_bonus left 5 after 1, penalty right -10 after 2; scores = 20 -5
a slip on the clock and its mending leave no trace, in whatever order they are ruled on
    8G CAT, -, -, rule 2 undone, rule 3 undone -> kinds = play undone undone; on_turn = right
    turn right, - -> codes = -
    anew, 8G CAT, -, -, rule 3 undone, rule 2 undone -> kinds = play undone undone; on_turn = right
    wait 1, rule 3 pass -> on_turn = right
a first turn that never was
    -, rule 1 undone -> on_turn = left
a turn that is read after a ruling but ended before it counts as played then | naspa-2017 bag=6
    -, wait 21, rule 1 exchange, wait -21 -> 1.penalty = 0
    clock 20, 8I DN -> 1.penalty = 30; scores = -30 4
a blank that nobody could see is there once somebody names it
    8G CAT, 8F=S 8J=~ -> says = whether a tile lies on 8J
    letter 8J e -> word = S...e; score = 6; codes = -
    letter 8K e -> refused = no blank was played on 8K
naming a blank takes no tile away that is read there
    8G CAT, 9H O !uncertain_square 8H (may be A 60%, R 40%)
    letter 8H e -> refused = no blank was played on 8H
    8F=S 8J=~, 8J=E, letter 8J e -> refused = no blank was played on 8J

a tile taken after the press is flagged on its turn and still scored
    8G CAT, changed 1 8I=. -> score = 10; flags = changed_after_press(8I); says = 8I T gone
    -> board = 8G=C 8H=A 8I=.; bag = 83; racks = 7 7
a tile added or swapped after the press scores nothing
    8G CAT, changed 1 8H=O 8J=S -> score = 10; flags = changed_after_press(8H 8J)
    -> bag = 82; racks = 7 7
    anew, 8G CAT, changed 1 8J=S, 7J=O 9J=X -> tiles = 7J=O 9J=X; codes = -
what was changed and put right is no play of the opponent
    8G CAT, changed 1 8I=., 8I=T -> kind = exchange_or_pass; codes = -
    -> board = 8G=C 8H=A 8I=T; bag = 83; racks = 7 7
a knocked-off tile that comes back is no play
    8G CAT, 8I=. 7G=A 9G=T -> flags = tile_removed(8I)
    8I=T 9H=O -> tiles = 9H=O; codes = -
a play that was withdrawn may be played again
    8G CAT, 8G=. 8H=. 8I=., 8G CAT -> tiles = 8G=C 8H=A 8I=T
a play that came off whole is asked about, and may be ruled challenged off, before or after
    8G CAT, changed 1 8G=. 8H=. 8I=. -> codes = changed_after_press challenge_unclear; kind = play
    rule 1 challenge_upheld -> codes = -; board = 8G=. 8H=. 8I=.
    anew, 8G CAT, rule 1 challenge_upheld, changed 1 8G=. 8H=. 8I=.
    -> codes = -; board = 8G=. 8H=. 8I=.
    anew, 8G CAT, changed 1 8H=. 8I=. -> codes = changed_after_press
hidden squares are no change
    8G CAT, changed 1 8H=~ 9A=~ -> codes = -; board = 8G=C 8H=A 8I=T 9A=.
only the last turn can change
    8G CAT, changed 0 8I=. -> refused = not the last
    changed 2 8I=T -> refused = not the last
no more tiles came from the bag than were in it | bag=8
    8I RATIUES, changed 1 10H=E 10I=E -> bag = 0; racks = 7 7; bag_count = 0; rack_count = 7
nor from the bag and then the rack | bag=7
    8I RATIUES, changed 1 10H=E 10I=E -> bag = 0; racks = 5 7; bag_count = 0; rack_count = 5
nor from the rack | bag=0
    8I RATIUE, changed 1 10H=E 10I=E -> bag = 0; racks = 0 7; bag_count = 0; rack_count = 0
names are mended everywhere
    8G CAT, name right Bea -> players = Ann Lee, Bea
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_cannot_be_corrected(script):
    follow(script)


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
