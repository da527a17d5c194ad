"""Everything that can go wrong in a game, planned from a seed.

:func:`plan` adds mischief (mistakes, mishaps and cheating) to a script. Its consequences are not
guessed: the game is simulated without drawing pictures, and its events, as a perfect camera would
report them, go to the referee. If an expected flag is missing, or a score differs from the
script's, that mischief is dropped and the game is planned again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from game.board import Board
from game.errors import TilewatchError
from game.events import SIDES, GameStarted, Side, other
from game.rulebooks.loading import DEFAULT_RULEBOOK
from game.state.fold import GameState, fold
from game.tileset import load_tile_set
from simulation.actions import Action, Leave, TurnBoard, Wait
from simulation.appearance import look
from simulation.playing import BRISK, Pace, TurnPlan, played
from simulation.script import Script, ScriptTurn
from simulation.tricks import TRICKS, TrickContext, weather
from simulation.world import Fault, World

_ATTEMPTS: Final = 60


@dataclass(frozen=True)
class Mischief:
    """The chances (0 to 1) of mischief in a turn, and of troubles with board, light and camera."""

    turn: float = 0.6
    board: float = 0.25
    light: float = 0.25
    camera: float = 0.06
    turntable: float = 0.5
    """The chance that the players of a game turn the board after every turn."""
    wrong_start: float = 0.15
    """The chance that the wrong player begins."""


ALL_ON: Final = Mischief()
NONE: Final = Mischief(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Plan:
    """A game with its mischief, and the state that a perfect recorder would reach."""

    script: Script
    turns: tuple[TurnPlan, ...]
    first: Side | None
    """The side that should have begun, if that was announced; else None."""
    truth: GameState
    faults: tuple[Fault, ...]

    def actions(self, rng: random.Random, pace: Pace) -> tuple[Action, ...]:
        """Return the players' actions."""
        return played(self.turns, rng, pace)

    def start(self, game_id: str, t_ns: int) -> GameStarted:
        """Return the first event of the game."""
        return _start(self.script, self.first, game_id, t_ns)


def plan(script: Script, seed: int, mischief: Mischief = ALL_ON) -> Plan:
    """Return the script with mischief added; the same seed gives the same plan on every machine.

    Raises ``TilewatchError`` when the script cannot be played even without any.
    """
    script.boards()
    banned: set[int] = set()
    for _ in range(_ATTEMPTS):
        planner = _Planner(script, seed, mischief, banned)
        turns = planner.turns()
        done = _try(script, turns, planner.first)
        if isinstance(done, Plan):
            return done
        place = planner.sources[min(done, len(planner.sources) - 1)]
        # A fault may come from what the turn before did.
        banned |= {place} if place not in banned else {place - 1}
    done = _try(script, tuple(TurnPlan(turn) for turn in script.turns), None)
    if isinstance(done, Plan):
        return done
    raise TilewatchError(f"turn {done + 1} of the game is not worth what its record says")


def _start(script: Script, first: Side | None, game_id: str, t_ns: int) -> GameStarted:
    return GameStarted(
        game_id,
        {side: script.players[side] for side in SIDES},
        DEFAULT_RULEBOOK,
        script.tile_set,
        first,
        t_ns,
    )


def _try(script: Script, turns: tuple[TurnPlan, ...], first: Side | None) -> Plan | int:
    """Return the plan, or the index of the first turn that does not go as planned."""
    world = World(random.Random(0), look(0, load_tile_set(script.tile_set)), 10.0)
    for action in played(turns, random.Random(0), BRISK):
        for _ in action.run(world):
            world.seq += 1
            world.t_ns = round(world.seq * 1e9 / world.fps)
    try:
        truth = fold([_start(script, first, "truth", 0), *world.truth])
    except TilewatchError:
        return _refused(script, first, world)
    for place, planned in enumerate(turns):
        if place >= len(truth.turns):
            return place
        turn = truth.turns[place]
        due = planned.turn.score
        if planned.scores and due is not None and turn.score != due:
            return place
        codes = {flag.code for flag in turn.flags}
        wanted = {code for f in world.faults if f.turn == turn.number for code in f.codes}
        if not wanted <= codes:
            return place
    if len(truth.turns) != len(turns):
        return len(turns) - 1
    return Plan(script, turns, first, truth, tuple(world.faults))


def _refused(script: Script, first: Side | None, world: World) -> int:
    """Return the index of the turn at which the referee refuses an event."""
    state = fold([_start(script, first, "truth", 0)])
    for count in range(len(world.truth) + 1):
        try:
            state = fold([_start(script, first, "truth", 0), *world.truth[:count]])
        except TilewatchError:
            break
    return max(0, len(state.turns) - 1)


@dataclass
class _Planner:
    """Plans one game, turn by turn."""

    script: Script
    seed: int
    mischief: Mischief
    banned: set[int]
    first: Side | None = None
    sources: list[int] = field(default_factory=list)
    """The index of the script's turn that each planned turn comes from."""
    mends: list[Callable[[Side], Action]] = field(default_factory=list)
    """Repairs that the next player makes first."""

    def turns(self) -> tuple[TurnPlan, ...]:
        """Return the turns with their mischief."""
        rng = random.Random(f"tilewatch mischief {self.seed}")
        turntable = rng.random() < self.mischief.turntable
        if rng.random() < self.mischief.wrong_start and 0 not in self.banned and self.script.turns:
            self.first = other(self.script.turns[0].side)
        out: list[TurnPlan] = []
        board = Board.empty()
        self.sources.clear()
        for number, turn in enumerate(self.script.turns):
            rng = random.Random(f"tilewatch mischief {self.seed}.{number}")
            planned = self._planned(number, turn, board, rng)
            if turntable and board.symbols:
                spin = TurnBoard(turn.side, 180 + rng.uniform(-4, 4))
                last = planned[-1]
                if not last.turn.out and last.turn.kind != "withdrawn":
                    tail = (*last.after, Wait(0.3), spin, Leave(turn.side, 0.4))
                    planned[-1] = replace(last, after=tail)
            if number == 0 and self.first is not None:
                wrong = ("wrong_start", frozenset({"changed_out_of_turn"}))
                planned[0] = replace(planned[0], faults=(*planned[0].faults, wrong))
            out += planned
            self.sources += [number] * len(planned)
            if turn.kind != "withdrawn":
                board = board.replace(turn.tiles)
        return tuple(out)

    def _planned(
        self, number: int, turn: ScriptTurn, board: Board, rng: random.Random
    ) -> list[TurnPlan]:
        how = self.mischief
        base = TurnPlan(turn, start=self._mending(turn.side))
        left = self.script.turns[number:]
        around = self.script.turns[max(0, number - 3) : number + 4]
        dull = any(not one.score for one in around)
        here = TrickContext(turn, len(left), board, rng, self.mends, dull)
        base = replace(base, idle=weather(rng, how.light, how.board, how.camera))
        if number in self.banned or rng.random() >= how.turn or turn.kind != "play":
            return [base]
        for trick in rng.sample(TRICKS, len(TRICKS)):
            planned = trick(here, base)
            if planned is not None:
                return planned
        return [base]

    def _mending(self, side: Side) -> tuple[Action, ...]:
        mend = tuple(make(side) for make in self.mends)
        self.mends.clear()
        return mend
