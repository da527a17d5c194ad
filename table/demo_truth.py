"""What was read at a simulated table against what was really played there."""

from __future__ import annotations

from collections.abc import Mapping

from game.board import UNDESIGNATED, Square, is_blank
from game.events import SIDES
from game.state import GameState
from game.turn import Turn
from sensors.simulated import SimulatedTable, TurnTruth

_KINDS: Mapping[str, frozenset[str]] = {
    "play": frozenset({"play"}),
    "withdrawn": frozenset({"challenge_upheld"}),
    # To a camera they look the same, and nobody at this table says which it was.
    "exchange": frozenset({"exchange_or_pass", "exchange"}),
    "pass": frozenset({"exchange_or_pass", "pass"}),
}


def differences(table: SimulatedTable, state: GameState) -> list[str]:
    """Every difference, one line each; none if the whole game was read right."""
    truths = table.turns
    found: list[str] = []
    if len(truths) != len(state.turns):
        found.append(f"{len(truths)} turns were played, {len(state.turns)} were recorded")
    for number, (truth, turn) in enumerate(zip(truths, state.turns, strict=False), start=1):
        found += [f"turn {number}: {text}" for text in _turn(truth, turn)]
    for side in SIDES:
        final = table.script.finals.get(side)
        if final is not None and state.scores[side] != final:
            name = state.players[side]
            found.append(f"{name} has {final} in the end, recorded {state.scores[side]}")
    return found


def _turn(truth: TurnTruth, turn: Turn) -> list[str]:
    found = []
    if turn.side != truth.side:
        found.append(f"it was {truth.side}'s, recorded for {turn.side}")
    if turn.kind not in _KINDS[truth.kind]:
        found.append(f"{truth.kind}, recorded as {turn.kind}")
    played = {square.name: symbol for square, symbol in truth.tiles.items()}
    read = dict(turn.tiles)
    for square in sorted(played.keys() | read.keys(), key=Square.parse):
        there, seen = played.get(square, "nothing"), read.get(square, "nothing")
        if there != seen and not (is_blank(there) and seen == UNDESIGNATED):
            found.append(f"{square} {there}, read as {seen}")
    for what, due, got in (
        ("score", truth.score, turn.score),
        ("total", truth.total, turn.total),
    ):
        if due is not None and due != got:
            found.append(f"{what} {due}, recorded {got}")
    return found
