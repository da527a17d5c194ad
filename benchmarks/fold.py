"""The time to fold a whole game, and to score it again after its first turn changed.

Run: ``python benchmarks/fold.py [SEED…]``. Each game is a random legal one, played to its end.
Printed are medians of the time on the wall and of the processor's, which other programs on the
machine disturb less, and the least of the latter. No run knows the boards of the one before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from game import board
from game.events import SquareCorrected
from game.state.fold import apply, fold
from tests.game.gamekit import random_game

ROUNDS = 51


@dataclass(frozen=True)
class Times:
    """Milliseconds of many runs of one thing."""

    wall: float
    """The median."""
    cpu: float
    """The median of the processor's time."""
    least: float
    """The least of the processor's time."""

    def __str__(self) -> str:
        return f"{self.wall:.2f} ms wall, {self.cpu:.2f} ms CPU (least {self.least:.2f})"


def measured(run: Callable[[], object]) -> Times:
    """Return the time of a run that finds no board in the cache."""
    walls, cpus = [], []
    for _ in range(ROUNDS):
        board.forget()
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        cpus.append((time.process_time() - cpu) * 1000)
        walls.append((time.perf_counter() - wall) * 1000)
    return Times(median(walls), median(cpus), min(cpus))


def main() -> None:
    """Print the figures of some games."""
    for seed in [int(text) for text in sys.argv[1:]] or [1, 2, 3]:
        table = random_game(seed)
        state = fold(table.events)
        first = next(turn for turn in state.turns if turn.tiles)
        square = next(iter(first.tiles))
        wrong = SquareCorrected(first.number, square, "E", "TD", "bench", table.now)
        whole = measured(partial(fold, table.events))
        again = measured(partial(apply, state, wrong))
        print(f"seed {seed}, {len(table.events)} events, {len(state.turns)} turns")
        print(f"  folded               {whole}")
        print(f"  rescored from turn {first.number}: {again}")


if __name__ == "__main__":
    main()
