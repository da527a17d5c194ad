"""Turns a script into actions: how two people play a game at the table."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from game.board import Square, is_blank
from game.events import BlankDesignated, Button, ChallengeBonus, Ruling, Side, TurnRuled, other
from simulation.actions import (
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
from simulation.script import Script, ScriptTurn
from simulation.world import Fault, TurnTruth, World

DIRECTOR: Final = "the simulated director"
"""The name of the director who rules on the simulated players' challenges."""


@dataclass(frozen=True)
class Pace:
    """The shortest and longest durations of actions, in seconds of simulated time."""

    think: tuple[float, float] = (2.0, 4.5)
    reach: tuple[float, float] = (0.5, 0.8)
    tile: tuple[float, float] = (0.35, 0.7)
    settle: tuple[float, float] = (0.7, 1.4)
    """The time from the hand's leaving to the press, in which the player adds up and announces."""
    after: tuple[float, float] = (0.5, 0.9)
    """The time from the press to the next player's first movement."""


BRISK = Pace((0.5, 1.0), (0.3, 0.4), (0.2, 0.3), (0.5, 0.6), (0.4, 0.5))
"""Short durations, for tests."""


@dataclass(frozen=True)
class TurnPlan:
    """A turn as it will be played: the script's, with its mischief."""

    turn: ScriptTurn
    start: tuple[Action, ...] = ()
    """Actions at the start of the turn, which repair the last turn's mischief."""
    idle: tuple[Action, ...] = ()
    """Actions while the player thinks."""
    quarter_turns: Mapping[Square, int] = field(default_factory=dict)
    """The quarter turns, clockwise, by which tiles are placed turned."""
    shown: Mapping[Square, str] = field(default_factory=dict)
    """Symbols that the camera sees in place of the played tiles, such as a face-down tile."""
    elsewhere: tuple[tuple[Square, str], ...] = ()
    """Tiles tried on other squares first, and taken back."""
    over: tuple[Action, ...] = ()
    """Actions of the player's hand over the board once the tiles are laid."""
    late: tuple[Action, ...] = ()
    """Actions between the hand's leaving and the press."""
    covered: bool = False
    """True if the other hand presses while this one is over the board."""
    after: tuple[Action, ...] = ()
    """Actions after the press."""
    faults: tuple[tuple[str, frozenset[str]], ...] = ()
    """Faults of this turn, each with the codes of the flags that it must get."""
    scores: bool = True
    """True if the turn still has the score that the script states."""


def whole_game(script: Script, rng: random.Random, pace: Pace) -> tuple[Action, ...]:
    """Return every action of a game, from starting the clock until the board is left clear."""
    script.boards()  # refuses a script that cannot be played
    return played([TurnPlan(turn) for turn in script.turns], rng, pace)


def played(plans: Sequence[TurnPlan], rng: random.Random, pace: Pace) -> tuple[Action, ...]:
    """Return the actions of a game with these turns."""
    second = other(plans[0].turn.side) if plans else "right"
    actions: list[Action] = [Wait(1.5), PressClock(second)]
    for plan in plans:
        actions += play_turn(plan, rng, pace)
    actions.append(Wait(2.0))
    return tuple(actions)


def play_turn(plan: TurnPlan, rng: random.Random, pace: Pace) -> Iterator[Action]:
    """Yield the actions of one turn, including its press."""

    def some(span: tuple[float, float]) -> float:
        return rng.uniform(*span)

    turn, side = plan.turn, plan.turn.side
    yield Wait(some(pace.after) + some(pace.think))
    yield from plan.idle
    if plan.start:
        yield from plan.start
        yield Leave(side, some(pace.reach))
        yield Wait(some(pace.settle))
    if turn.tiles or plan.over:
        yield from _lay_tiles(plan, rng, pace)
    yield Wait(some(pace.settle))
    yield from plan.late
    yield EndTurn(turn, "neutral" if turn.out else side, plan.covered, plan.faults)
    for square, symbol in turn.tiles.items():
        if is_blank(symbol) and symbol != "?" and square not in plan.shown:
            yield Announce(square, symbol, side)
    if plan.covered:
        yield Wait(some(pace.settle))
        yield Leave(side, some(pace.reach))
    yield from plan.after
    for bonus in turn.afterwards:
        yield Wait(some(pace.think))
        yield Award(bonus)
    if turn.kind == "withdrawn":
        yield from _withdrawal(turn, some(pace.think), some(pace.reach))


