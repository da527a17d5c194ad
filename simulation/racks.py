"""The racks of a simulated table's players, as two cameras in front of them see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from game.board import EMPTY, UNDESIGNATED, Square, is_blank
from game.events import SIDES, Side
from game.tileset import load_tile_set
from models.scenes.racks import RackRenderer, RackSpec, rack_places
from sensors.interfaces import Frame, RackFrame
from simulation.appearance import look
from simulation.script import Script, ScriptTurn
from simulation.world import Moment, TurnTruth

EVERY_NS: Final = 400_000_000
"""The time between two pictures of a rack."""

_DRAWS_NS: Final = 900_000_000
"""The time from a press until the player has drawn."""


class RackCameras:
    """Two cameras, one at each rack of a game. The tiles on them follow from the script."""

    def __init__(self, script: Script, seed: int) -> None:
        tile_set = load_tile_set(script.tile_set)
        scene = look(seed, tile_set)
        self._script = script
        self._renderers = {
            side: RackRenderer(
                RackSpec(
                    seed + number,
                    scene.tiles,
                    slant=(-3.0, 4.0)[number],
                    keystone=(0.08, -0.08)[number],
                    light=scene.light,
                    sensor=scene.sensor,
                )
            )
            for number, side in enumerate(SIDES)
        }
        self._shown: dict[Side, tuple[str, Frame]] = {}
        self._places: dict[tuple[Side, str], str] = {}
        self._next_ns = 0
        self._seq = 0

    def frames(self, moment: Moment, turns: Sequence[TurnTruth]) -> Iterator[RackFrame]:
        """Yield the pictures that are due at a moment of the game.

        Args:
            moment: the board at that time.
            turns: the turns that have ended.
        """
        if moment.t_ns < self._next_ns:
            return
        self._next_ns = moment.t_ns + EVERY_NS
        self._seq += 1
        for side in SIDES:
            tiles = self.rack(side, moment, turns)
            if tiles is not None:
                yield RackFrame(side, self._frame(side, tiles, moment.t_ns))

    def rack(self, side: Side, moment: Moment, turns: Sequence[TurnTruth]) -> str | None:
        """Return the tiles that stand on a side's rack at a moment; None if nobody knows them."""
        planned = [turn for turn in self._script.turns if turn.side == side]
        ended = [one for one in turns if one.side == side and one.press_ns <= moment.t_ns]
        if len(ended) > len(planned):
            return None
        if ended:
            last = planned[len(ended) - 1]
            off = last.kind == "withdrawn" and _on_board(last, moment)
            if off or moment.t_ns < ended[-1].press_ns + _DRAWS_NS:
                return _without(last.rack, last, moment)
        if len(ended) == len(planned):
            return self._script.left.get(side)
        turn = planned[len(ended)]
        others = sum(one.press_ns <= moment.t_ns for one in turns)
        on_turn = others < len(self._script.turns) and self._script.turns[others] is turn
        if not turn.rack:
            return None
        return _without(turn.rack, turn, moment) if on_turn else turn.rack

    def _frame(self, side: Side, tiles: str, t_ns: int) -> Frame:
        known = self._shown.get(side)
        if known is None or known[0] != tiles:
            rng = np.random.default_rng((self._seq, SIDES.index(side)))
            style = self._renderers[side].spec.tiles
            places = rack_places(tiles, style, rng, 0.1)
            drawn = self._renderers[side].picture(tiles, places, rng)
            known = self._shown[side] = (tiles, Frame(drawn.image, t_ns, self._seq))
        return Frame(known[1].image, t_ns, self._seq)


def _on_board(turn: ScriptTurn, moment: Moment) -> list[str]:
    """Return the tiles of a turn that lie on the board."""
    squares: list[tuple[Square, str]] = list(turn.tiles.items())
    placed = [symbol for at, symbol in squares if moment.rows[at.row][at.col] != EMPTY]
    return [UNDESIGNATED if is_blank(symbol) else symbol for symbol in placed]


def _without(rack: str, turn: ScriptTurn, moment: Moment) -> str:
    """Return a rack without the tiles of a turn that lie on the board, in its order."""
    gone = Counter(_on_board(turn, moment))
    kept = []
    for tile in rack:
        if gone[tile]:
            gone[tile] -= 1
        else:
            kept.append(tile)
    return "".join(kept)
