"""The time from the edge of a clock button to the commentators' page with both racks' plays.

    python benchmarks/commentary.py WORDS [--turns 24]

Simulated games are played before a live table as in ``live_table.py``; the racks are sighted before
each press. A stream of ``/commentary`` is read as a page reads it. The time ends when the report
with that turn and the plays of the player who comes next has arrived over a socket, and the page
that draws it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import cv2
from common import machine, spread
from live_table import Drawn, play, session_over, turns

from dashboard.commentary.seat import Seat, Seats
from dashboard.parts import install
from dashboard.server import Server
from game.events import GameEnded, Side
from game.tileset import load_tile_set
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.rack_key import RackKey
from simulation import Script, generate
from table.racks.history import RackSighting
from table.racks.known import KnownRacks
from table.session import TableSession
from table.word_list import load_word_list
from tests.dashboard.conftest import hall_over

WAIT_S = 10.0


class Page:
    """A reader of the stream; knows when each turn arrived with plays for the next."""

    def __init__(self, url: str, token: str) -> None:
        self._arrived: dict[tuple[str, int], int] = {}
        self._news = threading.Condition()
        request = Request(f"{url}/commentary/1/live/events?token={token}")
        self._drawn = f"{url}/commentary/1?token={token}"
        self._stream = urlopen(request)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._stream:
            if not line.startswith(b'data: {"game_id"'):
                continue
            report = json.loads(line[6:])
            if report["plays"].get(report["on_turn"]):
                with urlopen(self._drawn) as page:  # as its script does
                    page.read()
                with self._news:
                    turn = report["game_id"], report["turns"]
                    self._arrived.setdefault(turn, time.monotonic_ns())
                    self._news.notify_all()

    def wait(self, game: str, turn: int) -> int | None:
        """Return when a turn arrived, in nanoseconds; None if it did not."""
        with self._news:
            self._news.wait_for(lambda: (game, turn) in self._arrived, WAIT_S)
            return self._arrived.get((game, turn))


def see_racks(session: TableSession, script: Script, number: int) -> None:
    """Sight both racks as they stand before a turn of the script."""
    seen: dict[Side, str] = {}
    for turn in script.turns[number:]:
        seen.setdefault(turn.side, turn.rack)
    for side, tiles in seen.items():
        session.rack(RackSighting(side, tiles, time.monotonic_ns()), "racks")


def one_game(session: TableSession, seed: int, count: int, page: Page) -> Iterator[float]:
    """Yield the milliseconds of up to ``count`` turns of a game."""
    script, drawn = generate(seed), Drawn(seed)
    for number, (button, moving, still) in enumerate(turns(script, drawn)):
        edge = play(session, button, moving, still)
        arrived = page.wait(session.state.game_id, number) if number else None
        if arrived is not None:
            yield (arrived - edge) / 1e6
        if number == count:
            break
        see_racks(session, script, number)
    session.record(GameEnded("measured", time.monotonic_ns()), "bench")
    session.next_game("bench")


@contextmanager
def page_of(
    log: EventLog, racks: KnownRacks, words: frozenset[str], folder: Path
) -> Iterator[Page]:
    """The commentators' page of the table in the log."""
    hall = hall_over(log, folder)
    install(hall.app, Seats({"1": Seat(racks, words)}))
    server = Server(hall.app, "127.0.0.1", 0)
    server.start()
    try:
        yield Page(server.url, hall.tokens.make("page", "overlay", by="benchmark")[1])
    finally:
        server.stop()
        hall.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", type=Path)
    parser.add_argument("--turns", type=int, default=24)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    words = load_word_list(given.words, load_tile_set("english"))
    racks = KnownRacks(RackKey.generate())
    ms: list[float] = []
    print(machine())
    with tempfile.TemporaryDirectory("-commentary") as name:
        folder = Path(name)
        with EventLog(folder / DATABASE) as log:
            session = session_over(log, folder, racks)
            with page_of(log, racks, words.words, folder) as page:
                seed = 0
                while len(ms) < given.turns:
                    ms += one_game(session, seed, given.turns - len(ms), page)
                    seed += 1
    print(f"{len(words.words)} words, {len(ms)} turns from edge to page: {spread(ms)}")


if __name__ == "__main__":
    main()
