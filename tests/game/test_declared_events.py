"""What no camera sees, under every rulebook that has a rule on it and under every other."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockStartedInError,
    DrawDelayed,
    HoldCalled,
    OvertimeErased,
    PenaltyAdded,
    PlayAccepted,
    PositionRestored,
    RackUnderdrawn,
    Retracted,
    ScoreAgreed,
    TilesFound,
    TurnRuled,
    from_payload,
    to_payload,
)
from game.rulebooks.declarable import DECLARABLE
from game.rulebooks.loading import load_rulebook, parse_rulebook, rulebook_ids
from game.state.fold import apply, fold
from game.state.timed_rights import windows

from .gamekit import SECOND, Table, codes, position, random_game

BOOKS = rulebook_ids()


def with_rule(name):
    """The rulebooks with a rule on something, each with its number."""
    found = [(book, load_rulebook(book).event_rule(name)) for book in BOOKS]
    return [pair for pair in found if pair[1] is not None]


def without_rule(name):
    return [book for book in BOOKS if load_rulebook(book).event_rule(name) is None]


def played(book, *plays, **more) -> Table:
    table = Table(rulebook=book, **more)
    for where, word in plays or (("8G", "CAT"), ("9G", "ARS")):
        table.play(where, word)
    return table


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


@pytest.mark.parametrize("event", REFUSED.values())
def test_each_travels_as_json(event):
    assert from_payload(to_payload(event)) == event


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


def test_under_psa_no_writing_after_a_hold_or_with_an_empty_bag_accepts_a_play():
    table = played("psa")
    table.put(HoldCalled(2, "left", table.now + SECOND))
    with pytest.raises(TilewatchError, match=r"after a hold .* \(3.1.2\(c\)\)"):
        table.put(PlayAccepted(2, "score_written", "TD", "", table.now + 2 * SECOND))
    late = Table(rulebook="psa", rows=position(0))
    late.lay("8I=R")
    with pytest.raises(TilewatchError, match="once the bag is empty no writing accepts"):
        late.put(PlayAccepted(1, "score_written", "TD", "", late.now))


@pytest.mark.parametrize("book", ["wespa-2007", "sanspa-2001", "sanspa-1999"])
def test_elsewhere_writing_the_score_accepts_a_held_play_too(book):
    table = played(book)
    table.put(HoldCalled(2, "left", table.now + SECOND))
    table.put(PlayAccepted(2, "score_written", "TD", "", table.now + 2 * SECOND))
    assert challenge(table.state) is None


def test_what_is_entered_later_counts_from_when_it_was():
    table = played("psa")
    table.put(HoldCalled(2, "left", table.now + 5 * SECOND))
    late = table.now + 60 * SECOND
    written = PlayAccepted(2, "score_written", "TD", "", late, at_ns=table.now + 2 * SECOND)
    table.put(written)  # before the hold, though it was entered after it
    called = table.now + 9 * SECOND
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", late, called_ns=called))
    assert "challenge_late" in codes(table.state.turns[1])
    assert from_payload(to_payload(written)) == written


def test_only_a_play_that_has_ended_is_accepted():
    table = played("wespa-2007")
    with pytest.raises(TilewatchError, match="before it has ended"):
        table.put(PlayAccepted(2, "score_written", "TD", "", 0))
    table.nothing()
    with pytest.raises(TilewatchError, match="no tiles were played"):
        table.put(PlayAccepted(3, "score_written", "TD", "", table.now))


# Tiles found.


def test_a_clock_started_in_error_gives_the_turn_back_and_the_opponent_a_minute():
    # NASPA IV.E.1.
    table = played("naspa-2017")
    before = table.state
    table.put(ClockStartedInError(2, "right", "TD", "in error", table.now))
    state = table.state
    assert (state.turns[1].kind, state.on_turn) == ("undone", "right")
    assert state.board == before.turns[0].after
    given = {s: state.clocks.remaining_ns[s] - before.clocks.remaining_ns[s] for s in before.scores}
    assert given == {"left": 60 * SECOND, "right": 0}
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state == before
    with pytest.raises(TilewatchError, match="turn 2 was Bo's, not Ann Lee's"):
        table.put(ClockStartedInError(2, "left", "TD", "", table.now))


def test_each_delay_after_the_first_brings_the_opponent_a_minute():
    # NASPA IV.G.2.b.
    table = played("naspa-2017")
    shown = []
    for _ in range(3):
        table.put(DrawDelayed("left", "TD", "tracking", table.now))
        shown.append(table.state.clocks.remaining_ns["right"])
    assert [b - a for a, b in itertools.pairwise(shown)] == [60 * SECOND] * 2


@pytest.mark.parametrize(("book", "rule"), with_rule("overtime_erased"))
def test_a_forced_penalty_is_erased_in_full_or_in_part(book, rule):
    table = Table(rulebook=book, seconds=1600)
    table.play("8G", "CAT")
    table.end("confirmed")
    (line,) = [one for one in table.state.adjustments if one.kind == "overtime"]
    assert line.points == -20
    before = table.state
    table.put(OvertimeErased("left", "TD", "forced", table.now, points=10))
    assert [one.points for one in table.state.adjustments if one.kind == "overtime"] == [-10]
    table.put(OvertimeErased("left", "TD", "forced", table.now))
    assert not [one for one in table.state.adjustments if one.kind == "overtime"]
    assert table.state.scores["left"] == before.scores["left"] + 20
    for back in (len(table.events), len(table.events) - 1):
        table.put(Retracted(back, "TD", "", table.now))
    assert table.state == before


# Earlier positions.


@pytest.mark.parametrize(("book", "rule"), with_rule("position_restored"))
def test_a_game_goes_back_to_an_earlier_position_with_its_racks_and_scores(book, rule):
    table = played(book, ("8G", "CAT"))
    then = table.state
    table.play("9G", "ARS")
    table.put(PenaltyAdded("left", 10, None, "TD", "", table.now))
    table.play("10F", "BE")
    table.end("confirmed")
    over = table.state
    racks = {"left": "AEIOUST", "right": "RSTLNEY"}
    table.put(PositionRestored(1, "TD", "upset", table.now, racks=racks))
    state = table.state
    assert state.board == then.board
    assert dict(state.scores) == dict(then.scores)
    assert (state.status, state.on_turn, state.bag_count) == ("running", "right", then.bag_count)
    assert [turn.kind for turn in state.turns] == ["play", "undone", "undone"]
    assert dict(state.progress.ledger.position.reported) == racks
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state == over


def test_a_game_that_begins_again_has_the_lead_as_its_starting_score():
    # SANSPA 2001 22.17.
    table = played("sanspa-2001")
    lead = abs(table.state.scores["left"] - table.state.scores["right"])
    table.put(PositionRestored(0, "TD", "upset", table.now, scores={"left": lead}))
    assert dict(table.state.scores) == {"left": lead, "right": 0}
    assert not table.state.board.symbols
    (line,) = table.state.adjustments
    assert (line.kind, line.points, line.rule) == ("starting_score", lead, "22.17")
    with pytest.raises(TilewatchError, match="only a game that begins again"):
        table.put(PositionRestored(1, "TD", "", table.now, scores={"left": 1}))
    with pytest.raises(TilewatchError, match="sanspa-1999 has no rule on a game that begins"):
        played("sanspa-1999").put(PositionRestored(0, "TD", "", 10**12, scores={"left": 1}))


# Scores agreed on.


TIMES = st.integers(0, 10**12)
DECLARED = st.one_of(
    st.builds(
        PlayAccepted,
        st.integers(1, 12),
        st.sampled_from(["score_written", "tiles_drawn", "play_accepted", "hold_released"]),
        st.just("TD"),
        st.just(""),
        TIMES,
    ),
    st.builds(
        TilesFound,
        st.sampled_from(["bag", "table"]),
        st.integers(1, 3),
        st.sampled_from(["left", "right", None]),
        st.just("TD"),
        st.just(""),
        TIMES,
    ),
    st.builds(
        RackUnderdrawn,
        st.sampled_from(["left", "right"]),
        st.integers(1, 3),
        st.just("TD"),
        st.just(""),
        TIMES,
        st.sampled_from(["nobody", "opponent"]),
    ),
    st.builds(PositionRestored, st.integers(0, 12), st.just("TD"), st.just(""), st.just(10**12)),
    st.builds(
        ScoreAgreed,
        st.integers(0, 12),
        st.sampled_from(["left", "right"]),
        st.integers(-20, 90),
        st.just("TD"),
        st.just(""),
        TIMES,
    ),
    st.builds(
        OvertimeErased, st.sampled_from(["left", "right"]), st.just("TD"), st.just(""), TIMES
    ),
)
GAME = random_game(11, pass_rate=0.2).events[:44]


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(BOOKS), st.lists(DECLARED, min_size=1, max_size=4))
def test_each_can_be_taken_back_and_no_tile_is_lost(book, events):
    from dataclasses import replace

    state = fold([replace(GAME[0], rulebook=book), *GAME[1:]])
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
