"""Three hundred spectators and the director's desk beside one table at work.

    python benchmarks/streams.py [--spectators 300] [--turns 40]

A table plays simulated games in real time through the whole pipeline (1280×960, 12 frames a second)
and serves its pages from the same process. Another process holds an event stream for every
spectator and one for the director. Games with nobody watching, with everybody, and with everybody
at pages that a process of their own serves from the same log (as a hub does) take turns, so that
whatever else the machine does falls on all of them. Measured are

* from the edge of a clock button to the turn's arrival at each spectator and at the desk;
* from the edge to the scored turn on the disk, with and without the spectators;
* the resident memory of the pages, and of the table's process with them;
* that one spectator too many gets a time to come back, and that those whose connection breaks
  (two in a second) and who come back have missed nothing and got nothing twice.

Exit status 1 when 99% of the turns take more than 500 ms, the recorder's median moves by more than
10%, the pages take more than 250 MB, or anything was missed or doubled.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
from common import machine, memory_mb, percentile, spread
from live_table import Drawn, play, session_over, turns
from streams_spectators import PATH

from dashboard.app import create_app
from dashboard.server import Server
from dashboard.site import Site, table_over
from dashboard.tokens import Tokens
from dashboard.web_db import WebDb
from game.events import GameEnded
from record.chain import LoggedEvent
from record.log.event_log import EventLog
from record.paths import DATABASE
from sensors.interfaces import Image
from simulation import generate

SPECTATORS = str(Path(__file__).with_name("streams_spectators.py"))
TURNS_A_GAME = 12


class TimedLog(EventLog):
    """A log that notes when the newest turn was in it."""

    scored_ns = 0

    def append(self, game_id: str, payload: Mapping[str, Any], **others: Any) -> LoggedEvent:
        logged = super().append(game_id, payload, **others)
        if payload["type"] == "TurnSeen":
            self.scored_ns = time.monotonic_ns()
        return logged


def draw(seed: int, folder: Path) -> None:
    """Draw the pictures of a game's first turns, and print who presses after each."""
    for number, (button, moving, still) in enumerate(turns(generate(seed), Drawn(seed))):
        for kind, pictures in (("moving", moving), ("still", still)):
            for at, picture in enumerate(pictures):
                cv2.imwrite(str(folder / f"{number:02d}-{kind}-{at}.jpg"), picture)
        print(button)
        if number >= TURNS_A_GAME:
            return


