"""How long it takes to fold a whole game, and to score it again after its first turn changed.

Run: ``python benchmarks/fold.py [SEED…]``. Each game is a random legal one, played to its end.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from game.events import SquareCorrected
from game.state import apply, fold
from tests.game.gamekit import random_game

ROUNDS = 15


def milliseconds(run: Callable[[], object]) -> float:
    """The median time of one run."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


def main() -> None:
    for seed in [int(text) for text in sys.argv[1:]] or [1, 2, 3]:
        table = random_game(seed)
        first = next(turn for turn in table.state.turns if turn.tiles)
        square = next(iter(first.tiles))
        wrong = SquareCorrected(first.number, square, "E", "TD", "bench", table.now)
        whole = milliseconds(lambda events=table.events: fold(events))
        again = milliseconds(lambda state=table.state, event=wrong: apply(state, event))
        print(
            f"seed {seed}: {len(table.events)} events, {len(table.state.turns)} turns: "
            f"fold {whole:.2f} ms, rescored from turn {first.number} {again:.2f} ms"
        )


if __name__ == "__main__":
    main()
