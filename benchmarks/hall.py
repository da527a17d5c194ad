"""A hall of 200 tables on one machine: is everything there, in order, and how soon?

    python benchmarks/hall.py [--tables 200] [--minutes 10] [--speed 10] [--gcg ../shared/gcg]
                              [--faults] [--hub-kills N] [--cut-s S] [--json]

Starts a real mosquitto and ``tilewatch hub`` in a folder of its own, lets the tables in, and has
them play real games (``hall_tables.py``) while pages watch: the director's hall, and every table's
public page. Each event's way is timed from the moment it happened at its table until a page had it.
At the end both ends' logs are compared byte for byte.

``--faults`` kills the hub and the broker, cuts tables off, tears and delays their connections, all
at random. ``--cut-s`` cuts all tables off at the end of the time, for so long, and times how soon
the hub has everything when they are all back at once. Exit status 1 when anything is missing,
doubled, out of order or too late.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import memory_mb, percentile, processor_s

from dashboard.accounts.guard import SESSION_COOKIE, AuthContext
from dashboard.accounts.store import random_password
from hub.broker.access import hash_password
from hub.broker.certificates import CA, make_certificates
from hub.broker.setup import FOLDER as BROKER_FOLDER
from hub.hub import KEY
from hub.store import DATABASE, HubStore
from hub.table_side.connector import Membership
from record.log.event_log import EventLog
from record.log.mirror import line_of
from record.paths import DATABASE as TABLE_DATABASE
from record.signing import KEY_FILE, TableKey
from tests.hub.hubkit import BadNetwork
from tests.machine import free_port

ROOT = Path(__file__).resolve().parents[1]
VENUE = "hall"
QUIET = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_LOOK_S = 0.02


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
        self.port, self.web = free_port(), free_port()
        self.network = BadNetwork(self.port, args.seed)
        self.data = folder / "hub"
        self.over = threading.Event()
        self.seen = Seen()
        self.watched_ns = 0
        """Since when pages watch: what was there before, they get all at once."""
        self.starts: list[float] = []
        self.hub: subprocess.Popen[bytes] | None = None
        self._prepare()

    def _prepare(self) -> None:
        (self.data / BROKER_FOLDER).mkdir(parents=True)
        make_certificates(self.data / BROKER_FOLDER, VENUE)
        ca = (self.data / BROKER_FOLDER / CA).read_text("ascii")
        hub_key = TableKey.open(self.data / KEY).public
        through = self.network.port if self.args.faults or self.args.cut_s else self.port
        with HubStore(self.data) as store:
            for name in self.names:
                folder = self.folder / name
                folder.mkdir()
                key = TableKey.open(folder / KEY_FILE)
                store.enrol(name, name.title(), key.public, hash_password(f"secret of {name}"))
                Membership(
                    venue=VENUE, table=name, name=name.title(), host="127.0.0.1", port=through,
                    password=f"secret of {name}", hub_key=hub_key,
                ).save(folder, ca)  # fmt: skip
        accounts = AuthContext.of(self.data)
        account = accounts.accounts.add("bench", "director", random_password())
        self.cookie = f"{SESSION_COOKIE}={accounts.sessions.open(account).token}"
        (self.folder / "hub.toml").write_text(
            f'venue = "{VENUE}"\n[broker]\nport = {self.port}\nlisten = "127.0.0.1"\n'
            f'[serve]\nhost = "127.0.0.1"\nport = {self.web}\n[pictures]\nbackground = false\n'
        )

    def start_tables(self) -> list[subprocess.Popen[str]]:
        """Let the tables play, in some processes; return these once all of them play."""
        args, found = self.args, []
        for at in range(min(args.processes, args.tables)):
            command = [sys.executable, str(Path(__file__).with_name("hall_tables.py"))]
            command += [str(self.folder), str(args.speed), str(args.seed + 1000 * at)]
            command += [str(args.gcg) if args.gcg else "-", *self.names[at :: args.processes]]
            found.append(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=QUIET, text=True
                )
            )
        for process in found:
            answer_of(process)
        return found

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

    def close(self) -> None:
        """End the hub, the network and the broker."""
        assert self.hub is not None
        self.hub.terminate()
        self.hub.wait()
        self.network.__exit__()
        pid = self.broker_pid()
        if pid is not None and Path(f"/proc/{pid}").exists():
            os.kill(pid, signal.SIGTERM)

    # --- the pages ---

    def watch(self) -> None:
        self.watched_ns = time.monotonic_ns() + 3_000_000_000
        threading.Thread(
            target=self._follow, args=("/director/api/tables/events", None), daemon=True
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
        with HubStore(self.data) as store:
            there = {name: store.head(name) for name in self.names}
        here = {}
        for name in self.names:
            with EventLog(self.folder / name / TABLE_DATABASE, readonly=True) as log:
                here[name] = log.head
        return here, there

    def differing(self) -> list[str]:
        """The tables whose log is not byte for byte the same at the hub."""
        found = []
        with HubStore(self.data) as store:
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


def answer_of(process: subprocess.Popen[str], command: str = "") -> str:
    """Send a line to a process, if any, and return the next line that it prints."""
    assert process.stdin is not None
    assert process.stdout is not None
    if command:
        process.stdin.write(f"{command}\n")
        process.stdin.flush()
    return process.stdout.readline()


def trouble(hall: Hall, until: float, rng: random.Random) -> dict[str, int]:
    """Make trouble at random until the time is over; how often each kind was."""
    done = {"hub killed": 0, "broker killed": 0, "cut": 0, "bad network": 0, "stuck": 0}
    while time.monotonic() < until:
        kind = rng.choices(list(done), (8, 1, 1, 2, 1))[0]
        done[kind] += 1
        if kind == "hub killed":
            hall.kill_hub()
            time.sleep(rng.uniform(0, 0.5))
            hall.start_hub()
        elif kind == "broker killed":
            pid = hall.broker_pid()
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
        elif kind == "cut":
            hall.network.sever()
            time.sleep(rng.uniform(2, 30))
        elif kind == "bad network":
            hall.network.delay_s = rng.uniform(0.005, 0.05)
            hall.network.tear = rng.uniform(0.0005, 0.005)
            time.sleep(rng.uniform(5, 20))
        else:
            hall.network.stuck = True
            time.sleep(rng.uniform(3, 15))
        hall.network.mend()
        time.sleep(rng.uniform(0.2, 3))
    return done


def play(hall: Hall, args: argparse.Namespace, rng: random.Random) -> dict[str, Any]:
    """Let the time pass, with what is to go wrong in it; what the hub and the broker took."""
    found: dict[str, Any] = {}
    assert hall.hub is not None
    processes = {"hub": hall.hub.pid, "broker": hall.broker_pid()}
    spent = {name: processor_s(pid) for name, pid in processes.items() if pid}
    begun = time.monotonic()
    until = begun + 60 * args.minutes
    if args.faults:
        found["faults"] = trouble(hall, until, rng)
    for _ in range(args.hub_kills):
        time.sleep(rng.uniform(0, 1.5))
        hall.kill_hub()
        hall.start_hub()
    if args.hub_kills:
        found["hub_kills"] = args.hub_kills
    time.sleep(max(0.0, until - time.monotonic()))
    found["lasted_s"] = lasted = time.monotonic() - begun
    if not args.faults and not args.hub_kills:
        for name, pid in processes.items():
            if pid:
                cores = (processor_s(pid) - spent[name]) / lasted
                found[f"{name}_cpu_cores"] = round(cores, 3)
                found[f"{name}_memory_mb"] = round(memory_mb(pid), 1)
    return found


def cut(hall: Hall, cut_s: float) -> dict[str, Any]:
    """Cut all tables off, and time how soon the hub has what they logged meanwhile."""
    hall.network.sever()
    time.sleep(min(12.0, cut_s))
    rows = hall.get("/director/hall/state")["tables"]
    found: dict[str, Any] = {"silent_after_12_s": sum(row["state"] != "here" for row in rows)}
    time.sleep(max(0.0, cut_s - 12.0))
    here, there = hall.heads()
    found["behind_after_cut"] = sum(here[n][0] - there[n][0] for n in hall.names)
    hall.network.mend()
    mended = time.monotonic()
    while time.monotonic() - mended < 120:
        _, now = hall.heads()
        if all(now[name][0] >= here[name][0] for name in hall.names):
            break
        time.sleep(_LOOK_S)
    return found | {"caught_up_s": round(time.monotonic() - mended, 2)}


def settle(hall: Hall) -> float:
    """Seconds until the hub has all that the tables logged; the tables play no more."""
    begun = time.monotonic()
    while time.monotonic() - begun < 90:
        here, there = hall.heads()
        if here == there:
            break
        time.sleep(_LOOK_S)
    return round(time.monotonic() - begun, 2)


def measure(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Play, and compare what there is in the end."""
    hall = Hall(folder, args)
    hall.start_hub()
    tables = hall.start_tables()
    time.sleep(2)
    hall.watch()
    found = play(hall, args, random.Random(args.seed))
    lasted = found.pop("lasted_s")
    if args.cut_s:
        found |= cut(hall, args.cut_s)
    logged = sum(int(answer_of(process, "stop").split()[1]) for process in tables)
    found["settled_s"] = settle(hall)
    time.sleep(1.5)
    hall.over.set()
    for process in tables:
        process.communicate("quit\n")
    differing = hall.differing()
    hall_ms = hall.delays(hall.seen.hall, views=False) if hall.seen.hall else []
    page_ms = hall.delays(hall.seen.pages, views=True)
    hall.close()
    return found | {
        "events": logged,
        "events_per_s": round(logged / lasted, 1),
        "hub_db_mb": round((hall.data / DATABASE).stat().st_size / 1e6, 1),
        "logs_differ": differing,
        "hall_ms": summary(hall_ms),
        "page_ms": summary(page_ms),
        "streams_broken": hall.seen.breaks,
        "hub_start_s": round(percentile(hall.starts, 0.5), 2),
    }


