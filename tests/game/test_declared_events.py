"""What no camera sees, under every rulebook that has a rule on it and under every other."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockStartedInError,
    DrawDelayed,
    HoldCalled,
    OvertimeErased,
    PlayAccepted,
    PositionRestored,
    RackUnderdrawn,
    Retracted,
    ScoreAgreed,
    TilesFound,
    TurnRuled,
)
from game.gcg import parse, record_from_game, write
from game.rulebooks.loading import load_rulebook, parse_rulebook, rulebook_ids
from game.rulebooks.setting import DECLARABLE
from game.state.fold import GameState, apply, fold
from game.state.timed_rights import windows
from game.values import replace

from .gamekit import SECOND, Table, random_game
from .scriptkit import after

BOOKS = rulebook_ids()


def with_rule(name):
    """The rulebooks with a rule on something, each with its number."""
    found = [(book, load_rulebook(book).event_rule(name)) for book in BOOKS]
    return [pair for pair in found if pair[1] is not None]


def without_rule(name):
    return [book for book in BOOKS if load_rulebook(book).event_rule(name) is None]


def played(book) -> Table:
    return after("8G CAT, 9G ARS", book)


def challenge(state):
    return next((one for one in windows(state) if one.right == "challenge"), None)


# The rulebooks.

RULES = {
    ("naspa-2017", "tiles_drawn"): "IV.I.1",
    ("naspa-2017", "hold_released"): "IV.I.2",
    ("naspa-2017", "tiles_found_in_bag"): "V.C",
    ("naspa-2017", "clock_started_in_error"): "IV.E.1",
    ("naspa-2017", "draw_delayed"): "IV.G.2.b",
    ("naspa-2017", "overtime_erased"): "V.D, V.E",
    ("wespa-2007", "score_written"): "4.6.3",
    ("wespa-2007", "score_agreed"): "4.4",
    ("psa", "score_written"): "3.1.2(c)",
    ("psa", "tiles_found_on_table"): "4.3",
    ("psa", "tiles_found_in_bag"): "4.4",
    ("psa", "overtime_erased"): "5.3.4(a)",
    ("wespa-2021", "overtime_erased"): "5.3.4(a)",
    ("sanspa-2001", "score_written"): "7.3",
    ("sanspa-2001", "tiles_found_in_bag"): "18.3",
    ("sanspa-2001", "tiles_found_on_table"): "15",
    ("sanspa-2001", "underdrawn"): "9.4",
    ("sanspa-2001", "overtime_erased"): "22.11, 22.13",
    ("sanspa-2001", "position_restored"): "13.8, 16.1, 22.17, 24.2",
    ("sanspa-1999", "overtime_erased"): "22.12, 22.14",
    ("sanspa-1999", "position_restored"): "13.8, 16.1",
}


@pytest.mark.parametrize(("book", "name"), RULES)
def test_the_rules_have_the_numbers_of_the_texts(book, name):
    assert load_rulebook(book).event_rule(name) == RULES[book, name]


@pytest.mark.parametrize("name", DECLARABLE)
def test_each_thing_that_can_be_said_is_known_to_a_rulebook(name):
    assert with_rule(name)


def test_a_rulebook_with_an_unknown_or_empty_entry_is_refused():
    head = 'name = "x"\nsource = "y"\n'
    with pytest.raises(TilewatchError, match=r"event\.tiles_lost is unknown; known: tiles_drawn"):
        parse_rulebook("x", f'{head}[event]\ntiles_lost = "1"\n')
    with pytest.raises(TilewatchError, match=r"event\.underdrawn: its rule is not a text"):
        parse_rulebook("x", f"{head}[event]\nunderdrawn = 1\n")


REFUSED = {
    "tiles_drawn": PlayAccepted(2, "tiles_drawn", "TD", "", 10**12),
    "score_written": PlayAccepted(2, "score_written", "TD", "", 10**12),
    "play_accepted": PlayAccepted(2, "play_accepted", "TD", "", 10**12),
    "hold_released": PlayAccepted(2, "hold_released", "TD", "", 10**12),
    "tiles_found_in_bag": TilesFound("bag", 1, "left", "TD", "", 0),
    "tiles_found_on_table": TilesFound("table", 1, "left", "TD", "", 0),
    "clock_started_in_error": ClockStartedInError(2, "right", "TD", "", 0),
    "draw_delayed": DrawDelayed("left", "TD", "", 0),
    "overtime_erased": OvertimeErased("left", "TD", "", 0),
    "position_restored": PositionRestored(1, "TD", "", 0),
    "score_agreed": ScoreAgreed(2, "right", 5, "TD", "", 0),
}


@pytest.mark.parametrize(
    ("book", "name"), [(book, name) for name in REFUSED for book in without_rule(name)]
)
def test_a_rulebook_without_the_rule_refuses_it_in_one_clear_line(book, name):
    table = played(book)
    with pytest.raises(TilewatchError, match=f"{book} has no rule on {DECLARABLE[name]}"):
        table.put(REFUSED[name])


# Acceptance.

ACCEPTED = [
    (book, rule, how)
    for how in ("score_written", "tiles_drawn", "play_accepted")
    for book, rule in with_rule(how)
]


@pytest.mark.parametrize(("book", "rule", "how"), ACCEPTED)
def test_accepting_a_play_closes_the_window_to_challenge_it(book, rule, how):
    table = played(book)
    before = table.put(ButtonPressed("neutral", table.now + SECOND))
    assert challenge(before) is not None
    table.put(PlayAccepted(2, how, "TD", "seen", table.now + 5 * SECOND))
    assert challenge(table.state) is None
    called = table.now + 9 * SECOND
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now, called_ns=called))
    flag = next(f for f in table.state.turns[1].flags if f.code == "challenge_late")
    assert flag.rule == rule
    assert "4 seconds after it was accepted" in flag.message
    table.put(Retracted(len(table.events), "TD", "", table.now))
    table.put(Retracted(len(table.events) - 2, "TD", "", table.now))
    assert table.state == before


@pytest.mark.parametrize(("book", "rule"), with_rule("hold_released"))
def test_releasing_a_hold_ends_it_and_the_courtesy_draw(book, rule):
    table = played(book)
    with pytest.raises(TilewatchError, match="turn 2 is not held"):
        table.put(PlayAccepted(2, "hold_released", "TD", "", table.now))
    table.put(HoldCalled(2, "left", table.now + SECOND))
    assert {one.right for one in windows(table.state)} >= {"challenge", "draw"}
    table.put(PlayAccepted(2, "hold_released", "TD", "", table.now + 3 * SECOND))
    assert not {one.right for one in windows(table.state)} & {"challenge", "draw"}


def test_an_earlier_position_has_the_racks_that_are_entered_with_it():
    table = after("8G CAT, 9G ARS", "sanspa-2001")
    racks = {"left": "AEIOUST", "right": "RSTLNEY"}
    table.put(PositionRestored(1, "TD", "upset", table.now, racks=racks))
    table.board, table.side = table.state.board, "right"
    assert table.play("9G", "RELY").rack == racks["right"]
    assert table.play("10G", "AT").rack == racks["left"]


@pytest.mark.parametrize(("book", "rule"), with_rule("score_agreed"))
def test_a_turn_scores_what_both_players_agree_on_and_says_what_its_tiles_make(book, rule):
    table = played(book)
    made = table.state.turns[1].score
    before = table.state
    table.put(ScoreAgreed(2, "right", made + 7, "TD", "as written", table.now))
    turn = table.state.turns[1]
    assert (turn.score, turn.total) == (made + 7, made + 7)
    (flag,) = turn.flags
    assert (flag.code, flag.rule, str(made) in flag.message) == ("score_agreed", rule, True)
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state == before
    with pytest.raises(TilewatchError, match="turn 2 was Bo's"):
        table.put(ScoreAgreed(2, "left", 5, "TD", "", table.now))
    total = table.state.scores["left"]
    table.put(ScoreAgreed(0, "left", total + 4, "TD", "", table.now))
    (line,) = table.state.adjustments
    assert (line.kind, line.points, line.rule) == ("agreed", 4, rule)
    assert table.play("10F", "BE").total == total + 4 + table.state.turns[-1].score


def test_a_game_record_says_in_a_note_what_was_agreed_on():
    table = after("8G CAT, 9G ARS, agree 0 left 14, agree 2 right 50")
    text = write(record_from_game(table.state))
    assert "+4 points to Ann Lee: both players agreed on it (4.4)" in text
    assert "The players agree on 50 for turn 2" in text
    assert [line.points for line in table.state.adjustments] == [4]
    assert [entry.score for entry in parse(text).entries][-1] == 4


# Properties.

BY, WHY, TIMES = st.just("TD"), st.just(""), st.integers(0, 10**12)
SIDES, COUNTS = st.sampled_from(["left", "right"]), st.integers(1, 3)
WAYS = st.sampled_from(["score_written", "tiles_drawn", "play_accepted", "hold_released"])
PLACES, DRAWERS = st.sampled_from(["bag", "table"]), st.sampled_from(["nobody", "opponent"])
DECLARED = st.one_of(
    st.builds(PlayAccepted, st.integers(1, 12), WAYS, BY, WHY, TIMES),
    st.builds(TilesFound, PLACES, COUNTS, SIDES | st.none(), BY, WHY, TIMES),
    st.builds(RackUnderdrawn, SIDES, COUNTS, BY, WHY, TIMES, DRAWERS),
    st.builds(PositionRestored, st.integers(0, 12), BY, WHY, st.just(10**12)),
    st.builds(ScoreAgreed, st.integers(0, 12), SIDES, st.integers(-20, 90), BY, WHY, TIMES),
    st.builds(OvertimeErased, SIDES, BY, WHY, TIMES),
)
GAME = random_game(11, pass_rate=0.2).events[:44]


@cache
def begun(book: str) -> GameState:
    return fold([replace(GAME[0], rulebook=book), *GAME[1:]])


@given(st.sampled_from(BOOKS), st.lists(DECLARED, min_size=1, max_size=4))
def test_each_can_be_taken_back_and_no_tile_is_lost(book, events):
    state = begun(book)
    total = state.tile_set.total
    steps = [state]
    for event in events:
        try:
            state = apply(state, event)
        except TilewatchError:
            continue
        steps.append(state)
        aside = sum(
            one.count
            for one in state.progress.events
            if isinstance(one, TilesFound) and one.side is None
        )
        seen = len(state.board.symbols) + sum(state.racks.values()) + state.bag_count
        assert total - aside <= seen <= total
        scores = {"left": 0, "right": 0}
        for turn in state.turns:
            scores[turn.side] += turn.score
        for line in state.adjustments:
            scores[line.side] += line.points
        assert scores == dict(state.scores)
    number = len(GAME)
    while len(steps) > 1:
        steps.pop()
        state = apply(state, Retracted(number + len(steps), "TD", "", 10**12))
        assert state == steps[-1]
