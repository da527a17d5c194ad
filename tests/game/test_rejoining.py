"""Turns taken again after a ruling: as many as may come out otherwise, and all come out right."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ChallengeBonus,
    Event,
    RackReported,
    ScoreAgreed,
    SquareCorrected,
    StopExplained,
    TurnRuled,
    TurnSeen,
)
from game.rulebooks.loading import rulebook_ids
from game.state.fold import GameState

from .gamekit import SECOND, Table, random_game

RULINGS = [
    *("play", "challenge_upheld", "challenge_failed", "challenge_withdrawn", "no_score"),
    *("exchange", "pass", "undone", "taken_back", "illegal_play", "illegal_play_unknown"),
]


def again(state: GameState) -> None:
    """Assert that the ledger is what its entries and rulings make, taken from the first on."""
    known = state.progress.ledger
    fresh = known.again(1, state.config)
    assert known.inferred == fresh.inferred
    assert known.limit == fresh.limit
    assert known.positions == fresh.positions


def output(rng: random.Random, state: GameState, now: int) -> Event:
    """Something that a director or a player may say."""
    turn = rng.choice(state.turns)
    number, side, points = turn.number, turn.side, rng.randrange(3)
    match rng.randrange(12):
        case 0:
            return ScoreAgreed(number, side, turn.score + points, "TD", "", now)
        case 1:
            return ScoreAgreed(0, side, 100 + points, "TD", "", now)
        case 2:
            return StopExplained(number, "challenge", "TD", "", now)
        case 3:
            return RackReported(side, "AEIOURT"[: 7 - points], now, "TD")
        case 4 if turn.tiles:
            return SquareCorrected(number, rng.choice([*turn.tiles]), "E", "TD", "", now)
        case 5:
            return ChallengeBonus(side, 5, None, "TD", "", now)
        case _:
            ruling = rng.choice(RULINGS)
            return TurnRuled(number, ruling, "TD", "", now, words=points)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("book", rulebook_ids())
def test_whatever_is_said_the_ledger_is_what_it_would_be_from_the_start(book, seed):
    rng = random.Random(f"{book} {seed}")
    table = Table(rulebook=book)
    stopped = 0
    for event in random_game(seed, pass_rate=0.3).events[2:]:
        now = event.t_ns if isinstance(event, ButtonPressed) else event.press_ns
        if isinstance(event, ButtonPressed) and table.state.turns and rng.random() < 0.2:
            stopped += 1
            table.put(ButtonPressed("neutral", now - SECOND))
            table.put(ButtonPressed(rng.choice(["left", "right"]), now - SECOND // 2))
        try:
            table.put(event)
        except TilewatchError:
            break  # the game was over before, by what was said
        for _ in range(rng.randrange(3) if isinstance(event, TurnSeen) else 0):
            with suppress(TilewatchError):
                table.put(output(rng, table.state, now))
                again(table.state)
    assert stopped and len(table.state.turns) > 5


def long_game(rulebook: str = "wespa-2021") -> Table:
    """Twenty-two turns, every other one of which plays a tile."""
    table = Table(rulebook=rulebook)
    table.play("8D", "CAT")
    table.nothing()
    for column in "DFGHIJKLMN":
        table.play(f"{column}{9 if column < 'G' else 8}", "A" if column < "G" else "E")
        table.nothing()
    return table


@pytest.mark.parametrize(
    ("rulebook", "number", "one", "other"),
    [
        ("wespa-2021", 2, "pass", "exchange"),
        ("wespa-2021", 1, "challenge_failed", "play"),
        ("wespa-2021", 1, "challenge_withdrawn", "play"),
        ("naspa-2017", 1, "challenge_withdrawn", "play"),
    ],
)
def test_a_ruling_that_changes_nothing_later_takes_few_turns_again(rulebook, number, one, other):
    """Later turns of the opponent are the very same ones; a player's own have another total."""
    table = long_game(rulebook)
    assert len(table.state.turns) > 20
    for ruling in (one, other, one):
        before = table.state
        table.now += SECOND
        state = table.put(TurnRuled(number, ruling, "TD", "", table.now, words=1))
        assert state.turns[number - 1].ruling == ruling
        same = {turn.number for turn in state.turns if turn is before.turns[turn.number - 1]}
        assert same >= set(range(number + 5, len(state.turns) + 1, 2))
        again(state)
        assert (state.scores != before.scores) == ("challenge_failed" in (one, other))


def test_a_ruling_that_changes_the_board_takes_every_later_turn_again():
    table = long_game()
    before = table.state
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert not any(turn is before.turns[turn.number - 1] for turn in state.turns)
    again(state)


def test_a_total_that_was_agreed_on_later_holds_whatever_is_ruled_before():
    table = long_game()
    table.put(ScoreAgreed(0, "left", 100, "TD", "", table.now))
    table.play("N9", "A")
    table.nothing()
    scores = table.state.scores
    table.put(TurnRuled(1, "challenge_failed", "TD", "", table.now, words=1))
    assert table.state.turns[0].bonus == 5
    assert table.state.scores == scores
    again(table.state)
