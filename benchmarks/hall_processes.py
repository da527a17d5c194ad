"""The processes of benchmarks/hall.py: a broker, a hub, tables, and the pages that watch them."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dashboard.accounts.guard import SESSION_COOKIE, AuthContext
from dashboard.accounts.store import random_password
from hub.broker.access import hash_password
from hub.broker.certificates import CA, make_certificates
from hub.broker.setup import FOLDER as BROKER_FOLDER
from hub.hub import KEY
from hub.store import HubStore
from hub.table_side.connector import Membership
from record.log.event_log import EventLog
from record.log.mirror import line_of
from record.paths import DATABASE as TABLE_DATABASE
from record.signing import KEY_FILE, TableKey

ROOT = Path(__file__).resolve().parents[1]
VENUE = "hall"
QUIET = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@dataclass
class Seen:
    """When pages had what: by table, sequence and the moment, on the machine's monotonic clock."""

    hall: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    pages: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    breaks: int = 0


class Hall:
    """Everything that runs, and where."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self.folder, self.args = folder, args
        self.names = [f"table-{n}" for n in range(1, args.tables + 1)]
        self.port, self.web, self.between = free_port(), free_port(), free_port()
        self.data = folder / "hub"
        self.over = threading.Event()
        self.seen = Seen()
        self.watched_ns = 0
        """Since when pages watch: what was there before, they get all at once."""
        self.starts: list[float] = []
        self.hub: subprocess.Popen[bytes] | None = None
        self._prepare()
        self.proxy = self._run("hall_proxy.py", str(self.between), str(self.port))
        assert self.proxy.stdout is not None
        self.proxy.stdout.readline()

    def _prepare(self) -> None:
        (self.data / BROKER_FOLDER).mkdir(parents=True)
        make_certificates(self.data / BROKER_FOLDER, VENUE)
        ca = (self.data / BROKER_FOLDER / CA).read_text("ascii")
        hub_key = TableKey.open(self.data / KEY).public
        through = self.between if self.args.faults or self.args.cut_s else self.port
        with closing(HubStore(self.data)) as store:
            for name in self.names:
                folder = self.folder / name
                folder.mkdir()
                key = TableKey.open(folder / KEY_FILE)
                store.enrol(name, name.title(), key.public, hash_password(f"secret of {name}"))
                Membership(
                    venue=VENUE, table=name, name=name.title(), host="127.0.0.1", port=through,
                    password=f"secret of {name}", hub_key=hub_key,
                ).save(folder, ca)  # fmt: skip
        door = AuthContext.of(self.data)
        account = door.accounts.add("bench", "director", random_password())
        self.cookie = f"{SESSION_COOKIE}={door.sessions.open(account).token}"
        (self.folder / "hub.toml").write_text(
            f'venue = "{VENUE}"\n[broker]\nport = {self.port}\nlisten = "127.0.0.1"\n'
            f'[serve]\nhost = "127.0.0.1"\nport = {self.web}\n[pictures]\nbackground = false\n'
        )

    def _run(self, script: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks" / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=QUIET,
        )

    # --- the hub ---

    def start_hub(self) -> None:
        begun = time.monotonic()
        self.hub = subprocess.Popen(
            [
                sys.executable, "-m", "table.cli", "hub", "--config",
                str(self.folder / "hub.toml"), "--data", str(self.data),
            ],
            cwd=ROOT,
            env=QUIET,
            stderr=(self.folder / "hub.log").open("ab"),
        )  # fmt: skip
        while not self.over.is_set() and self.hub.poll() is None:
            try:
                self.get("/api/v1/hall")
                self.starts.append(time.monotonic() - begun)
                return
            except OSError:
                time.sleep(0.05)

    def kill_hub(self) -> None:
        assert self.hub is not None
        self.hub.send_signal(signal.SIGKILL)
        self.hub.wait()

    def broker_pid(self) -> int | None:
        try:
            return int((self.data / BROKER_FOLDER / "mosquitto.pid").read_text())
        except (OSError, ValueError):
            return None

    def get(self, path: str) -> Any:
        with closing(http.client.HTTPConnection("127.0.0.1", self.web, timeout=20)) as connection:
            connection.request("GET", path, headers={"Cookie": self.cookie})
            return json.loads(connection.getresponse().read())

    def network(self, command: str) -> None:
        assert self.proxy.stdin is not None
        self.proxy.stdin.write(f"{command}\n".encode())
        self.proxy.stdin.flush()

    # --- the pages ---

    def watch(self) -> None:
        self.watched_ns = time.monotonic_ns() + 3_000_000_000
        threading.Thread(
            target=self._follow, args=("/director/hall/events", None), daemon=True
        ).start()
        for name in self.names:
            if not self.args.no_pages:
                path = f"/api/v1/tables/{name}/events"
                threading.Thread(target=self._follow, args=(path, name), daemon=True).start()

    def _follow(self, path: str, table: str | None) -> None:
        """A page: an event stream that is opened again whenever it breaks."""
        after = ""
        while not self.over.is_set():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.web, timeout=40)
                query = f"?after={after}" if after else ""
                connection.request("GET", path + query, headers={"Cookie": self.cookie})
                response = connection.getresponse()
                if response.status != 200:
                    time.sleep(1)
                    continue
                kind = ""
                while line := response.readline():
                    if line.startswith(b"event: "):
                        kind = line[7:].strip().decode()
                    elif line.startswith(b"id: "):
                        after = line[4:].strip().decode()
                    elif line.startswith(b"data: "):
                        now = time.monotonic_ns()
                        if kind == "rows":
                            for row in json.loads(line[6:]):
                                self.seen.hall.setdefault(row["id"], []).append((row["seq"], now))
                        elif kind == "view" and table is not None:
                            seq = int(after.partition("-")[0])
                            self.seen.pages.setdefault(table, []).append((seq, now))
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.seen.breaks += 1
            time.sleep(0.3)

    # --- whether it is all there ---

    def heads(self) -> tuple[dict[str, tuple[int, str]], dict[str, tuple[int, str]]]:
        with closing(HubStore(self.data)) as store:
            there = {name: store.head(name) for name in self.names}
        here = {}
        for name in self.names:
            with EventLog(self.folder / name / TABLE_DATABASE, readonly=True) as log:
                here[name] = log.head
        return here, there

    def differing(self) -> list[str]:
        """The tables whose log is not byte for byte the same at the hub."""
        found = []
        with closing(HubStore(self.data)) as store:
            for name in self.names:
                with EventLog(self.folder / name / TABLE_DATABASE, readonly=True) as log:
                    here = b"".join(line_of(event) for event in log.events())
                there = b"".join(line_of(event) for event in store.records(name))
                if here != there:
                    found.append(name)
        return found

    def delays(self, seen: dict[str, list[tuple[int, int]]], *, views: bool) -> list[float]:
        """Milliseconds from each event until a page had it; of views, of those that made one."""
        found = []
        for name in self.names:
            marks = seen.get(name, [])
            with EventLog(self.folder / name / TABLE_DATABASE, readonly=True) as log:
                events = log.events()
            events = [event for event in events if event.mono_ns >= self.watched_ns]
            if views:
                when = {event.seq: event.mono_ns for event in events}
                found += [(at - when[seq]) / 1e6 for seq, at in marks if seq in when]
                continue
            place = 0
            for seq, at in marks:
                while place < len(events) and events[place].seq <= seq:
                    found.append((at - events[place].mono_ns) / 1e6)
                    place += 1
            found += [float("inf")] * (len(events) - place)
        return found


def cpu_s(pid: int) -> float:
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0
