"""The time from a turn in the log to the commentators' page, with a large word list.

python benchmarks/commentary.py WORDS [--games 2]

Two simulated players with known racks play whole games; a stream of `/commentary` is read as a page
reads it. Measured is the time from before a turn's press and sighting are logged until the report
with that turn has arrived, over a socket. What a table takes from the press to the log is measured
by ``live_table.py``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path
from urllib.request import Request, urlopen

from common import machine, spread

from dashboard.commentary.seat import Seat, Seats
from dashboard.parts import install
from dashboard.server import Server
from game.tileset import load_tile_set
from record.log.event_log import EventLog
from table.word_list import load_word_list
from tests.dashboard.commentary_fixtures import RackedGame
from tests.dashboard.conftest import GameInLog, hall_over

WAIT_S = 10.0


class Page:
    """A reader of the stream; knows when each turn arrived."""

    def __init__(self, url: str, token: str) -> None:
        self.arrived: dict[int, float] = {}
        self.news = threading.Condition()
        request = Request(f"{url}/commentary/1/live/events?token={token}")
        self._stream = urlopen(request)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._stream:
            if not line.startswith(b'data: {"game_id"'):
                continue
            now, report = time.perf_counter(), json.loads(line[6:])
            with self.news:
                self.arrived.setdefault(report["turns"], now)
                self.news.notify_all()

    def wait(self, turn: int) -> float:
        with self.news:
            self.news.wait_for(lambda: turn in self.arrived, WAIT_S)
            return self.arrived[turn]


def one_game(words: frozenset[str], seed: int) -> list[float]:
    """The milliseconds of each turn of a game."""
    with tempfile.TemporaryDirectory() as folder, EventLog(Path(folder) / "tilewatch.db") as log:
        racked = RackedGame(GameInLog(log).start(), seed)
        hall = hall_over(log, Path(folder))
        install(hall.app, Seats({"1": Seat(racked.known, words)}))
        server = Server(hall.app, "127.0.0.1", 0)
        server.start()
        page = Page(server.url, hall.tokens.make("page", "overlay", by="benchmark")[1])
        page.wait(0)
        ms = []
        for turn in range(1, 41):
            chosen = racked.chosen()  # before the time counts: the player thinks
            began = time.perf_counter()
            racked.make(chosen)
            ms.append((page.wait(turn) - began) * 1000)
            racked.draw(racked.last_side)
            time.sleep(0.3)
            if not racked.bag and not racked.racks[racked.last_side]:
                break
        server.stop()
        hall.close()
        return ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", type=Path)
    parser.add_argument("--games", type=int, default=2)
    given = parser.parse_args()
    words = load_word_list(given.words, load_tile_set("english"))
    print(machine())
    ms = [one for seed in range(given.games) for one in one_game(words.words, seed)]
    print(f"{len(words.words)} words, {len(ms)} turns from the log to the page: {spread(ms)}")


if __name__ == "__main__":
    main()
