"""The rest of a game after somebody at the desk had a play taken off, or had it stand after all.

The plan of the game is worth nothing then: its later plays join the tiles that are gone. The
players put the board right and go on with what may be on their racks, turn by turn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from game.board import EMPTY, UNDESIGNATED, Board, Square, is_blank
from game.events import SIDES, Side, other
from game.rulebooks.loading import load_rulebook
from game.state.fold import GameState
from game.tileset import load_tile_set
from simulation.actions import Action, Lay, Leave, Lift, Steps, Wait
from simulation.game_generator import SCORELESS, choose
from simulation.playing import Pace, TurnPlan, play_turn
from simulation.script import ScriptTurn
from simulation.world import World


@dataclass(frozen=True)
class PutRight:
    """Take off what does not count, and lay what counts and is gone."""

    board: Board
    """As it counts."""
    side: Side
    """Whose hand does it."""
    done: Callable[[int], None]
    """Told the time at which it is done."""

    def run(self, world: World) -> Steps:
        for side in SIDES:
            yield from Leave(side).run(world)  # the hand of whoever was about to play
        wrong = [at for at in world.tiles if self.board[at] == EMPTY]
        gone = [at for at in self.board.tiles() if at not in world.tiles]
        for square in sorted(wrong):
            yield from Lift(self.side, square).run(world)
        for square in sorted(gone):
            yield from Lay(self.side, square, self.board[square]).run(world)
        yield from Leave(self.side).run(world)
        yield from Wait(1.0).run(world)
        self.done(world.t_ns)


def carrying_on(
    state: GameState, side: Side, rng: random.Random, pace: Pace, done: Callable[[int], None]
) -> Iterator[Action]:
    """The actions from here on: ``side`` puts the board right, then both play it out."""
    yield PutRight(state.board, side, done)
    for turn in _turns(state, rng):
        yield from play_turn(TurnPlan(turn), rng, pace)
    yield Wait(2.0)


def _turns(state: GameState, rng: random.Random) -> Iterator[ScriptTurn]:
    """Yield the turns; each is chosen when it is asked for."""
    tile_set, book = load_tile_set(state.tile_set.id), load_rulebook(state.rulebook.id)
    racks, bag = _dealt(state, rng)
    board, scores = state.board, dict(state.scores)
    side, scoreless = state.on_turn or "left", 0
    while scoreless < SCORELESS:
        found = choose(board, "".join(racks[side]), tile_set, book, rng)
        if found is None:
            scoreless += 1
            yield ScriptTurn(side, "pass", score=0, total=scores[side])
        else:
            candidate, score = found
            tiles = dict(candidate.tiles)
            for symbol in tiles.values():
                racks[side].remove(UNDESIGNATED if is_blank(symbol) else symbol)
            while bag and len(racks[side]) < book.rack_tiles:
                racks[side].append(bag.pop())
            board, scoreless = board.replace(tiles), 0
            scores[side] += score
            out = not racks[side]
            yield ScriptTurn(side, "play", tiles, score, scores[side], out)
            if out:
                return
        side = other(side)


def _dealt(state: GameState, rng: random.Random) -> tuple[Mapping[Side, list[str]], list[str]]:
    """Return possible racks and a bag; tiles that came off are on their player's rack again."""
    bag = [tile for tile, count in state.unseen.items() for _ in range(count)]
    rng.shuffle(bag)
    racks: dict[Side, list[str]] = {side: [] for side in SIDES}
    off = next((turn for turn in reversed(state.turns) if _is_off(turn.tiles, state.board)), None)
    for symbol in off.tiles.values() if off is not None else ():
        tile = UNDESIGNATED if is_blank(symbol) else symbol
        if tile in bag:
            bag.remove(tile)
            racks[off.side if off is not None else "left"].append(tile)
    for side in SIDES:
        while bag and len(racks[side]) < state.racks[side]:
            racks[side].append(bag.pop())
    return racks, bag


def _is_off(tiles: Mapping[str, str], board: Board) -> bool:
    return bool(tiles) and all(board[Square.parse(name)] == EMPTY for name in tiles)