def _lay_tiles(plan: TurnPlan, rng: random.Random, pace: Pace) -> Iterator[Action]:
    """Yield the actions of a hand that lays the tiles; it leaves unless ``plan`` is ``covered``."""

    def some(span: tuple[float, float]) -> float:
        return rng.uniform(*span)

    turn, side = plan.turn, plan.turn.side
    first = next(iter(turn.tiles), Square(7, 7))
    yield Reach(side, _beside(first, side), some(pace.reach))
    for square, symbol in plan.elsewhere:
        yield Lay(side, square, symbol, some(pace.tile))
    if plan.elsewhere:
        yield Wait(some(pace.tile))
    for square, _ in plan.elsewhere:
        yield Lift(side, square, some(pace.tile))
    for square, symbol in turn.tiles.items():
        shown = plan.shown.get(square, symbol)
        turned = plan.quarter_turns.get(square, 0)
        yield Lay(side, square, shown, some(pace.tile), turned)
    yield from plan.over
    if not plan.covered:
        yield Leave(side, some(pace.reach))


def _beside(square: Square, side: Side) -> tuple[float, float]:
    return (square.col + (-1.5 if side == "left" else 2.5), square.row + 0.5)


@dataclass(frozen=True)
class EndTurn:
    """Press the clock and record the truth of the turn."""

    turn: ScriptTurn
    button: Button
    covered: bool = False
    """True if a hand hides a part of the board meanwhile."""
    faults: tuple[tuple[str, frozenset[str]], ...] = ()

    def run(self, world: World) -> Steps:
        press_ns = world.press(self.button, world.rng.uniform(0.1, 0.9) / world.fps)
        turn = self.turn
        world.turns.append(
            TurnTruth(
                turn.side, turn.kind, turn.tiles, world.board, press_ns, turn.score, turn.total
            )
        )
        world.end_turn(turn.side, press_ns, self.covered)
        world.faults += [Fault(kind, world.seen, codes) for kind, codes in self.faults]
        yield


@dataclass(frozen=True)
class Announce:
    """The player announces the letters of the play's blanks."""

    square: Square
    symbol: str
    side: Side

    def run(self, world: World) -> Steps:
        for _ in range(world.frames(0.3)):
            yield
        yield from Say(
            BlankDesignated(
                self.square.name,
                self.symbol.upper(),
                f"the player in the {self.side} seat",
                "announced when it was played",
                world.t_ns,
            )
        ).run(world)


def _withdrawal(turn: ScriptTurn, think: float, reach: float) -> Iterator[Action]:
    """Yield the actions of a successful challenge: the clock is stopped and the play comes off."""
    squares = tuple(turn.tiles)
    yield Wait(think)
    yield PressClock("neutral")
    yield Wait(1.5)
    yield Rule("challenge_upheld", "play unacceptable")
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
    """The director announces that a challenge failed, and the points that this gives."""

    bonus: ChallengeBonus

    def run(self, world: World) -> Steps:
        return Say(replace(self.bonus, t_ns=world.t_ns)).run(world)


@dataclass(frozen=True)
class Rule:
    """The director rules on the last turn."""

    ruling: Ruling
    why: str
    words: int = 0

    def run(self, world: World) -> Steps:
        return Say(
            TurnRuled(world.seen, self.ruling, DIRECTOR, self.why, world.t_ns, self.words)
        ).run(world)
