"""The scores of an ended game, worked out a second time from the events by each text's own sums.

Nothing of the referee is used here but what it read of each play: the points of the words on the
board, and the racks that were shown. Bonuses, corrections, racks and time are reckoned anew
from figures that are written down below, text by text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    PointsAdjusted,
    RackReported,
    TurnRuled,
)

from .gamekit import SECOND, Table, position

VALUES = {
    **dict.fromkeys("AEILNORSTU", 1),
    **dict.fromkeys("DG", 2),
    **dict.fromkeys("BCMP", 3),
    **dict.fromkeys("FHVWY", 4),
    "K": 5,
    **dict.fromkeys("JX", 8),
    **dict.fromkeys("QZ", 10),
    "?": 0,
}


@dataclass(frozen=True)
class Sums:
    """The figures of one text."""

    bonus: int = 0
    """Points for each word challenged in vain."""
    own_tiles: bool = True
    """Each loses the own tiles where the game is ended by hand and neither is out."""
    leaver: int | None = None
    """What a leaver who is behind loses (NASPA V.K.2); None where scores stay."""
    split: bool = False
    """The rack left when a player is out comes off its owner, and is added once."""
    limit_ends: bool = False
    """Ten minutes of overtime end the game with other scores (NASPA V.G.3)."""


TEXTS = {
    "naspa-2017": Sums(leaver=50, limit_ends=True),
    "psa": Sums(own_tiles=False),
    "sanspa-1999": Sums(),
    "sanspa-2001": Sums(),
    "wespa-2007": Sums(bonus=5, split=True),
    "wespa-2021": Sums(bonus=5, own_tiles=False, limit_ends=True),
}
RACKS = ("AEIOUZQ", "DNLGBVK", "EEEEEEE", "?RSTLNE")
PLAYS = (("8G", "CAT"), ("9G", "ON"), ("10G", "AS"), ("11G", "TE"), ("12G", "IN"))
RULED = ("challenge_upheld", "challenge_failed", "no_score", "taken_back", "play")
SIDES = ("left", "right")
EVENTS = st.one_of(
    st.tuples(st.just("penalty"), st.sampled_from(SIDES), st.integers(0, 60)),
    st.tuples(st.just("score"), st.sampled_from(SIDES), st.integers(-60, 60)),
    st.tuples(st.just("spread"), st.sampled_from(SIDES), st.integers(-60, 60)),
    st.tuples(st.just("clock"), st.sampled_from(SIDES), st.integers(-2300, 60)),
    st.tuples(st.just("rule"), st.integers(1, 5), st.sampled_from(RULED)),
)
ENDINGS = st.sampled_from(("agreed", "shortened", "six_zeros", "broken off", "left", "resigned"))


def overtime(seconds_left: int) -> int:
    """Ten points for every minute over, or part of one."""
    over = max(0, -seconds_left)
    return 10 * ((over + 59) // 60)


def time_shown(table: Table) -> dict[str, int]:
    """The seconds on both clocks when the game was ended."""
    left, pressed, running = dict.fromkeys(SIDES, 1500), 0, "left"
    for event in table.events:
        if isinstance(event, ClockAdjusted):
            left[event.side] += event.added_ns // SECOND
        elif isinstance(event, ButtonPressed) and event.button in SIDES:
            left[event.button] -= (event.t_ns - pressed) // SECOND
            pressed, running = event.t_ns, SIDES[event.button == "left"]
    left[running] -= (table.now - pressed) // SECOND
    return left


def points_of_turns(table: Table, sums: Sums) -> dict[str, int]:
    """The points of all turns, as they were ruled last."""
    scores = dict.fromkeys(SIDES, 0)
    ruled = {event.turn: event for event in table.events if isinstance(event, TurnRuled)}
    for turn in table.state.turns:
        event = ruled.get(turn.number)
        ruling = "play" if event is None else event.ruling
        if ruling in ("play", "challenge_failed"):
            scores[turn.side] += sum(points for _, points in turn.words) + turn.bingo
        if ruling == "challenge_failed":
            scores[turn.side] += sums.bonus * min(event.words, len(turn.words))
    return scores


def expected(table: Table, sums: Sums, racks: dict[str, str], ending: str) -> dict[str, int]:
    """Both scores by the text's own arithmetic."""
    scores, shown = points_of_turns(table, sums), time_shown(table)
    for event in table.events:
        match event:
            case PenaltyAdded():
                scores[event.side] -= event.points
            case PointsAdjusted(on="score") | ChallengeBonus():
                scores[event.side] += event.points
    # The limit on overtime (NASPA V.G.3) has tests of its own.
    assume(not (sums.limit_ends and min(shown.values()) < -600))
    if ending in ("agreed", "shortened", "six_zeros") and (sums.own_tiles or ending != "agreed"):
        for side in SIDES:
            scores[side] -= sum(VALUES[tile] for tile in racks[side])
    for side in SIDES:
        scores[side] -= overtime(shown[side])
    if ending in ("left", "resigned") and sums.leaver is not None:
        if scores["left"] > scores["right"]:
            scores["right"] = scores["left"] + sums.leaver
        else:
            scores["left"] -= sums.leaver
    return scores


def happen(table: Table, what: tuple[Any, ...]) -> None:
    kind, first, second = what
    table.now += SECOND
    if kind == "penalty":
        table.put(PenaltyAdded(first, second, None, "TD", "", table.now))
    elif kind == "clock":
        table.put(ClockAdjusted(first, second * SECOND, None, "TD", "", table.now))
    elif kind == "rule":
        words = 2 if second == "challenge_failed" else 0
        table.put(TurnRuled(first, second, "TD", "", table.now, words=words))
    else:
        table.put(PointsAdjusted(first, second, kind, None, "TD", "", table.now))


@pytest.mark.parametrize("book", sorted(TEXTS))
@given(
    happening=st.lists(EVENTS, max_size=6),
    ending=ENDINGS,
    racks=st.permutations(RACKS),
)
def test_an_ended_game_has_the_scores_that_the_texts_sums_give(book, happening, ending, racks):
    table = Table(rulebook=book)
    for where, word in PLAYS:
        table.play(where, word)
    for what in happening:
        try:
            happen(table, what)
        except TilewatchError:
            continue  # refused, so that it changes nothing
    held = dict(zip(SIDES, racks, strict=False))
    try:
        if ending in ("left", "resigned"):
            table.put(GameForfeited("left", ending, "TD", "", table.now))
        else:
            for side, tiles in held.items():
                table.put(RackReported(side, tiles, table.now))
            table.put(GameEnded(ending, table.now))
    except TilewatchError:
        return  # it was over before
    assert dict(table.state.scores) == expected(table, TEXTS[book], held, ending)


@pytest.mark.parametrize("book", sorted(TEXTS))
def test_who_is_out_leads_by_twice_the_rack_in_every_text(book):
    table = Table(rulebook=book, rows=position(0))
    turn = table.play("8I", "RATIUES")
    table.put(PointsAdjusted("right", 13, "score", None, "TD", "", table.now))
    table.put(GameEnded("agreed", table.now))
    rack = sum(VALUES[tile] for tile in "DNLGBVQ")
    added, off = (rack, rack) if TEXTS[book].split else (2 * rack, 0)
    points = sum(points for _, points in turn.words) + 50
    assert dict(table.state.scores) == {"left": points + added, "right": 13 - off}
