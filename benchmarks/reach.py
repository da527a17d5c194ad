"""Thousands of spectators of a published site: how soon do they see a press, and what does it cost?

    python benchmarks/reach.py [--tables 200] [--spectators 10000] [--minutes 2] [--store nginx|s3]
                               [--gcg ../shared/gcg] [--speed 1]

Runs a hub with simulated tables that play real games (``hall.py``), first without publishing, then
published, then with spectators. They poll as the pages do (``file_source.js``): each holds a
connection, asks every three seconds with the ETag that it knows, and takes the answer. Eight in ten
look at a table, the others at the hall. nginx (with ``deploy/nginx-published.conf``) serves a
folder; with ``--store s3`` the files go to moto's server, whose answers Python makes: it takes some
hundred spectators. All of it is on this machine's loopback.

The time of a press is that of the table; a spectator has it with the first answer whose view
includes it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from bisect import bisect_right
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from common import memory_mb, percentile, processor_s
from hall import QUIET, ROOT, Hall, answer_of

from game.events import ButtonPressed
from record.log.event_log import EventLog
from record.paths import DATABASE
from tests.machine import free_port

_EVERY_S = 3.0
_SPREAD = 0.2
_OPENING_S = 20.0
_IN_THE_HALL = 0.2
_HEADS = b"Host: localhost\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n"


class Spectator(asyncio.Protocol):
    """An open page: it polls one file. ``seen`` takes the sequence of each new view."""

    def __init__(
        self, crowd: Crowd, port: int, path: str, seen: list[tuple[int, int]] | None
    ) -> None:
        self.crowd, self.port, self.seen = crowd, port, seen
        self.loop = asyncio.get_running_loop()
        self.ask = f"GET {path} HTTP/1.1\r\n".encode() + _HEADS
        self.tag = b""
        self.got = bytearray()
        self.asked_s, self.waits = 0.0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.crowd.open += 1
        self.poll()

    def poll(self) -> None:
        if self.crowd.over:
            return
        if self.transport.is_closing():  # a server that keeps no connection open
            again = self.loop.create_connection(lambda: self, "127.0.0.1", self.port)
            self.again = self.loop.create_task(again)
            return
        tag = b"If-None-Match: " + self.tag + b"\r\n" if self.tag else b""
        self.asked_s, self.waits = time.monotonic(), True
        self.transport.write(self.ask + tag + b"\r\n")  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.got += data
        end = self.got.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self.got[:end])
        length = _field(head, b"content-length") if b" 304 " not in head[:15] else b"0"
        if len(self.got) < end + 4 + int(length or 0):
            return
        self.waits = False
        body = bytes(self.got[end + 4 :])
        self.got.clear()
        self.crowd.answered(head[9:12], len(head) + len(body), time.monotonic() - self.asked_s)
        if head[9:12] == b"200":
            self.tag = _field(head, b"etag")
            if self.seen is not None:
                packed = _field(head, b"content-encoding") == b"gzip"
                self.seen.append((_sequence(body, packed), time.monotonic_ns()))
        self.loop.call_later(_EVERY_S * random.uniform(1 - _SPREAD, 1 + _SPREAD), self.poll)

    def connection_lost(self, _error: Exception | None) -> None:
        self.crowd.open -= 1
        self.crowd.lost += self.waits and not self.crowd.over


def _field(head: bytes, name: bytes) -> bytes:
    at = head.lower().find(b"\r\n" + name + b": ")
    return head[at + len(name) + 4 :].partition(b"\r\n")[0] if at >= 0 else b""


def _sequence(body: bytes, packed: bool) -> int:
    start = zlib.decompressobj(31).decompress(body, 300) if packed else body[:300]
    found = start.partition(b'},"id":"')[2]
    return int(found.partition(b"-")[0] or 0)


class Crowd:
    """All spectators, in one process."""

    def __init__(self) -> None:
        self.over = False
        self.open = self.lost = self.bytes = 0
        self.status: dict[str, int] = {}
        self.waits: list[float] = []
        self.marks: dict[str, list[list[tuple[int, int]]]] = {}

    def answered(self, status: bytes, size: int, wait_s: float) -> None:
        name = status.decode()
        self.status[name] = self.status.get(name, 0) + 1
        self.bytes += size
        self.waits.append(wait_s)

    async def watch(
        self, port: int, prefix: str, names: list[str], count: int, seconds: float
    ) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for one in range(count):
            seen: list[tuple[int, int]] | None
            if random.random() < _IN_THE_HALL:
                path, seen = f"{prefix}/hall/news.json", None
            else:
                table = names[one % len(names)]
                path, own = f"{prefix}/tables/{table}/live.json", list[tuple[int, int]]()
                self.marks.setdefault(table, []).append(own)
                seen = own
            page = partial(Spectator, self, port, path, seen)
            await loop.create_connection(page, "127.0.0.1", port)
            late = begun + _OPENING_S * one / count - loop.time()
            if late > 0:
                await asyncio.sleep(late)
        self.waits.clear()
        self.status.clear()
        self.bytes = 0
        await asyncio.sleep(seconds)
        self.over = True


def crowd(args: argparse.Namespace) -> dict[str, Any]:
    """Be the spectators, in a process of their own; return what they had, as JSON."""
    port, prefix, count, seconds, names = args.crowd
    one = Crowd()
    begun = processor_s(os.getpid())
    asyncio.run(one.watch(int(port), prefix, names.split(","), int(count), float(seconds)))
    return {
        "spectators": int(count),
        "lost": one.lost,
        "answers": one.status,
        "mbit_s": round(one.bytes * 8 / 1e6 / float(seconds), 1),
        "answer_ms": [round(1000 * percentile(one.waits, at), 1) for at in (0.5, 0.99)],
        "crowd_cpu_cores": round((processor_s(os.getpid()) - begun) / (float(seconds) + 20), 2),
        "marks": one.marks,
    }


class PublishedHall(Hall):
    """A hall whose hub can publish; ``target`` is set before it starts."""

    target = ""

    def start_hub(self) -> None:
        config = self.folder / "hub.toml"
        text = config.read_text().partition("[publish]")[0]
        if self.target:
            text += f'[publish]\ntarget = "{self.target}"\n'
        config.write_text(text)
        super().start_hub()

    def restart_hub(self, target: str) -> None:
        """Stop the hub and start it with another target."""
        assert self.hub is not None
        self.hub.terminate()
        self.hub.wait()
        self.target = target
        self.start_hub()

    def cost(self, seconds: float) -> dict[str, float]:
        """Let some time pass; return the hub's cores and memory."""
        assert self.hub is not None
        begun = processor_s(self.hub.pid)
        time.sleep(seconds)
        cores = (processor_s(self.hub.pid) - begun) / seconds
        return {"cores": round(cores, 3), "mb": round(memory_mb(self.hub.pid), 0)}

    def presses(self) -> dict[str, list[tuple[int, int]]]:
        """Sequence and moment of every press at each table."""
        found = {}
        for name in self.names:
            with EventLog(self.folder / name / DATABASE, readonly=True) as log:
                events = [one for one in log.events() if one.type == ButtonPressed.__name__]
            found[name] = [(one.seq, one.mono_ns) for one in events]
        return found


