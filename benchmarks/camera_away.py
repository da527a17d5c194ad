"""Games during which the camera shows nothing again and again, as fast as they go.

    python benchmarks/camera_away.py [--games 3] [--turn 12] [--seed 0]

Drawn games at a table's session, 1280×960 at 12 frames a second, a turn every ``--turn`` seconds.
The camera fails for 8 s every 41 s, for 20 s every minute, or for 53 s every two and a half
minutes; nobody waits for it. Printed for each: how many turns are right, how many others are asked
about, and how many are wrong with no question open, missing or invented. Exit status 1 if there is
one of the last three.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
from live_table import FPS, Drawn, turns
from long_day import named, same

from game.board import Board
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Image, Press
from simulation import generate
from table.game_setup import GameSetup
from table.readers import board_reader
from table.recorder_stores import RecorderStores
from table.session import TableSession

FAILURES: Final = ((8.0, 41.0), (20.0, 60.0), (53.0, 150.0))
"""For how many seconds the camera fails, and how often."""

FIRST_S: Final = 29.0
"""When it fails first."""

SECOND: Final = 1_000_000_000


def shown(moving: list[Image], still: list[Image], seconds: float) -> Iterator[Image]:
    """The frames of one turn: a hand for some of them, then the board at rest."""
    hands = [image for image in moving for _ in range(8)]  # nobody plays within a second
    yield from hands
    yield from itertools.islice(itertools.cycle(still), int(seconds * FPS) - len(hands))


def play(seed: int, turn_s: float, lasts_s: float, every_s: float) -> Counter[str]:
    """Play a game; return what became of its turns."""
    now, count = 0, itertools.count()
    with tempfile.TemporaryDirectory() as folder, EventLog(Path(folder) / "log.db") as log:
        setup = GameSetup("english", "wespa-2007")
        reader, stores = board_reader("english"), RecorderStores(log)
        session = TableSession("away", reader, stores, setup, lambda: now)
        script, drawn = generate(seed), Drawn(seed)
        boards: list[Board] = []
        for number, (button, moving, still) in enumerate(turns(script, drawn)):
            began_s = number * turn_s
            for index, image in enumerate(shown(moving, still, turn_s)):
                at_s = began_s + index / FPS
                now = int((1 + at_s) * SECOND)
                if at_s < FIRST_S or (at_s - FIRST_S) % every_s >= lasts_s:
                    session.frame(Frame(image, now, next(count)))
            now = int((1 + began_s + turn_s) * SECOND)
            session.press(Press(button, now))  # type: ignore[arg-type]
            boards += script.boards()[number - 1 : number] if number else []
        for image in itertools.islice(itertools.cycle(still), 5 * FPS):
            now += SECOND // FPS
            session.frame(Frame(image, now, next(count)))
        session.recorder.finish()
        return same(session.state, boards)


def main() -> int:
    """Play the games, and say how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--turn", type=float, default=12.0, help="seconds a turn takes")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    every: Counter[str] = Counter()
    for lasts_s, every_s in FAILURES:
        found: Counter[str] = Counter()
        for seed in range(args.seed, args.seed + args.games):
            found += play(seed, args.turn, lasts_s, every_s)
        print(f"{lasts_s:.0f} s every {every_s:.0f} s: {named(found)}", flush=True)
        every += found
    return 1 if every["silent"] or every["missing"] or every["invented"] else 0


if __name__ == "__main__":
    sys.exit(main())
