"""The spectators of benchmarks/streams.py, in a process of their own.

python benchmarks/streams_spectators.py URL COUNT TOKEN
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import sys
import time
import zlib
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

PATH = "/api/v1/tables/1/events"


class Spectator:
    """One page's stream: when which view arrived."""

    def __init__(self, host: str, port: int, path: str) -> None:
        self.host, self.port, self.path = host, port, path
        self.ids: list[str] = []
        self.turns: list[tuple[str, int]] = []
        self.drops = 0
        self.bytes = 0
        self._open()

    def _open(self) -> None:
        self.socket = socket.create_connection((self.host, self.port))
        resume = f"Last-Event-ID: {self.ids[-1]}\r\n" if self.ids else ""
        self.socket.sendall(
            f"GET {self.path} HTTP/1.0\r\nHost: {self.host}\r\n"
            f"Accept-Encoding: gzip\r\n{resume}\r\n".encode()
        )
        self.socket.setblocking(False)
        self.buffer = self.head = b""
        self.opened = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def drop(self) -> None:
        """Lose the connection."""
        self.socket.close()
        self.drops += 1

    def resume(self) -> None:
        """Open another connection, from where the last one broke."""
        self._open()

    def read(self) -> bool:
        """Take what has come; whether the stream goes on."""
        try:
            more = self.socket.recv(1 << 18)
        except BlockingIOError:
            return True
        now = time.monotonic_ns()
        if not more:  # no place yet: the server has still to notice that the last one broke
            return False
        self.bytes += len(more)
        if b"\r\n\r\n" not in self.head:
            self.head += more
            head, _, more = self.head.partition(b"\r\n\r\n")
            if b"gzip" not in head:
                more = b""
        self.buffer += self.opened.decompress(more)
        while (end := self.buffer.find(b"\n\n")) >= 0:
            event, self.buffer = self.buffer[:end], self.buffer[end + 2 :]
            if event.startswith(b"event: view"):
                _, identity, data = event.split(b"\n", 2)
                self.ids.append(identity[4:].decode())
                game = data.split(b'"game_id":"', 1)[1].split(b'"', 1)[0].decode()
                self.turns.append((f"{game} {data.count(b'press_ms')}", now))
        return True


def spectate(url: str, count: int, token: str) -> None:
    """Hold the streams until a line on standard input asks for the report."""
    where = urlsplit(url)
    host, port = str(where.hostname), int(where.port or 80)
    pages = [Spectator(host, port, PATH) for _ in range(count)]
    desk = Spectator(host, port, f"{PATH}?audience=director&token={token}")
    everybody = [*pages, desk]
    selector = selectors.DefaultSelector()
    for page in everybody:
        selector.register(page.socket, selectors.EVENT_READ, page)
    selector.register(sys.stdin, selectors.EVENT_READ)
    rng = random.Random(1)
    next_drop = time.monotonic() + 5.0
    away: list[tuple[float, Spectator]] = []
    print("ready", flush=True)
    while True:
        for key, _ in selector.select(0.1):
            if key.data is None:
                sys.stdin.readline()
                print(json.dumps([report(pages), report([desk])]), flush=True)
                return
            if not key.data.read():
                selector.unregister(key.data.socket)
                key.data.socket.close()
                away.append((time.monotonic() + 0.2, key.data))
        now = time.monotonic()
        if now > next_drop:
            next_drop += 0.5
            page = rng.choice(pages)
            if page in {one for _, one in away}:
                continue
            selector.unregister(page.socket)
            page.drop()
            away.append((now + rng.uniform(0.05, 0.5), page))
        for entry in [entry for entry in away if entry[0] <= now]:
            away.remove(entry)
            entry[1].resume()
            selector.register(entry[1].socket, selectors.EVENT_READ, entry[1])


def report(pages: list[Spectator]) -> dict[str, Any]:
    """First arrival of every turn at every page; how many ids were missed or doubled."""
    arrivals: dict[str, list[int]] = {}
    reference = max((page.ids for page in pages), key=len)
    wrong = 0
    for page in pages:
        seen: set[str] = set()
        for turn, now in page.turns:
            if turn not in seen:
                seen.add(turn)
                arrivals.setdefault(turn, []).append(now)
        # A page that came later begins later; from there on it has every one, once.
        begin = reference.index(page.ids[0])
        wrong += sum((Counter(reference[begin:]) - Counter(page.ids)).values())
        wrong += sum((Counter(page.ids) - Counter(reference[begin:])).values())
        wrong += page.ids != sorted(page.ids, key=lambda one: int(one.split("-")[0]))
    return {
        "arrivals": arrivals,
        "wrong": wrong,
        "drops": sum(page.drops for page in pages),
        "bytes": sum(page.bytes for page in pages),
    }


if __name__ == "__main__":
    spectate(sys.argv[1], int(sys.argv[2]), sys.argv[3])
