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
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hall_processes import Hall, cpu_s, memory_mb

from hub.store import DATABASE


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


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
            hall.network("cut")
            time.sleep(rng.uniform(2, 30))
        elif kind == "bad network":
            hall.network(f"bad {rng.uniform(0.005, 0.05)} {rng.uniform(0.0005, 0.005)}")
            time.sleep(rng.uniform(5, 20))
        else:
            hall.network("stick")
            time.sleep(rng.uniform(3, 15))
        hall.network("mend")
        time.sleep(rng.uniform(0.2, 3))
    return done


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
    rng = random.Random(args.seed)
    found: dict[str, Any] = {"tables": args.tables, "minutes": args.minutes, "speed": args.speed}
    with tempfile.TemporaryDirectory(prefix="tilewatch-hall-") as text:
        hall = Hall(Path(text), args)
        hall.start_hub()
        players = []
        for at in range(min(args.processes, args.tables)):
            names = hall.names[at :: args.processes]
            player = hall._run(
                "hall_tables.py", text, str(args.speed), str(args.seed + 1000 * at),
                str(args.gcg) if args.gcg else "-", *names,
            )  # fmt: skip
            players.append(player)
        for player in players:
            assert player.stdout is not None
            player.stdout.readline()
        time.sleep(2)
        hall.watch()
        assert hall.hub is not None
        hub, broker = hall.hub.pid, hall.broker_pid()
        begun, spent = time.monotonic(), cpu_s(hub)
        broker_spent = cpu_s(broker) if broker else 0.0
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
        lasted = time.monotonic() - begun
        if not args.faults and not args.hub_kills:
            found["hub_cpu_cores"] = round((cpu_s(hub) - spent) / lasted, 3)
            found["hub_memory_mb"] = round(memory_mb(hub))
            if broker:
                found["broker_cpu_cores"] = round((cpu_s(broker) - broker_spent) / lasted, 3)
                found["broker_memory_mb"] = round(memory_mb(broker), 1)
        if args.cut_s:
            hall.network("cut")
            time.sleep(min(12.0, args.cut_s))
            rows = hall.get("/director/hall/state")["tables"]
            found["silent_after_12_s"] = sum(row["state"] != "here" for row in rows)
            time.sleep(max(0.0, args.cut_s - 12.0))
            here, there = hall.heads()
            found["behind_after_cut"] = sum(here[n][0] - there[n][0] for n in hall.names)
            hall.network("mend")
            mended = time.monotonic()
            while time.monotonic() - mended < 120:
                # What was logged while they were cut off is what has to be caught up on.
                _, now = hall.heads()
                if all(now[name][0] >= here[name][0] for name in hall.names):
                    break
                time.sleep(0.2)
            found["caught_up_s"] = round(time.monotonic() - mended, 2)
        for player in players:
            assert player.stdin is not None
            player.stdin.write(b"stop\n")
            player.stdin.flush()
        logged = 0
        for player in players:
            assert player.stdout is not None
            logged += int(player.stdout.readline().split()[1])
        settled = time.monotonic()
        while time.monotonic() - settled < 90:
            here, there = hall.heads()
            if here == there:
                break
            time.sleep(0.5)
        found["settled_s"] = round(time.monotonic() - settled, 2)
        time.sleep(1.5)
        for player in players:
            assert player.stdin is not None
            player.stdin.write(b"quit\n")
            player.stdin.flush()
        hall.over.set()
        for player in players:
            player.wait()
        differing = hall.differing()
        hall_ms = hall.delays(hall.seen.hall, views=False) if hall.seen.hall else []
        page_ms = hall.delays(hall.seen.pages, views=True)
        hall.hub.terminate()
        hall.hub.wait()
        hall.proxy.kill()
        for pid in [hall.broker_pid()]:
            if pid is not None and Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGTERM)
        found |= {
            "events": logged,
            "events_per_s": round(logged / lasted, 1),
            "hub_db_mb": round((hall.data / DATABASE).stat().st_size / 1e6, 1),
            "logs_differ": differing,
            "hall_ms": summary(hall_ms),
            "page_ms": summary(page_ms),
            "streams_broken": hall.seen.breaks,
            "hub_start_s": round(percentile(hall.starts, 0.5), 2),
        }
    good = not differing
    if not args.faults and not args.hub_kills and not args.cut_s and hall_ms:
        good = good and found["hall_ms"]["within_500"] >= 0.99
        good = good and (args.no_pages or found["page_ms"]["within_500"] >= 0.99)
    if args.cut_s:
        good = good and found["caught_up_s"] < 30
    print(json.dumps(found) if args.json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    return 0 if good else 1


def summary(delays: list[float]) -> dict[str, Any]:
    if not delays:
        return {"events": 0}
    return {
        "events": len(delays),
        "p50": round(percentile(delays, 0.5), 1),
        "p99": round(percentile(delays, 0.99), 1),
        "max": round(max(delays), 1),
        "within_500": round(sum(d <= 500 for d in delays) / len(delays), 5),
    }


if __name__ == "__main__":
    sys.exit(main())
