"""From a script to actions: how two people play a game out at the table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from game.board import Square, is_blank
from game.events import BlankDesignated, ChallengeBonus, Side, TurnRuled, other
from sensors.interfaces import Button
from sensors.simulated.actions import (
    Action,
    InTurn,
    Lay,
    Leave,
    Lift,
    PressClock,
    Reach,
    Say,
    Steps,
    Wait,
)
from sensors.simulated.script import Script, ScriptTurn
from sensors.simulated.world import TurnTruth, World


@dataclass(frozen=True)
class Pace:
    """How long things take, in seconds of simulated time: least and most."""

    think: tuple[float, float] = (2.0, 4.5)
    reach: tuple[float, float] = (0.5, 0.8)
    tile: tuple[float, float] = (0.35, 0.7)
    settle: tuple[float, float] = (0.7, 1.4)
    """From the hand's leaving to the press: adding up, announcing."""
    after: tuple[float, float] = (0.5, 0.9)
    """From the press to the next player's first move."""


BRISK = Pace((0.5, 1.0), (0.3, 0.4), (0.2, 0.3), (0.5, 0.6), (0.4, 0.5))
"""For tests."""


def whole_game(script: Script, rng: random.Random, pace: Pace) -> tuple[Action, ...]:
    """Every action of a game: the clock is started, the turns are played, the board lies clear."""
    script.boards()  # refuses a script that cannot be laid
    second = other(script.turns[0].side) if script.turns else "right"
    actions: list[Action] = [Wait(1.5), PressClock(second)]
    for number, turn in enumerate(script.turns, start=1):
        actions += play_turn(turn, number, rng, pace)
    actions.append(Wait(2.0))
    return tuple(actions)


def play_turn(turn: ScriptTurn, number: int, rng: random.Random, pace: Pace) -> Iterator[Action]:
    """The actions of one turn, its press included."""

    def some(span: tuple[float, float]) -> float:
        return rng.uniform(*span)

    side = turn.side
    yield Wait(some(pace.after) + some(pace.think))
    if turn.tiles:
        yield Reach(side, _beside(next(iter(turn.tiles)), side), some(pace.reach))
        for square, symbol in turn.tiles.items():
            yield Lay(side, square, symbol, some(pace.tile))
        yield Leave(side, some(pace.reach))
    yield Wait(some(pace.settle))
    yield EndTurn(turn, "neutral" if turn.out else side)
    for square, symbol in turn.tiles.items():
        if is_blank(symbol) and symbol != "?":
            yield Announce(square, symbol)
    for bonus in turn.afterwards:
        yield Wait(some(pace.think))
        yield Award(bonus)
    if turn.kind == "withdrawn":
        yield from _withdrawal(turn, number, some(pace.think), some(pace.reach))


def _beside(square: Square, side: Side) -> tuple[float, float]:
    return (square.col + (-1.5 if side == "left" else 2.5), square.row + 0.5)


@dataclass(frozen=True)
class EndTurn:
    """Press the clock and note what the turn really was."""

    turn: ScriptTurn
    button: Button

    def run(self, world: World) -> Steps:
        """Press at a moment between two frames."""
        press_ns = world.press(self.button, world.rng.uniform(0.1, 0.9) / world.fps)
        turn = self.turn
        world.turns.append(
            TurnTruth(
                turn.side, turn.kind, turn.tiles, world.board, press_ns, turn.score, turn.total
            )
        )
        yield


@dataclass(frozen=True)
class Announce:
    """The player says which letter the blank stands for."""

    square: Square
    symbol: str

    def run(self, world: World) -> Steps:
        """Say it a moment after the press."""
        for _ in range(world.frames(0.3)):
            yield
        yield from Say(
            BlankDesignated(
                self.square.name,
                self.symbol.upper(),
                "the player",
                "announced when it was played",
                world.t_ns,
            )
        ).run(world)


def _withdrawal(turn: ScriptTurn, number: int, think: float, reach: float) -> Iterator[Action]:
    """The opponent stops the clock and challenges; the play is no good and comes off."""
    squares = tuple(turn.tiles)
    yield Wait(think)
    yield PressClock("neutral")
    yield Wait(1.5)
    yield Uphold(number)
    yield InTurn(
        (
            Reach(turn.side, _beside(squares[0], turn.side), reach),
            *(Lift(turn.side, square) for square in squares),
            Leave(turn.side, reach),
            Wait(0.8),
            PressClock(turn.side),
        )
    )


@dataclass(frozen=True)
class Award:
    """The director says that a challenge was in vain, and what that gives."""

    bonus: ChallengeBonus

    def run(self, world: World) -> Steps:
        """Say it, now."""
        return Say(replace(self.bonus, t_ns=world.t_ns)).run(world)


@dataclass(frozen=True)
class Uphold:
    """The director says that the play was no good."""

    number: int

    def run(self, world: World) -> Steps:
        """Say it."""
        return Say(
            TurnRuled(
                self.number, "challenge_upheld", "the director", "play unacceptable", world.t_ns
            )
        ).run(world)