def start_nginx(folder: Path, site: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start nginx over the folder ``site`` with the sample configuration; return its port, too."""
    port = free_port()
    server = (ROOT / "deploy/nginx-published.conf").read_text()
    server = server.replace("/var/www/event", str(site)).replace(
        "listen 80;", f"listen 127.0.0.1:{port} backlog=8192;"
    )
    (folder / "server.conf").write_text(server)
    (folder / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; "
        "user root; "
        "events { worker_connections 16000; }\n"
        "http { access_log off; sendfile on; keepalive_requests 1000000; "
        f"include {folder}/server.conf; }}\n"
    )
    return subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")]), port


def start_s3() -> tuple[subprocess.Popen[bytes], int]:
    """Start moto's server with a bucket; return its port, too."""
    import boto3  # noqa: PLC0415 (for this store alone)

    port = free_port()
    program = "import sys; from moto.server import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    os.environ.update(keys)
    QUIET.update(keys)  # for the hub
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1")
    while True:
        with suppress(Exception):
            client.create_bucket(Bucket="event", ACL="public-read")
            return process, port
        time.sleep(0.2)


def children_s(pid: int) -> float:
    """Processor seconds of a process and its children."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return sum(processor_s(int(one)) for one in [str(pid), *found.stdout.split()])


def measure(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Run all three parts; return the figures."""
    site, seconds = folder / "site", 60 * args.minutes
    if args.store == "nginx":
        site.mkdir()
        server, port = start_nginx(folder, site)
        target, prefix = str(site), ""
    else:
        server, port = start_s3()
        target, prefix = f"s3://event?endpoint=http://127.0.0.1:{port}", "/event"
    hall = PublishedHall(folder, args)
    hall.start_hub()
    tables = hall.start_tables()
    time.sleep(20)
    found: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    found["hub_alone"] = hall.cost(seconds)
    hall.restart_hub(target)
    time.sleep(args.settle)
    found["hub_published"] = hall.cost(seconds)
    begun, since = children_s(server.pid), time.monotonic()
    given = [str(port), prefix, str(args.spectators), str(seconds), ",".join(hall.names)]
    watching = subprocess.Popen(
        [sys.executable, __file__, "--crowd", *given], stdout=subprocess.PIPE, text=True
    )
    time.sleep(_OPENING_S)
    found["hub_published_and_watched"] = hall.cost(seconds)
    seen = json.loads(watching.communicate()[0])
    found["server_cpu_cores"] = round(
        (children_s(server.pid) - begun) / (time.monotonic() - since), 3
    )
    for process in tables:
        answer_of(process, "stop")
    marks = seen.pop("marks")
    presses = hall.presses()
    delays = [
        (at - when) / 1e9
        for name, all_of in marks.items()
        for own in all_of
        for when, at in reached(own, presses[name])
    ]
    found |= seen | {
        "presses_seen": len(delays),
        "press_to_page_s": {
            f"p{round(100 * at)}": round(percentile(delays, at), 2) for at in (0.5, 0.9, 0.99)
        },
        "files": sum(1 for one in site.rglob("*")) if args.store == "nginx" else None,
        "load_after": os.getloadavg()[0],
    }
    for process in tables:
        process.communicate("quit\n")
    hall.close()
    server.terminate()
    server.wait()
    return found


def reached(marks: list[tuple[int, int]], presses: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The presses between the views that a spectator had: the moment of each, and of its view."""
    found, seqs = [], [seq for seq, _ in presses]
    for (before, _), (seq, at) in pairwise(marks):
        some = presses[bisect_right(seqs, before) : bisect_right(seqs, seq)]
        found += [(when, at) for _, when in some]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--settle", type=float, default=120.0, help="s until every page is made")
    parser.add_argument("--store", choices=("nginx", "s3"), default="nginx")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--gcg", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crowd", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.faults, args.cut_s, args.no_pages, args.hub_kills = False, 0.0, True, 0
    if args.crowd:
        print(json.dumps(crowd(args)))
        return 0
    with tempfile.TemporaryDirectory(prefix="tilewatch-reach-") as folder:
        Path(folder).chmod(0o755)
        found = measure(Path(folder), args)
    print("\n".join(f"{name}: {value}" for name, value in found.items()))
    return 0 if found["press_to_page_s"]["p50"] < 3 else 1


if __name__ == "__main__":
    sys.exit(main())
