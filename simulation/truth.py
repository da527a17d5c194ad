"""Compares a recorded game with the truth: the state that a perfect recorder would reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from game.board import UNDESIGNATED, Square, is_blank
from game.events import SIDES
from game.flags import POSES, Flag
from game.referee.turn import Turn
from game.state.fold import GameState

CLOCK_NS = 100_000_000
"""Clock times that differ by less than this count as equal."""

Kind = Literal["wrong", "missed", "invented"]
"""A turn that was recorded wrongly; a flag that is missing; a flag that should not be there."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between a recorded game and the truth."""

    kind: Kind
    turn: int | None
    what: str

    def __str__(self) -> str:
        where = "" if self.turn is None else f"turn {self.turn}: "
        return f"{where}{self.what}"


ASIDE: Final = 0.125
"""The distance from the middle, in squares, from which a tile may be flagged as askew but need not
be. A tile nearer the middle is straight."""

Moot = Callable[[Flag, str], bool]
"""Returns True if a flag on a square may be present or absent; both count as right."""


def askew_is_moot(aside: NDArray[np.float32]) -> Moot:
    """Return a test by which tiles off the middle may be flagged (``askew``, for example) or not.

    ``aside`` is float32 (15, 15), how far each tile is off its square's middle, in squares.
    """
    return lambda flag, square: flag.code in POSES and aside[Square.parse(square)] >= ASIDE


def differences(
    truth: GameState, state: GameState, moot: Moot = lambda _flag, _square: False
) -> list[Difference]:
    """Return every difference in order of the turns; an empty list if all was recorded right.

    Flags on squares for which ``moot`` returns True are left out.
    """
    found: list[Difference] = []
    if len(truth.turns) != len(state.turns):
        text = f"{len(truth.turns)} turns were played, {len(state.turns)} were recorded"
        found.append(Difference("wrong", None, text))
    for due, got in zip(truth.turns, state.turns, strict=False):
        found += [Difference("wrong", due.number, text) for text in _turn(due, got)]
        found += _flags(due.number, due.flags, got.flags, moot)
    found += _flags(None, truth.flags, state.flags, moot)
    for side in SIDES:
        name, due_score, score = state.players[side], truth.scores[side], state.scores[side]
        if due_score != score:
            text = f"{name} has {due_score} in the end, recorded {score}"
            found.append(Difference("wrong", None, text))
        due_ns, ns = truth.clocks.remaining_ns[side], state.clocks.remaining_ns[side]
        if abs(due_ns - ns) > CLOCK_NS:
            text = f"{name}'s clock shows {due_ns / 1e9:.1f} s in the end, recorded {ns / 1e9:.1f}"
            found.append(Difference("wrong", None, text))
    return found


def _turn(due: Turn, got: Turn) -> Iterator[str]:
    if due.side != got.side:
        yield f"it was {due.side}'s, recorded for {got.side}"
    if due.kind != got.kind:
        yield f"{due.kind}, recorded as {got.kind}"
    for name in sorted({*due.tiles, *got.tiles}, key=Square.parse):
        there, seen = due.tiles.get(name, "nothing"), got.tiles.get(name, "nothing")
        if there != seen and not (is_blank(there) and seen == UNDESIGNATED):
            yield f"{name} {there}, read as {seen}"
    for what, one, two in (("score", due.score, got.score), ("total", due.total, got.total)):
        if one != two:
            yield f"{what} {one}, recorded {two}"


def _flags(
    number: int | None, due: tuple[Flag, ...], got: tuple[Flag, ...], moot: Moot
) -> Iterator[Difference]:
    wanted, seen = _by_code(due), _by_code(got, moot)
    for code in sorted(wanted.keys() | seen.keys()):
        if code not in seen:
            yield Difference("missed", number, f"{code} {' '.join(sorted(wanted[code]))}".strip())
        elif code not in wanted:
            message = next(flag.message for flag in got if flag.code == code)
            yield Difference("invented", number, f"{code}: {message}")
        elif wanted[code] != seen[code]:
            text = (
                f"{code} on {' '.join(sorted(seen[code]))}, due on {' '.join(sorted(wanted[code]))}"
            )
            yield Difference("wrong", number, text)


def _by_code(flags: tuple[Flag, ...], moot: Moot | None = None) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for flag in flags:
        squares = {name for name in flag.squares if moot is None or not moot(flag, name)}
        if squares or not flag.squares:
            found.setdefault(flag.code, set()).update(squares)
    return found
