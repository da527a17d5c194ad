"""Flags of a game, open and settled, and games to put them in."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from game.events import SquareCorrected, TurnSeen

from .gamekit import SECOND, Table

seeds = st.integers(0, 2**32)
some = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def opened(state) -> list[tuple[int, str, tuple[str, ...]]]:
    """Every open flag of a turn, as turn, code and squares."""
    return [
        (turn.number, flag.code, flag.squares)
        for turn in state.turns
        for flag in turn.flags
        if flag.settled is None
    ]


def settled(state) -> list[tuple[int, str, int]]:
    return [
        (turn.number, flag.code, flag.settled)
        for turn in state.turns
        for flag in turn.flags
        if flag.settled is not None
    ]


def correct(table: Table, turn: int, square: str, symbol: str) -> None:
    table.now += SECOND
    table.put(SquareCorrected(turn, square, symbol, "TD", "the picture shows it", table.now))


def begun() -> Table:
    table = Table()
    table.play("8G", "CAST")
    table.play("9G", "ON")
    return table


def replayed(events) -> Table:
    """A table that goes on from some events."""
    table = Table()
    table.events = []
    table.state = None
    for event in events:
        table.put(event)
    last = [event for event in events if isinstance(event, TurnSeen)][-1]
    table.board = table.state.turns[-1].after
    table.now = last.press_ns
    table.side = "right" if last.side == "left" else "left"
    return table
