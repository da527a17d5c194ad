"""Simulated tables for benchmarks/hall.py: real logs, real keys, the real tie to a hub.

    python benchmarks/hall_tables.py FOLDER SPEED SEED GCG_DIR TABLE…

Each table plays games from real records, one after the other, at so many times the pace of real
ones, and logs what a real table logs: the press, the turn as it was read a moment later, and the
pictures that were kept of it. A line on stdin commands: ``stop`` ends the games, ``quit`` all.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import random
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from game.events import (
    ButtonPressed,
    Event,
    GameStarted,
    Picture,
    PicturesKept,
    TurnSeen,
    to_payload,
)
from game.gcg import parse
from game.gcg.to_events import events_from_record
from hub.table_side.connector import HubConnector, Membership
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from table.desk import TableDesk
from tests.game.gamekit import random_game

GAME_S = 3000.0
"""A game takes fifty minutes, from the first press to the last."""

READ_S = 1.5
"""So long after a press its turn is read."""


def games(folder: Path | None) -> list[list[Event]]:
    """The games of a folder of GCG files, as events; our own where there is none."""
    if folder is None:
        return [list(random_game(seed).events) for seed in range(20)]
    found = []
    for path in sorted(folder.glob("*.gcg")):
        with contextlib.suppress(Exception):
            found.append(list(events_from_record(parse(path.read_bytes(), path.name))))
    return found


class PlayedTable:
    """One table: what it logs next and when."""

    def __init__(self, folder: Path, speed: float, library: list[list[Event]], seed: int) -> None:
        self.log = EventLog(folder / DATABASE, live=True, reserve=1 << 16)
        self._desk = TableDesk(time.monotonic_ns)
        self._desk.phase = "running"
        member = Membership.load(folder)
        assert member is not None
        self.id = member.table
        self.tie = HubConnector(
            member, folder, self.log, self._desk, EvidenceStore(folder / EVIDENCE, keep_free=0)
        )
        self._speed, self._library, self._rng = speed, library, random.Random(seed)
        self._played = len(self.log.game_ids())
        self._game = ""
        self._coming = self._events()

    def _events(self) -> Iterator[tuple[float, Event]]:
        """The events at the table, each with the seconds since the event before."""
        while True:
            game = self._rng.choice(self._library)
            self._played += 1
            self._game = f"{self.id}-g{self._played}"
            turns = max(1, sum(isinstance(event, TurnSeen) for event in game))
            pause = GAME_S / turns / self._speed
            for event in game:
                if isinstance(event, GameStarted):
                    players: Mapping[str, str] = event.players
                    named = {side: f"{name} {self.id}" for side, name in players.items()}
                    yield pause, replace(event, game_id=self._game, players=named)
                elif isinstance(event, ButtonPressed):
                    yield pause * self._rng.uniform(0.3, 1.7), event
                elif isinstance(event, TurnSeen):
                    yield READ_S / self._speed, event
                    yield 0.4 / self._speed, self._pictures(event)
                else:
                    yield 2.0 / self._speed, event

    def _pictures(self, turn: TurnSeen) -> PicturesKept:
        shas = [hashlib.sha256(self._rng.randbytes(8)).hexdigest() for _ in range(9)]
        kept = tuple(Picture("crop", sha, turn.press_ns, "8H", None) for sha in shas)
        return PicturesKept(1, kept, turn.press_ns)

    def begin(self) -> float:
        """Seconds until its first event: the hall does not play in step."""
        self._next = next(self._coming)
        return self._rng.uniform(0, GAME_S / 25 / self._speed)

    def step(self) -> float:
        """Log what is next; seconds until the one after it."""
        _, event = self._next
        source = "buttons" if isinstance(event, ButtonPressed) else "recorder"
        self.log.append(self._game, to_payload(event), mono_ns=time.monotonic_ns(), source=source)
        self._next = next(self._coming)
        return self._next[0]


def main() -> None:
    folder, speed, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    library = games(None if sys.argv[4] == "-" else Path(sys.argv[4]))
    tables = [
        PlayedTable(folder / name, speed, library, seed + at)
        for at, name in enumerate(sys.argv[5:])
    ]
    stop, leave = threading.Event(), threading.Event()

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == "stop":
                stop.set()
            elif line.strip() == "quit":
                break
        stop.set()
        leave.set()

    threading.Thread(target=listen, daemon=True).start()
    for table in tables:
        table.tie.start()
    now = time.monotonic()
    due = [(now + table.begin(), at) for at, table in enumerate(tables)]
    heapq.heapify(due)
    print("playing", flush=True)
    logged = 0
    while not stop.is_set():
        when, at = due[0]
        wait = when - time.monotonic()
        if wait > 0:
            stop.wait(min(wait, 0.05))
            continue
        # From when it was due: a machine that lags behind catches up, and does not play slower.
        heapq.heapreplace(due, (when + tables[at].step(), at))
        logged += 1
    print(f"stopped {logged}", flush=True)
    leave.wait()
    for table in tables:
        table.tie.outbox._stopping.set()
    for table in tables:
        table.tie.stop()
        table.log.close()


if __name__ == "__main__":
    main()
