"""A turn that nobody pressed the clock for, as the camera saw it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from game.adjudication.remedies import offers
from game.board import Board, Square
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    SecondPlaySeen,
    Side,
    TurnSeen,
    TurnsJoined,
    from_payload,
)
from game.state.fold import GameState, apply, fold

SECOND = 1_000_000_000
FIRST = {"8G": "C", "8H": "A", "8I": "T"}
BOTH = {**FIRST, "9I": "O"}


def rows(tiles: dict[str, str]) -> tuple[str, ...]:
    return Board.empty().replace({Square.parse(k): v for k, v in tiles.items()}).rows


def started(rulebook: str) -> list[Event]:
    players: dict[Side, str] = {"left": "Ann", "right": "Bob"}
    game = GameStarted("game", players, rulebook, "english", None, 0)
    return [game, ButtonPressed("right", SECOND)]


def noted() -> SecondPlaySeen:
    return SecondPlaySeen("left", FIRST, 5 * SECOND, 9 * SECOND)


def taken(state: GameState, payload: Any) -> GameState:
    """The state after an offered event, as a director enters it."""
    event = from_payload(payload)
    return apply(state, replace(event, by="Dir", t_ns=20 * SECOND))


@pytest.mark.parametrize(
    ("rulebook", "rule"),
    [
        ("naspa-2017", "IV.G.2.a"),
        ("psa", "3.4.3"),
        ("sanspa-2001", "7.2"),
        ("sanspa-1999", "7.2"),
        ("wespa-2021", "3.4.1"),
    ],
)
def test_a_second_play_is_asked_about_at_once_and_parted_by_one_answer(rulebook, rule):
    state = fold([*started(rulebook), noted()])
    (flag,) = [flag for flag in state.flags if flag.code == "press_forgotten"]
    assert flag.rule is not None
    assert rule in flag.rule
    (offer,) = offers(state, None, flag)
    assert not offer.asks
    state = taken(state, offer.event)
    assert [(t.side, t.word) for t in state.turns] == [("left", "CAT")]
    assert state.on_turn == "right"
    assert not state.flags
    seen = TurnSeen("right", 12 * SECOND, rows(BOTH))
    state = fold([ButtonPressed("right", 12 * SECOND), seen], state)
    assert [(t.side, t.word, t.score) for t in state.turns] == [
        ("left", "CAT", 10),
        ("right", ".O", 3),
    ]
    assert state.on_turn == "left"


def test_a_press_after_both_plays_leaves_the_question_on_its_turn():
    found = tuple(Finding("press_forgotten", name) for name in FIRST)
    seen = TurnSeen("left", 12 * SECOND, rows(BOTH), findings=found)
    state = fold([*started("wespa-2021"), noted(), ButtonPressed("left", 12 * SECOND), seen])
    assert not state.flags
    turn = state.turns[0]
    (flag,) = [flag for flag in turn.flags if flag.code == "press_forgotten"]
    assert flag.squares == tuple(FIRST)
    two, one = offers(state, turn, flag)
    parted = taken(state, two.event)
    assert [(t.side, t.word, t.press_ns) for t in parted.turns] == [
        ("left", "CAT", 5 * SECOND),
        ("right", ".O", 12 * SECOND),
    ]
    assert not [f for t in parted.turns for f in t.flags if f.code == "press_forgotten"]
    assert all(f.settled for f in taken(state, one.event).turns[0].flags if f.code == flag.code)


def test_a_turn_that_the_next_play_ended_says_so_and_can_be_joined_again():
    first = TurnSeen("left", 5 * SECOND, rows(FIRST), ended="opponent_placed")
    second = TurnSeen("right", 12 * SECOND, rows(BOTH))
    state = fold([*started("psa"), first, ButtonPressed("right", 12 * SECOND), second])
    assert [(t.side, t.word) for t in state.turns] == [("left", "CAT"), ("right", ".O")]
    assert (state.on_turn, state.clocks.running) == ("left", "left")
    (flag,) = state.turns[0].flags
    assert flag.code == "not_pressed"
    assert flag.rule is not None
    assert "3.4.3" in flag.rule
    (offer,) = offers(state, state.turns[0], flag)
    joined = taken(state, offer.event)
    assert isinstance(joined.progress.events[-1], TurnsJoined)
    assert [(t.side, len(t.tiles)) for t in joined.turns] == [("left", 4)]


def test_a_press_that_comes_late_starts_the_clock_and_ends_no_turn():
    first = TurnSeen("left", 5 * SECOND, rows(FIRST), ended="opponent_placed")
    state = fold([*started("psa"), first, ButtonPressed("left", 12 * SECOND)])
    assert (len(state.turns), state.on_turn, state.clocks.running) == (1, "right", "right")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (SecondPlaySeen("right", FIRST, 5 * SECOND, 9 * SECOND), "not right's turn"),
        (SecondPlaySeen("left", {"8G": "C"}, 5 * SECOND, 9 * SECOND), "8G before"),
    ],
)
def test_what_cannot_be_is_refused(event, why):
    played = TurnSeen("left", 3 * SECOND, rows(FIRST))
    answered = TurnSeen("right", 4 * SECOND, rows(BOTH))
    state = fold([*started("psa"), played, answered])
    with pytest.raises(TilewatchError, match=why):
        apply(state, event)