def summary(delays: list[float]) -> dict[str, Any]:
    """Delays in milliseconds in short."""
    if not delays:
        return {"events": 0}
    return {
        "events": len(delays),
        "p50": round(percentile(delays, 0.5), 1),
        "p99": round(percentile(delays, 0.99), 1),
        "max": round(max(delays), 1),
        "within_500": round(sum(d <= 500 for d in delays) / len(delays), 5),
    }


def is_good(found: dict[str, Any], args: argparse.Namespace) -> bool:
    """True if nothing is missing, and nothing too late where nothing went wrong."""
    if args.cut_s and found["caught_up_s"] >= 30:
        return False
    if not args.faults and not args.hub_kills and not args.cut_s:
        seen = [found["hall_ms"], *([] if args.no_pages else [found["page_ms"]])]
        if any(one["events"] and one["within_500"] < 0.99 for one in seen):
            return False
    return not found["logs_differ"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--speed", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--gcg", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--hub-kills", type=int, default=0, help="kill the hub so often")
    parser.add_argument("--cut-s", type=float, default=0.0)
    parser.add_argument("--no-pages", action="store_true", help="watch the hall alone")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilewatch-hall-") as folder:
        found = {"tables": args.tables, "minutes": args.minutes, "speed": args.speed}
        found |= measure(Path(folder), args)
    print(json.dumps(found) if args.json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    return 0 if is_good(found, args) else 1


if __name__ == "__main__":
    sys.exit(main())
