"""Flags: findings in words with their rules, and that a flag goes once its cause is gone."""

from __future__ import annotations

import random
from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.adjudication.preview import difference
from game.board import EMPTY, SQUARES, Square
from game.errors import TilewatchError
from game.events import ButtonPressed, Finding, SquareCorrected, TurnSeen
from game.flag_codes import Cause
from game.flags import CODES, POSES, make_flag
from game.state.fold import fold
from game.state.settled_flags import CAUSES

from .gamekit import SECOND, Table, random_game
from .scriptkit import after
from .test_properties import mischief, seeds, taken


def opened(state) -> list[tuple[int, str, tuple[str, ...]]]:
    """Every open flag of a turn, as turn, code and squares."""
    return [
        (turn.number, flag.code, flag.squares)
        for turn in state.turns
        for flag in turn.flags
        if flag.settled is None
    ]


def replayed(events) -> Table:
    """A table that goes on from some events."""
    table = Table()
    table.events, table.state = [], None
    for event in events:
        table.put(event)
    last = [event for event in events if isinstance(event, TurnSeen)][-1]
    table.board, table.now = table.state.turns[-1].after, last.press_ns
    table.side = "right" if last.side == "left" else "left"
    return table


def test_what_a_correction_settles_is_shown_before_it_is_made():
    table = after("8G CAST, 9G ON, 8H=E, 8H=O")
    found = difference(table.state, SquareCorrected(4, "8H", "A", "TD", "", table.now))
    assert [flag.code for turn in found.turns for flag in turn.flags_gone] == ["tile_replaced"] * 2
    assert [flag for turn in found.turns for flag in turn.flags_new] == []


@given(seeds, st.sampled_from(["AEIOZ", "~", "#", "?", ".", "AEZ~#?."]))
def test_flagged_squares_that_are_corrected_to_what_lies_there_leave_nothing_open(seed, wrong):
    rng = random.Random(seed)
    right = random_game(seed, pass_rate=0.0)
    truth, seen = {}, []
    for event in right.events[: 2 + 2 * rng.randint(3, 10)]:
        if isinstance(event, TurnSeen):
            truth[len(truth) + 1] = event.rows
        seen.append(misread(event, rng, wrong) if isinstance(event, TurnSeen) else event)
    table = replayed(seen)

    def asked() -> set[tuple[int, str]]:
        return {
            (turn, square)
            for turn, code, squares in opened(table.state)
            for square in squares
            if CODES[code].asks in ("symbol", "letter")
        }

    for _ in range(8):  # a correction may show that another square was misread
        for turn, name in sorted(asked()):
            at = Square.parse(name)
            table.now += SECOND
            symbol = truth[turn][at.row][at.col]
            table.put(SquareCorrected(turn, name, symbol, "TD", "the picture shows it", table.now))
    assert asked() == set()
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


UNREAD = ("uncertain_square", "board_covered")


@given(seeds)
def test_no_square_has_two_flags_for_one_cause_and_what_is_settled_says_by_which_event(seed):
    state, events = taken(random_game(seed).events + mischief(seed))
    for turn in state.turns:
        counted = Counter(
            ("unread" if flag.code in UNREAD else flag.code, square)
            for flag in turn.flags
            for square in flag.squares
            if flag.code not in ("tile_moved", "extra_tile")
        )
        assert [key for key, count in counted.items() if count > 1] == []
        for flag in turn.flags:
            if flag.settled is not None:
                assert 1 <= flag.settled <= len(events)
                # A press that ends the game takes the points of overtime off.
                pressed = isinstance(events[flag.settled - 1], ButtonPressed)
                assert not pressed or flag.code == "overtime"


@given(seeds)
def test_tiles_moved_in_a_game_and_moved_back_leave_nothing_open(seed):
    rng = random.Random(seed)
    game = replayed(random_game(seed).events[: 2 + 2 * rng.randint(4, 14)])
    if game.state.status != "running":
        return
    before = game.board
    tiles = list(before.tiles())
    free = [square for square in SQUARES if before[square] == EMPTY]
    act = rng.choice(["move", "remove", "replace"])
    moved = before
    for origin in rng.sample(tiles, min(len(tiles), rng.randint(1, 3))):
        other = rng.choice([c for c in "AEZ" if c != before[origin]])
        moved = moved.replace({origin: other if act == "replace" else EMPTY})
        if act == "move":
            moved = moved.replace({free.pop(rng.randrange(len(free))): before[origin]})
    turn = game.see(moved)
    if turn.kind == "play" or not turn.flags:
        return  # tiles that were moved so may be a play for all that anybody can see
    again = game.see(before)
    left = [one for one in opened(game.state) if one[1] not in ("six_zeros", "overtime")]
    # The last play may have been taken back, and played again: then somebody is asked.
    assert bool(left) == (again.kind == "play")
    assert game.state.board == before


@pytest.mark.parametrize("code", [code for code, known in CODES.items() if known.asks == "symbol"])
def test_a_flag_about_what_lies_on_a_square_is_settled_some_day(code):
    assert CODES[code].settled_by, f"say in game/flag_codes.py what settles {code}"


def test_each_cause_is_looked_for():
    assert CAUSES.keys() == set(get_args(Cause))


@pytest.mark.parametrize("code", sorted(POSES))
def test_how_a_tile_lies_is_settled_when_it_is_told_of_anew_or_the_tile_is_gone(code):
    table = after(f"8G CAST !{code} 8G,8H, 9G ON !{code} 8G,8H")
    assert opened(table.state) == [(2, code, ("8G", "8H"))]
    table.lay("8G=.", "8H=.")
    assert code not in [code for _, code, _ in opened(table.state)]


def test_every_code_has_a_meaning_and_only_those_can_be_raised():
    assert all(code.meaning and code.meaning[0].islower() for code in CODES.values())
    with pytest.raises(TilewatchError, match="unknown flag code"):
        make_flag("nonsense")
