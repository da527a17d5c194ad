"""Properties of the turns that explain a window; hypothesis draws the windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.board import Board, Square
from game.events import other
from tests.vision.tracking.windowkit import (
    SEEN,
    TENTH,
    Table,
    forgetful_games,
    games,
    turns_of,
    windows,
)
from vision.tracking import turn_decoder
from vision.tracking.parameters import TURN
from vision.tracking.turn_decoder import decode
from vision.tracking.turn_hypotheses import Hypothesis, Window


@given(windows())
def test_every_hypothesis_parts_the_tiles_into_turns(drawn):
    window, hands = drawn
    found = decode(window, [(0.0, hands)])
    assert sum(one.p for one in found) == pytest.approx(1)
    assert all(one.p > after.p - 1e-8 for one, after in pairwise(found))
    for one in found:
        assert_tiles_are_of_one_turn(window, one)
        assert_players_take_turns(window, one)
        assert_recorded_turns_come_first(window, one)


def assert_tiles_are_of_one_turn(window: Window, one: Hypothesis) -> None:
    """Or left over."""
    surely = {square for square, tile in window.tiles.items() if tile.p >= TURN.certain}
    parts = (turn.tiles for turn in one.turns), (turn.added for turn in one.turns), (one.rest,)
    taken = Counter(square for part in parts for tiles in part for square in tiles)
    assert surely <= taken.keys() <= window.tiles.keys()
    assert set(taken.values()) <= {1}
    assert taken.keys() == one.tiles
    assert not (window.over and one.rest)


def assert_players_take_turns(window: Window, one: Hypothesis) -> None:
    """And a press ends one turn at most, of the player whose button it was."""
    sides = [*(turn.side for turn in one.turns), one.side]
    assert sides[0] == window.side or window.side is None
    assert all(before != after for before, after in pairwise(sides))
    used = [(turn.side, turn.press_ns) for turn in one.turns if turn.press_ns is not None]
    assert Counter(used) <= Counter((press.side, press.t_ns) for press in window.presses)
    for times in ([t_ns for _, t_ns in used], [turn.ended_ns for turn in one.turns]):
        assert times == sorted(times)


def assert_recorded_turns_come_first(window: Window, one: Hypothesis) -> None:
    assert len(one.turns) >= len(window.recorded)
    for turn, known in zip(one.turns, window.recorded, strict=False):
        assert turn.side == known.side
        assert turn.tiles >= known.tiles
        assert known.press_ns is None or turn.press_ns == known.press_ns


FEW = windows(2, unsure=1)
"""Windows that are searched to the end."""


def later(window: Window, by_ns: int) -> Window:
    def when(t_ns: int) -> int:
        return t_ns + by_ns

    return replace(
        window,
        began_ns=when(window.began_ns),
        tiles={
            square: replace(tile, after_ns=when(tile.after_ns), by_ns=when(tile.by_ns))
            for square, tile in window.tiles.items()
        },
        presses=tuple(replace(one, t_ns=when(one.t_ns)) for one in window.presses),
        seen_ns=None if window.seen_ns is None else when(window.seen_ns),
        recorded=tuple(
            replace(one, press_ns=None if one.press_ns is None else when(one.press_ns))
            for one in window.recorded
        ),
    )


def pairs(found: list[Hypothesis], by_ns: int = 0, **changed: Callable) -> dict[tuple, float]:
    """Each hypothesis and its probability, with times so much earlier, or otherwise changed."""
    side = changed.get("side", lambda one: one)
    square = changed.get("square", lambda one: one)

    def tiles(squares):
        return frozenset(map(square, squares))

    shares: Counter[tuple] = Counter()
    for one in found:
        turns = tuple(
            (
                side(turn.side),
                tiles(turn.tiles),
                tiles(turn.added),
                turn.ended_ns - by_ns,
                turn.press_ns and turn.press_ns - by_ns,
            )
            for turn in one.turns
        )
        shares[turns, side(one.side), tiles(one.rest)] += one.p
    return shares


def assert_same(one: dict[tuple, float], another: dict[tuple, float]) -> None:
    assert one == pytest.approx(another, abs=1e-9)


@given(FEW, st.sampled_from([1, 37, 36_000, 17_000_000_000]))
def test_only_differences_of_time_count(drawn, tenths):
    (window, hands), by_ns = drawn, tenths * TENTH
    found = decode(later(window, by_ns), [(0.0, hands)])
    assert_same(pairs(found, by_ns), pairs(decode(window, [(0.0, hands)])))


@given(FEW)
def test_the_two_players_are_alike(drawn):
    window, hands = drawn
    mirrored = replace(
        window,
        side=window.side and other(window.side),
        presses=tuple(replace(one, side=other(one.side)) for one in window.presses),
        recorded=tuple(replace(one, side=other(one.side)) for one in window.recorded),
    )
    swapped = {square: (right, left) for square, (left, right) in hands.items()}
    found = decode(mirrored, [(0.0, swapped)])
    assert_same(pairs(found, side=other), pairs(decode(window, [(0.0, hands)])))


def turned(square: Square) -> Square:
    return Square(square.col, square.row)


@given(FEW)
def test_rows_and_columns_are_alike(drawn):
    window, hands = drawn
    across = replace(
        window,
        board=Board.empty().replace({turned(s): c for s, c in window.board.tiles().items()}),
        tiles={turned(square): tile for square, tile in window.tiles.items()},
        recorded=tuple(
            replace(one, tiles=frozenset(map(turned, one.tiles))) for one in window.recorded
        ),
    )
    found = decode(across, [(0.0, {turned(square): one for square, one in hands.items()})])
    assert_same(pairs(found, square=turned), pairs(decode(window, [(0.0, hands)])))


@given(FEW, st.randoms(use_true_random=False))
def test_the_order_in_which_tiles_are_given_does_not_count(drawn, rng):
    window, hands = drawn
    order = list(window.tiles)
    rng.shuffle(order)
    shuffled = replace(window, tiles={square: window.tiles[square] for square in order})
    hands_too = {square: hands[square] for square in order if square in hands}
    found = decode(shuffled, [(0.0, hands_too)])
    assert pairs(found) == pairs(decode(window, [(0.0, hands)]))


@given(games())
def test_a_game_in_plain_sight_comes_out_as_it_was_played(table):
    hands = {square: SEEN[side] for side, tiles in table.turns for square in tiles}
    found = decode(table.window(), [(0.0, hands)])
    # One tile in a thousand is mistimed, and the plays may be likelier with it elsewhere.
    assert share(found, *table.turns, frozenset()) > 0.95


@given(games(3))
def test_it_is_the_likeliest_where_no_hands_were_seen(table):
    found = decode(table.window())
    assert share(found, *table.turns, frozenset()) > 0.5


@given(forgetful_games(3))
def test_where_one_press_is_forgotten_what_was_played_is_not_ruled_out(table):
    found = decode(table.window())
    turns, rest = table.turns, frozenset()
    if not table.presses or table.presses[-1].t_ns < max(t.by_ns for t in table.tiles.values()):
        turns, rest = turns[:-1], turns[-1][1]
    assert share(found, *turns, rest) > 0.01


def share(found: list[Hypothesis], *turns: object) -> float:
    """How likely it is that these were the turns."""
    return sum(one.p for one in found if turns_of(one) == turns)


@settings(max_examples=settings().max_examples // 5)
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(20, 60),
    span=st.sampled_from([3, 30, 1000]),
    p=st.sampled_from([1.0, 0.9, 0.5]),
    buttons=st.booleans(),
)
def test_no_window_is_too_big(seed, count, span, p, buttons):
    """A table that is started amid a game finds all its tiles at once."""
    table = Table.begun(seed, "left", 0)
    while len(table.tiles) < count:
        squares = table.place()[: count - len(table.tiles)]
        for square in squares:
            table.now += 10
            table.lay(square, span, p)
        table.ends(squares)
        if buttons:
            table.press(other(table.side))
    most, window = 400, table.window(unpressed=0.02 if buttons else None)
    with patch.object(turn_decoder, "_MOST_PLAYS", most):
        search = turn_decoder._Search(window, TURN)
        found = search.scores(0.0, {})
    assert found
    assert search._tried < most + 1000, "the last step may try many plays"
    assert len(found) < 2 * most + 1000
