"""A flag goes, or says that it is settled, once its cause is gone."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.adjudication.preview import difference
from game.board import EMPTY, SQUARES, Square
from game.events import (
    ButtonPressed,
    Finding,
    GameEnded,
    Retracted,
    SquareCorrected,
    TilesChanged,
    TurnRuled,
    TurnSeen,
)
from game.flags import CODES, POSES
from game.state.fold import fold
from game.state.settled_flags import _CAUSES

from .gamekit import SECOND, Table, codes, random_game
from .settledkit import begun, correct, opened, replayed, seeds, settled, some
from .test_properties import kept, mischief

# What is corrected.


def test_a_square_that_was_misread_is_corrected_on_the_turn_where_it_is_asked():
    table = begun()
    table.lay("8H=E")
    table.lay("8H=O")
    assert {turn for turn, _, _ in opened(table.state)} == {3, 4}
    correct(table, 4, "8H", "A")
    assert opened(table.state) == []
    assert settled(table.state) == [(3, "tile_replaced", len(table.events))]
    assert table.state.board[Square.parse("8H")] == "A"


def test_a_correction_answers_whatever_was_found_on_the_square():
    found = (
        Finding("misoriented_tile", "8G"),
        Finding("askew", "8H"),
        Finding("face_down", "8H"),
        Finding("uncertain_square", "8I", "may be S 60%, E 30%"),
    )
    table = Table()
    table.play("8G", "CAST", found)
    for square, symbol in (("8G", "C"), ("8H", "A"), ("8I", "S")):
        correct(table, 1, square, symbol)
    assert opened(table.state) == []
    assert {code for _, code, _ in settled(table.state)} == {
        "misoriented_tile",
        "askew",
        "face_down",
    }


def test_a_correction_that_raises_a_flag_does_not_settle_it():
    table = begun()
    correct(table, 1, "8H", "?")
    assert opened(table.state) == [(1, "blank_undesignated", ("8H",))]
    correct(table, 1, "8H", "a")
    assert opened(table.state) == []
    correct(table, 2, "9H", "Q")
    correct(table, 2, "9G", "Q")
    assert "extra_tile" in [code for _, code, _ in opened(table.state)]
    correct(table, 2, "9G", "O")
    assert opened(table.state) == []


def test_a_tile_face_down_that_was_answered_once_it_was_read_is_not_asked_again():
    """The later question, which had settled the first, goes with the answer."""
    table = Table(rulebook="wespa-2021")
    table.play("8G", "C#T", (Finding("face_down", "8H", "a tile's back"),))
    table.lay("8H=A", "9H=N", "10H=E")
    assert [(turn, code) for turn, code, _ in opened(table.state)] == [(2, "uncertain_square")]
    correct(table, 1, "8H", "A")
    assert opened(table.state) == []
    correct(table, 2, "9H", "R")  # another answer, later
    assert opened(table.state) == []


def test_a_correction_that_is_taken_back_opens_the_flag_again():
    table = begun()
    table.lay("8H=E")
    table.lay("8H=O")
    before = opened(table.state)
    correct(table, 4, "8H", "A")
    number = len(table.events)
    table.put(Retracted(number, "TD", "", table.now))
    assert opened(table.state) == before
    table.lay("8H=A")
    assert opened(table.state) == []
    assert fold(table.events) == table.state


def test_what_was_settled_stays_so_when_the_end_of_the_game_is_taken_back():
    table = begun()
    table.lay("8H=E")
    table.lay("8H=A")
    before = settled(table.state)
    assert before
    table.put(GameEnded("resigned", table.now, "TD", "by mistake"))
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert (settled(table.state), table.state.status) == (before, "running")
    assert fold(table.events) == table.state


def test_a_tile_that_was_said_to_lie_there_after_the_press_lies_there():
    table = begun()
    without = table.board.replace({Square.parse("9H"): EMPTY})
    table.now += SECOND
    table.put(TilesChanged(2, without.rows, table.now, {}, table.now))
    correct(table, 2, "9H", "N")
    assert opened(table.state) == []
    assert table.state.board[Square.parse("9H")] == "N"
    assert codes(table.see(without)) == []  # the camera goes on missing it
    assert table.state.board[Square.parse("9H")] == "N"


def test_what_a_correction_settles_is_shown_before_it_is_made():
    table = begun()
    table.lay("8H=E")
    table.lay("8H=O")
    found = difference(table.state, SquareCorrected(4, "8H", "A", "TD", "", table.now))
    assert [flag.code for turn in found.turns for flag in turn.flags_gone] == ["tile_replaced"] * 2
    assert [flag for turn in found.turns for flag in turn.flags_new] == []


@some
@given(seeds, st.sampled_from(["AEIOZ", "~", "#", "?", ".", "AEZ~#?."]))
def test_flagged_squares_that_are_corrected_to_what_lies_there_leave_nothing_open(seed, wrong):
    rng = random.Random(seed)
    right = random_game(seed, pass_rate=0.0)
    events = right.events[: 2 + 2 * rng.randint(3, 10)]
    truth = {}
    seen = []
    for event in events:
        if isinstance(event, TurnSeen):
            truth[len(truth) + 1] = event.rows
            seen.append(misread(event, rng, wrong))
        else:
            seen.append(event)
    table = replayed(seen)
    for _ in range(8):  # a correction may show that another square was misread
        asked = {
            (turn, square)
            for turn, code, squares in opened(table.state)
            for square in squares
            if CODES[code].asks in ("symbol", "letter")
        }
        if not asked:
            break
        for turn, name in sorted(asked):
            at = Square.parse(name)
            correct(table, turn, name, truth[turn][at.row][at.col])
    left = [
        (turn, code, squares)
        for turn, code, squares in opened(table.state)
        if CODES[code].asks in ("symbol", "letter")
    ]
    assert left == []
    assert fold(table.events) == table.state


def misread(event: TurnSeen, rng: random.Random, wrong: str) -> TurnSeen:
    """The turn as a camera saw it that took up to two tiles for something else, or doubted them."""
    if rng.random() < 0.5:
        return event
    rows = [list(row) for row in event.rows]
    there = [s for s in SQUARES if event.rows[s.row][s.col] != EMPTY]
    found = []
    for square in rng.sample(there, min(2, len(there))):
        rows[square.row][square.col] = rng.choice(wrong)
        code = rng.choice(["uncertain_square", "askew", "misoriented_tile", ""])
        if code:
            found.append(Finding(code, square.name, "may be A 50%, E 40%"))
    return TurnSeen(event.side, event.press_ns, tuple(map("".join, rows)), findings=tuple(found))


# One flag a square and cause.

UNREAD = ("uncertain_square", "board_covered")


@some
@given(seeds)
def test_no_square_has_two_flags_for_one_cause(seed):
    events = random_game(seed).events + mischief(seed)
    for turn in fold(kept(events)).turns:
        counted = Counter(
            ("unread" if flag.code in UNREAD else flag.code, square)
            for flag in turn.flags
            for square in flag.squares
            if flag.code not in ("tile_moved", "extra_tile")
        )
        assert [key for key, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("code", [code for code, known in CODES.items() if known.asks == "symbol"])
def test_a_flag_about_what_lies_on_a_square_is_settled_some_day(code):
    assert code in _CAUSES, (
        f"say in _CAUSES of game/state/settled_flags.py when {code} is settled, or give it "
        "pose=True in game/flag_codes.py if it is of how a tile lies in its square"
    )


@pytest.mark.parametrize("code", sorted(POSES))
def test_how_a_tile_lies_is_settled_when_it_is_told_of_anew_or_the_tile_is_gone(code):
    table = Table()
    table.play("8G", "CAST", (Finding(code, "8G"), Finding(code, "8H")))
    table.play("9G", "ON", (Finding(code, "8G"), Finding(code, "8H")))
    assert opened(table.state) == [(2, code, ("8G", "8H"))]
    table.lay("8G=.", "8H=.")
    assert code not in [code for _, code, _ in opened(table.state)]


def test_flags_of_a_play_that_is_challenged_off_are_settled_with_it():
    table = Table(rulebook="naspa-2017")
    table.play("7G", "C?T", (Finding("askew", "7G"),))
    assert set(codes(table.state.turns[0])) == {"off_centre", "blank_undesignated", "askew"}
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert opened(table.state) == []
    assert {when for _, _, when in settled(table.state)} == {len(table.events)}


def test_a_withdrawn_play_that_is_taken_away_at_last():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    table.nothing()
    table.nothing()
    assert [turn for turn, _, _ in opened(table.state)] == [3]
    table.lay("8G=.", "8H=.", "8I=.")
    assert opened(table.state) == []


def test_a_question_about_a_challenge_is_settled_by_any_answer():
    table = begun()
    without = table.board.replace({Square.parse("9G"): EMPTY, Square.parse("9H"): EMPTY})
    table.now += SECOND
    table.put(TilesChanged(2, without.rows, table.now, {}, table.now))
    assert "challenge_unclear" in codes(table.state.turns[1])
    table.put(TurnRuled(2, "play", "TD", "it stands", table.now))
    assert "challenge_unclear" not in [code for _, code, _ in opened(table.state)]


@some
@given(seeds)
def test_the_same_events_settle_the_same_flags_step_by_step(seed):
    events = kept(random_game(seed).events + mischief(seed))
    state = fold(events)
    for turn in state.turns:
        for flag in turn.flags:
            assert flag.settled is None or 1 <= flag.settled <= len(events)
            if flag.settled is not None:
                assert not isinstance(events[flag.settled - 1], ButtonPressed)
    assert fold(events) == state


@pytest.mark.parametrize("how", ["challenge_upheld", "taken_back"])
def test_a_question_about_an_earlier_tile_outlasts_the_play_with_which_it_came(how):
    """10D of the play before could be read only when the next lay there, and that comes off."""
    table = Table()
    table.play("8D", "CAT")
    table.lay("9D=O", "10D=~", "11D=T")
    table.lay("10D=A", "8G=S")
    (asked,) = (f for f in table.state.turns[2].flags if f.code == "uncertain_square")
    assert (asked.squares, asked.settled) == (("10D",), None)
    table.put(TurnRuled(3, how, "TD", "not a word", table.now))
    (asked,) = (f for f in table.state.turns[2].flags if f.code == "uncertain_square")
    assert (asked.squares, asked.settled) == (("10D",), None)