def drawn(folder: Path, seed: int) -> list[str]:
    """The buttons of a game, its pictures drawn by another process: a table draws none."""
    for old in folder.glob("*.jpg"):
        old.unlink()
    command = [sys.executable, __file__, "--draw", str(seed), str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def loaded(folder: Path, number: int, kind: str) -> list[Image]:
    """The pictures of a turn, of a moving hand or of the board at rest."""
    found = (cv2.imread(str(path)) for path in sorted(folder.glob(f"{number:02d}-{kind}*")))
    return [np.asarray(image, np.uint8) for image in found if image is not None]


def refused(port: int) -> bool:
    """Return True if one more gets a 503 with a time to come back."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", PATH)
    answer = connection.getresponse()
    refused = answer.status == 503 and int(answer.getheader("Retry-After") or 0) > 0
    connection.close()
    return refused


def serve_apart(folder: Path, spectators: int) -> None:
    """Serve the pages of a log that another process writes, as a hub does."""
    with EventLog(folder / DATABASE, readonly=True) as log:
        server = pages(log, folder, spectators)
        print(server.url, flush=True)
        sys.stdin.readline()
        server.stop()


def pages(log: EventLog, folder: Path, spectators: int) -> Server:
    table = table_over(log, id="1", name="bench", clock=time.monotonic_ns)
    server = Server(create_app(Site((table,), streams=spectators), folder), "127.0.0.1", 0)
    server.start()
    return server


def child(*args: str, script: str = __file__) -> tuple[subprocess.Popen[str], str]:
    """Another process of this benchmark, and the first line that it prints."""
    process = subprocess.Popen(
        [sys.executable, script, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> str:
    """End a process and return what it prints."""
    output, _ = process.communicate("end\n", timeout=60)
    return output


@dataclass
class Arm:
    """The measurements of one way to watch; times in ms."""

    scored: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    desk: list[float] = field(default_factory=list)
    memory: float = 0.0
    wrong: int = 0
    drops: int = 0
    bytes: int = 0
    refused: bool = True


def measure(spectators: int, count: int, folder: Path) -> dict[str, Arm]:
    """Games with nobody watching, everybody beside the table, and everybody at other pages."""
    db = WebDb(folder)
    _, token = Tokens(db).make("bench", "director-read", by="bench")
    arms = {"alone": Arm(), "beside": Arm(), "apart": Arm()}
    with TimedLog(folder / DATABASE) as log:
        session = session_over(log, folder)
        server = pages(log, folder, spectators)
        rounds = 0
        while min(len(arm.scored) for arm in arms.values()) < count:
            buttons = drawn(folder, rounds)
            order = list(arms) if rounds % 2 else list(reversed(arms))
            for name in order:
                arm = arms[name]
                other, url, pid = None, server.url, os.getpid()
                if name == "apart":
                    other, url = child("--serve", str(folder), str(spectators))
                    pid = other.pid
                crowd = None
                if name != "alone":
                    crowd, ready = child(url, str(spectators), token, script=SPECTATORS)
                    assert ready == "ready"
                    time.sleep(2)
                    arm.refused = arm.refused and refused(int(urlsplit(url).port or 0))
                edges: dict[str, int] = {}
                for number, button in enumerate(buttons):
                    moving, still = (loaded(folder, number, kind) for kind in ("moving", "still"))
                    edge = play(session, button, moving, still)
                    if number:  # the first press starts a clock and scores nothing
                        edges[f"{session.state.game_id} {number}"] = edge
                        arm.scored.append((log.scored_ns - edge) / 1e6)
                time.sleep(0.7)
                arm.memory = max(arm.memory, memory_mb(pid))
                if crowd is not None:
                    everybody, director = json.loads(end(crowd))
                    heard(arm, everybody, director, edges, spectators)
                if other is not None:
                    end(other)
                session.record(GameEnded("measured", time.monotonic_ns()), "bench")
                session.next_game("bench")
            rounds += 1
        server.stop()
    db.close()
    return arms


def heard(
    arm: Arm,
    everybody: dict[str, Any],
    director: dict[str, Any],
    edges: dict[str, int],
    spectators: int,
) -> None:
    """Add what a crowd reports of a game."""
    arm.wrong += everybody["wrong"] + director["wrong"]
    arm.drops += everybody["drops"]
    arm.bytes += everybody["bytes"]
    for turn, edge in edges.items():
        arrived = everybody["arrivals"].get(turn, [])
        arm.wrong += spectators - len(arrived)
        arm.late += [(one - edge) / 1e6 for one in arrived]
        arm.desk += [(one - edge) / 1e6 for one in director["arrivals"].get(turn, [])]


def tell(arms: dict[str, Arm], spectators: int) -> bool:
    """Print it all; whether it is as it should be."""
    good = True
    for name, where in (("beside", "the table's own process"), ("apart", "one of their own")):
        arm = arms[name]
        print(
            f"pages in {where}, {spectators} spectators and a director, {len(arm.scored)} turns:"
            f" {len(arm.late)} arrivals from the edge: {spread(arm.late)};"
            f" at the desk: {spread(arm.desk)};"
            f" {arm.bytes / len(arm.late) / 1e3:.1f} kB for each;"
            f" {arm.drops} streams dropped and resumed, {arm.wrong} views missed or doubled;"
            f" one more asked to come back later: {'yes' if arm.refused else 'no'}"
        )
        good = good and percentile(arm.late, 0.99) <= 500 and not arm.wrong and arm.refused
    alone, beside = (statistics.median(arms[name].scored) for name in ("alone", "beside"))
    moved = beside / alone - 1
    print(
        f"from the edge to the score: median {alone:.1f} ms with nobody watching, {beside:.1f} ms"
        f" with everybody ({moved:+.1%})"
    )
    print(
        f"memory: pages alone {arms['apart'].memory:.0f} MB; the table's process with them"
        f" {arms['alone'].memory:.0f} MB with nobody watching, {arms['beside'].memory:.0f} MB"
        f" with everybody"
    )
    return good and moved <= 0.1 and arms["apart"].memory < 250


def main() -> int:
    if sys.argv[1:2] == ["--draw"]:
        draw(int(sys.argv[2]), Path(sys.argv[3]))
        return 0
    if sys.argv[1:2] == ["--serve"]:
        serve_apart(Path(sys.argv[2]), int(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spectators", type=int, default=300)
    parser.add_argument("--turns", type=int, default=40, help="of each way to watch")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory("-streams") as scratch:
        arms = measure(args.spectators, args.turns, Path(scratch))
        return 0 if tell(arms, args.spectators) else 1


if __name__ == "__main__":
    sys.exit(main())
