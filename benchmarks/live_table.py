"""A live table's latency, its share of a core, and its memory.

    python benchmarks/live_table.py [--turns 60] [--steady 60] [--hours 2] [--chromium]

* From the edge of a clock button to the scored turn's arrival in a client of the event stream, a
  process of its own: turns of simulated games, 1280×960 at 12 frames a second, in real time. The
  board is clear at the press. The frames of each turn are drawn beforehand, off the clock. With
  ``--chromium`` it is to the turn's line on the spectators' page in a real browser instead.
* Steady watching: the share of one core that a board at rest takes, in real time.
* Memory over so many hours at the table (as fast as it goes), with a hand over the board every five
  seconds: resident size a quarter through and at the end.

Exit status 1 when the median is over 150 ms, 99% over 400 ms, the share over 40%, or memory grew by
more than 5%.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from common import machine, memory_mb, percentile, spread
from live_page import ChromiumPage

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.board import Board
from game.events import GameEnded
from game.tileset import load_tile_set
from models.scenes.render import Renderer
from models.scenes.spec import Hand, SceneSpec
from models.scenes.view import Camera
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from sensors.interfaces import Frame, Image, Press
from simulation import Script, generate
from simulation.appearance import look
from table.calibrated_reader import board_reader
from table.coming_games import ComingGames
from table.game_setup import GameSetup
from table.inbox import Inbox
from table.racks.known import KnownRacks
from table.recorder import RecorderStores
from table.session import TableSession

FPS = 12
PERIOD_NS = 1_000_000_000 // FPS
HAND = Hand(start=(-10.0, 11.0), reach=(7.0, 7.0))

CLIENT = """
import json, sys, time, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=600) as stream:
    print("ready", flush=True)
    for line in stream:
        now = time.monotonic_ns()
        if line.startswith(b"data:") and line[5:].strip().startswith(b"{"):
            data = json.loads(line[5:])
            view = data.get("view", data)
            if isinstance(view, dict) and "turns" in view:
                print(json.dumps([view["game_id"], len(view["turns"]), now]), flush=True)
"""


def spec(seed: int) -> SceneSpec:
    made = look(seed, load_tile_set("english"))
    camera: Camera = replace(made.camera, width=1280, height=960, scale=50.0)
    return replace(made, camera=camera)


class Drawn:
    """Pictures of one game's boards, drawn when asked for."""

    def __init__(self, seed: int) -> None:
        self._renderer = Renderer(spec(seed))
        self._noise = np.random.default_rng(seed)

    def rest(self, board: Board, count: int = 4) -> list[Image]:
        return [self._renderer.frame(board.rows, self._noise).image for _ in range(count)]

    def hand(self, board: Board, count: int = 3) -> list[Image]:
        hands = [replace(HAND, reach=(5.0 + at, 7.0)) for at in range(count)]
        return [
            self._renderer.frame(board.rows, self._noise, hands=(hand,)).image for hand in hands
        ]


def turns(script: Script, drawn: Drawn) -> Iterator[tuple[str, list[Image], list[Image]]]:
    """The button of each press, the frames in which a hand moves, and those at rest."""
    before = Board.empty()
    yield "right", [], drawn.rest(before)
    for turn, board in zip(script.turns, script.boards(), strict=True):
        if turn.out:
            return
        yield turn.side, drawn.hand(before), drawn.rest(board)
        before = board


class Watcher(Protocol):
    """Whoever watches a table and tells when what came."""

    def arrived(self, game: str) -> dict[int, int]:
        """When so many turns of a game first came, in nanoseconds."""
        ...

    def stop(self) -> None:
        """Watch no longer."""
        ...


class Client:
    """A client of the event stream, in a process of its own; ``stop`` when done."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, f"{url}/api/v1/tables/1/events"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._arrived: dict[tuple[str, int], int] = {}
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "ready"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            game, number, now = json.loads(line)
            self._arrived.setdefault((game, number), now)

    def arrived(self, game: str) -> dict[int, int]:
        """When so many turns of a game first came, in nanoseconds."""
        return {number: now for (name, number), now in self._arrived.items() if name == game}

    def stop(self) -> None:
        """End it."""
        self._process.terminate()


def session_over(log: EventLog, folder: Path, racks: KnownRacks | None = None) -> TableSession:
    """A table's session in real time, with everything on the disk."""
    stores = RecorderStores(log, EvidenceStore(folder / EVIDENCE), CrashSnapshot(folder / "spool"))
    coming = ComingGames("bench", GameSetup("english", "wespa-2007"), time.monotonic_ns)
    return TableSession(board_reader("english"), stores, coming, time.monotonic_ns, racks=racks)


