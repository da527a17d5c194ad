"""What must hold for every game, legal or not."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from game.board import EMPTY, SQUARES, Board, is_tile, premium
from game.errors import TilewatchError
from game.events import (
    EVENT_TYPES,
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    Finding,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    TimePassed,
    TimeUnseen,
    TurnRuled,
    TurnSeen,
    UnseenTimeCharged,
    from_payload,
    other,
    to_payload,
)
from game.flags import CODES
from game.gcg import check, parse, record_from_game, require_complete, write
from game.state.fold import GameState, apply, fold
from game.tileset import load_tile_set
from tests.game.gcg.gcgkit import assert_strict

from .answerkit import OF_THE_GAME
from .gamekit import SECOND, Table, codes, random_game

OF_A_TURN = [code for code in CODES if code not in OF_THE_GAME]
"""Codes that a finding can have: a camera sees turns, and never a game or its end."""

seeds = st.integers(0, 2**32)
sets = st.sampled_from(["english", "german", "french", "romanian", "polish"])


# Legal games.


def plain_score(before: Board, after: Board, tile_set: str) -> int:
    """The score of a legal play, worked out another way: row strings and column strings."""
    values = load_tile_set(tile_set).values
    total = 0
    placed = [s for s in SQUARES if before[s] != after[s]]
    for turned in (False, True):
        for line in range(15):
            squares = [s for s in SQUARES if (s.col if turned else s.row) == line]
            text = "".join(after[s] for s in squares)
            at = 0
            for word in text.split(EMPTY):
                here = squares[at : at + len(word)]
                at += len(word) + 1
                new = [s for s in here if s in placed]
                if len(word) < 2 or not new:
                    continue
                points = sum(
                    values.get(after[s], 0) * (premium(s).letter if s in new else 1) for s in here
                )
                for square in new:
                    points *= premium(square).word
                total += points
    return total + (50 if len(placed) == 7 else 0)


@given(seeds, sets)
def test_a_legal_game_has_no_flags_keeps_its_tiles_and_scores_as_another_way_has_it(seed, tile_set):
    table = random_game(seed, tile_set)
    state = table.state
    total = load_tile_set(tile_set).total
    totals = {"left": 0, "right": 0}
    for turn in state.turns:
        assert set(codes(turn)) <= {"six_zeros"}
        assert turn.bag_count >= 0
        due = plain_score(turn.before, turn.after, tile_set)
        totals[turn.side] += due
        assert (turn.score, turn.total) == (due, totals[turn.side])
    assert state.bag_count == len(table.bag)
    assert dict(state.racks) == {side: len(rack) for side, rack in table.racks.items()}
    on_board = len(state.board.symbols)
    assert on_board + sum(state.racks.values()) + state.bag_count == total
    assert sum(state.unseen.values()) == total - on_board


@given(seeds)
def test_the_end_of_a_game_is_settled_from_the_tiles_that_are_left(seed):
    table = random_game(seed, pass_rate=0.0)
    state = table.state
    if state.end_reason != "out":
        return
    added, off = state.adjustments
    assert added.side == other(off.side)
    assert sorted(added.tiles) == sorted(off.tiles) == sorted(table.racks[off.side])
    assert added.points == -off.points == sum(state.tile_set.value(t) for t in added.tiles)


# The fold.


@given(seeds)
def test_the_same_events_give_the_same_state_step_by_step_and_through_json(seed):
    step_by_step, events = taken(random_game(seed).events + mischief(seed))
    again = [from_payload(json.loads(json.dumps(to_payload(event)))) for event in events]
    assert again == events
    assert fold(again) == step_by_step


@given(seeds)
@example(243034)  # the misread tile passed for one of the next play, and that play for the last
def test_a_misreading_corrected_leaves_the_game_as_if_it_had_been_read_right(seed):
    rng = random.Random(seed)
    table = random_game(seed)
    right = table.state
    plays = [turn for turn in right.turns if turn.tiles]
    if not plays:
        return
    turn = rng.choice(plays)
    square = rng.choice(list(turn.tiles))
    at = next(s for s in SQUARES if s.name == square)
    true = right.board[at]
    wrong = rng.choice([c for c in "AEIOUQZx?#~." if c != true])
    events = []
    for event in table.events:
        if isinstance(event, TurnSeen) and Board.from_rows(event.rows)[at] != EMPTY:
            seen = Board.from_rows(event.rows).replace({at: wrong})
            events.append(replace(event, rows=seen.rows))
        else:
            events.append(event)
    state = fold(events)
    state = apply(state, SquareCorrected(turn.number, square, true, "TD", "", table.now))
    for one, due in zip(state.turns, right.turns, strict=True):
        assert replace(one, seen=None) == replace(due, seen=None)
    for name in ("scores", "board", "bag_count"):
        assert getattr(state, name) == getattr(right, name), name


def taken(events):
    """The state after the events, step by step, and those that a recorder would have logged."""
    state, good = None, []
    for event in events:
        try:
            state = apply(state, event)
        except TilewatchError as error:
            assert str(error).count("\n") == 0
        else:
            good.append(event)
    return state, good


def mischief(seed: int) -> list:
    """Rulings, corrections and sightings that may or may not make sense."""
    rng = random.Random(seed)
    events = []
    for _ in range(rng.randint(0, 12)):
        side = rng.choice(["left", "right"])
        square = rng.choice(SQUARES).name
        turn = rng.randint(0, 12)
        t_ns = rng.randint(0, 4 * 10**12)
        ruling = rng.choice(["play", "pass", "exchange", "challenge_upheld", "challenge_failed"])
        cells = [rng.choice("....AEZqx?#~") for _ in SQUARES]
        rows = Board("".join(cells)).rows
        events.append(
            rng.choice(
                [
                    TurnRuled(turn, ruling, "TD", "", t_ns),
                    SquareCorrected(turn, square, rng.choice("ABq?#~."), "TD", "", t_ns),
                    BlankDesignated(square, rng.choice("aZÖ"), "TD", "", t_ns),
                    ButtonPressed(rng.choice(["left", "right", "neutral"]), t_ns),
                    TurnSeen(side, t_ns, rows, findings=(Finding(rng.choice(OF_A_TURN)),)),
                    ChallengeBonus(side, 5, None, "TD", "", t_ns),
                    PenaltyAdded(side, 10, None, "TD", "", t_ns),
                    RackReported(side, "".join(rng.choice("AEZ?") for _ in range(4)), t_ns),
                ]
            )
        )
    return events


@given(seeds)
@example(5490)  # a tile that was taken off lies there again two turns later
def test_any_game_can_be_written_read_back_and_checked(seed):
    """However odd the turns, the record says the same and every figure in it stands."""
    rng = random.Random(seed)
    table = Table(tile_set=rng.choice(["english", "polish"]))
    for _ in range(rng.randint(1, 6)):
        symbols = rng.choice(["AEZ", "AEZqx?", "AEZqx?#~...", "."])
        changes = {
            rng.choice(SQUARES): rng.choice(symbols) for _ in range(rng.choice([0, 1, 3, 7, 9]))
        }
        seen = table.board.replace(changes)
        table.see(seen if rng.random() < 0.9 else Board.empty())
    state, _ = taken(table.events + [e for e in mischief(seed) if not isinstance(e, TurnSeen)])
    record = record_from_game(state)
    text = write(record)
    assert_strict(text)
    again = parse(text, "odd.gcg")
    assert again == record
    assert write(again) == text
    assert check(again) == []
    require_complete(again)
    ours = [t.score for t in state.turns]
    theirs = []
    for entry in again.entries:
        if entry.kind == "withdrawn":
            theirs[-1] = 0
        elif entry.kind in ("play", "pass", "exchange", "exchange_or_pass", "challenge_failed"):
            theirs.append(entry.score)
    assert theirs == ours


# No sequence of events brings the fold down.

texts = st.text(max_size=3) | st.sampled_from(["8H", "h8", "15O", "left", "A", "a", "?"])
symbols = st.sampled_from("...........AEZaz?#~ßǅ中1")
letters = symbols.filter(str.isalpha)
rows = (
    st.lists(st.text(symbols, min_size=15, max_size=15) | texts, max_size=15)
    | st.lists(st.text(letters, min_size=15, max_size=15), min_size=15, max_size=15)
).map(tuple)
sides = st.sampled_from(["left", "right"])
times = st.integers(-(10**13), 10**13)
finding = st.builds(Finding, st.sampled_from(list(CODES)) | texts, st.none() | texts, texts)
rulings = st.sampled_from(["play", "pass", "exchange", "challenge_upheld", "challenge_failed"])
players, first = st.just({"left": "A", "right": "B"}), st.none() | sides
book, tile_set = st.just("wespa-2007") | texts, st.just("english") | texts
turns, points = st.integers(-1, 5), st.integers(-5, 20)
events = st.one_of(
    st.builds(ButtonPressed, st.sampled_from(["left", "right", "neutral"]), times),
    st.builds(TimePassed, times | st.integers(1400 * SECOND, 2600 * SECOND)),
    st.builds(TimeUnseen, times, times, st.none() | times, st.booleans(), st.booleans()),
    st.builds(UnseenTimeCharged, st.integers(-1, 9), sides, times, texts, texts, times),
    st.builds(TurnSeen, sides, times, rows, findings=st.lists(finding, max_size=2).map(tuple)),
    st.builds(TurnRuled, turns, rulings | texts, texts, texts, times),
    st.builds(SquareCorrected, turns, texts, texts, texts, texts, times),
    st.builds(BlankDesignated, texts, texts, texts, texts, times),
    st.builds(ChallengeBonus, sides, points, st.none(), texts, texts, times),
    st.builds(PenaltyAdded, sides, points, st.none(), texts, texts, times),
    st.builds(RackReported, sides, texts, times),
    st.builds(GameEnded, texts | st.just("six_zeros"), times),
    st.builds(GameStarted, texts, players, book, tile_set, first, times, st.none() | rows),
)
START = GameStarted("g", {"left": "A", "right": "B"}, "wespa-2007", "english", None, 0)


@given(st.lists(events, max_size=14))
def test_no_events_bring_the_fold_down(sequence):
    state: GameState | None = apply(None, START)
    for event in sequence:
        try:
            state = apply(state, event)
        except TilewatchError as error:
            assert "\n" not in str(error)
        assert state.bag_count >= 0
        assert all(count >= 0 for count in state.racks.values())
        assert len(state.turns) == (state.turns[-1].number if state.turns else 0)
        assert all(is_tile(symbol) or symbol == "~" for symbol in state.board.symbols)
    text = write(record_from_game(state))
    if state.turns:
        assert check(parse(text)) == []


FIELDS = [
    *("side", "t_ns", "press_ns", "rows", "button", "points", "turn", "players", "square"),
    *("findings", "confidence", "reason", "ruling", "by", "why"),
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(
    st.sampled_from(sorted(EVENT_TYPES)),
    st.dictionaries(st.sampled_from(FIELDS), json_values),
)
def test_no_payload_brings_the_reader_down(kind, payload):
    try:
        from_payload({"type": kind, **payload})
    except TilewatchError as error:
        assert "\n" not in str(error)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_no_bytes_bring_the_record_reader_down(data):
    with pytest.raises(TilewatchError):
        parse(data)


LINES = [
    *(">a: ABC 8H ABC +9 9", ">a: ABC 8H ABC +14 14", ">b: - +0 0", ">b: -- -14 0", ">a: -- -14 0"),
    *(">b: X -X +0 0", ">a: (challenge) +5 5", ">b: (time) -10 -10", ">a: (QZ) +40 54"),
    *(">b: 9H ?x +1 1", ">b: H1 ABCDEFGHIJKLMNO +1 1", ">b: 8G X...Y +1 1", ">b: QZ (QZ) -20 -20"),
    *("#note x", "#note tilewatch: 8H=?", "#note tilewatch: 8H=. 8I=X", "#note tilewatch: penalty"),
    *("#rack1 A", "plain", ""),
]


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_any_lines_are_read_and_settle_or_are_refused(body):
    try:
        record = parse("\n".join(["#player1 a A", "#player2 b B", *body]))
        check(record)
    except TilewatchError as error:
        assert "\n" not in str(error)
        return
    text = write(record)
    again = parse(text)
    assert write(again) == text
    assert [(e.score, e.total, e.word) for e in again.entries] == [
        (e.score, e.total, e.word) for e in record.entries
    ]