def latency(count: int, folder: Path, watch: Callable[[str], Watcher]) -> list[float]:
    """Milliseconds from edge to whoever watches, of so many turns."""
    found: list[float] = []
    with EventLog(folder / DATABASE) as log:
        session = session_over(log, folder)
        table = table_over(log, id="1", name="bench", clock=time.monotonic_ns)
        server = Server(create_app(Site((table,))), "127.0.0.1", 0)
        server.start()
        watcher = watch(server.url)
        seed = 0
        while len(found) < count:
            script, drawn = generate(seed), Drawn(seed)
            edges: dict[int, int] = {}
            for number, (button, moving, still) in enumerate(turns(script, drawn)):
                edge = play(session, button, moving, still)
                edges[number] = edge
                if len(found) + len(edges) > count:
                    break
            time.sleep(0.5)
            game = session.state.game_id
            scored = len(session.state.turns)
            arrived = watcher.arrived(game)
            for number, edge in edges.items():
                if 0 < number <= scored and number in arrived:
                    found.append((arrived[number] - edge) / 1e6)
            session.record(GameEnded("measured", time.monotonic_ns()), "bench")
            session.next_game("bench")
            assert game != session.state.game_id
            seed += 1
        watcher.stop()
        server.stop()
    return found


def play(session: TableSession, button: str, moving: list[Image], still: list[Image]) -> int:
    """A turn in real time; the press's edge, in nanoseconds of the monotonic clock."""
    inbox = Inbox()
    edge = 0

    def devices() -> None:
        nonlocal edge
        pictures = [*moving, *(still[at % len(still)] for at in range(FPS))]
        due = time.monotonic_ns()
        for picture in pictures:
            due += PERIOD_NS
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
            play.seq += 1  # type: ignore[attr-defined]
            inbox.put(Frame(picture, time.monotonic_ns(), play.seq))  # type: ignore[attr-defined]
        time.sleep(0.03)
        edge = time.monotonic_ns()
        inbox.put(Press(button, edge))  # type: ignore[arg-type]

    feeder = threading.Thread(target=devices)
    feeder.start()
    while True:
        item = inbox.get(1.0)
        if isinstance(item, Press):
            session.press(item)
            feeder.join()
            return edge
        if item is not None:
            session.frame(item)


play.seq = 0  # type: ignore[attr-defined]


def watching(folder: Path, name: str) -> tuple[TableSession, EventLog, Drawn, Board]:
    log = EventLog(folder / name)
    return session_over(log, folder), log, Drawn(0), generate(0).boards()[12]


def steady(seconds: float, folder: Path) -> float:
    """The share of one core that a board at rest takes, also where a busy machine is behind."""
    session, log, drawn, board = watching(folder, "steady.db")
    pictures = drawn.rest(board, 8)
    for number in range(FPS):
        session.frame(Frame(pictures[number % 8], number * PERIOD_NS, number))
    begun, busy = time.monotonic(), time.process_time()
    number = FPS
    while time.monotonic() - begun < seconds:
        number += 1
        session.frame(Frame(pictures[number % 8], number * PERIOD_NS, number))
        due = begun + (number - FPS) / FPS
        time.sleep(max(0.0, due - time.monotonic()))
    share = (time.process_time() - busy) / ((number - FPS) / FPS)
    log.close()
    return share


def memory(hours: float, folder: Path) -> tuple[float, float]:
    """Resident megabytes a quarter through and at the end."""
    session, log, drawn, board = watching(folder, "memory.db")
    rest, hand = drawn.rest(board, 8), drawn.hand(board)
    total = round(hours * 3600 * FPS)
    quarter = 0.0
    for number in range(total):
        phase = number % (5 * FPS)
        picture = hand[phase] if phase < len(hand) else rest[number % 8]
        session.frame(Frame(picture, number * PERIOD_NS, number))
        if number == total // 4:
            quarter = memory_mb()
    log.close()
    return quarter, memory_mb()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--chromium", action="store_true", help="to a page in a browser")
    parser.add_argument("--steady", type=float, default=60.0, help="seconds")
    parser.add_argument("--hours", type=float, default=2.0)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    good = True
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory("-live") as scratch:
        folder = Path(scratch)
        if args.turns:
            pages: list[ChromiumPage] = []

            def page(url: str) -> Watcher:
                pages.append(ChromiumPage(f"{url}/tables/1", folder / "profile"))
                return pages[0]

            found = latency(args.turns, folder, page if args.chromium else Client)
            where = "page" if pages else "client"
            print(f"{len(found)} turns from edge to {where}: {spread(found)}", flush=True)
            for one in pages:
                print(
                    f"(± {one.doubt_ms:.1f} ms between the clocks; a frame with it is out "
                    f"{percentile(one.frames_ms, 0.5):.0f} ms later in the median)",
                    flush=True,
                )
            good = percentile(found, 0.5) <= 150 and percentile(found, 0.99) <= 400
        if args.steady:
            share = steady(args.steady, folder)
            print(f"steady watching of 1280×960 at {FPS} a second: {share:.1%} of one core")
            good = good and share < 0.4
        if args.hours:
            quarter, end = memory(args.hours, folder)
            print(
                f"{args.hours:g} hours: {quarter:.0f} MB a quarter through, {end:.0f} MB at the end"
            )
            good = good and end < quarter * 1.05
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
