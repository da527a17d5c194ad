"""Films played at their own pace to a live table that is stopped at random or starved.

    python benchmarks/stalls.py FILM… [--stops 20] [--share 0.2] [--seed 1] [--work DIR]

Each film is a recording with an ``expected.csv`` and a ``truth.json``. A live table in a process of
its own watches it as a camera does, and its presses come at their times, stamped as contacts are.
Meanwhile the process is stopped (SIGSTOP) for 0.2 to 5 s about once in ``--stops`` seconds. With
``--share`` it gets that share of a core instead: once it has had it, it is stopped for what is left
of each half second. With ``--stops 0`` it is left alone.
Prints how many turns are right live and in the film's replay, how many of the live ones are
silently wrong or asked about, how many pictures were dropped, and what alerts there were. Exit
status 1 where a live turn is silently wrong that the replay has right or asks about, or where turns
differ from the replay's though no picture was dropped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import processor_s, replayed
from motion_turns import Outcome, measured

from game.events import TroubleNoted, from_payload
from game.rulebooks.loading import DEFAULT_RULEBOOK
from game.state.fold import fold
from record.log.event_log import EventLog
from record.paths import DATABASE
from sensors.interfaces import Frame, Press
from sensors.recording import NS_PER_MS, Recording
from table.config import TableConfig
from table.live import opened
from table.real_devices import run_real
from table.running import Item, RunningTable
from table.views.views import flag_shapes, turn_shape

STOPPED_S = 0.2, 5.0
ROUND_S = 0.5
_LOOK_S = 0.02
BEGUN = "begun"
_COMPARED = ("side", "tiles", "kind", "score")


# --- the live table, in a process of its own ---


def play(film: Path, data: Path) -> None:
    """Play a film as a live table to its end, and settle what is open."""
    recording = Recording.open(film)
    meta = recording.meta
    config = TableConfig.model_validate(
        {
            "name": meta.name,
            "tile_set": meta.tile_set,
            "rulebook": meta.rulebook or DEFAULT_RULEBOOK,
            "announced": dict(meta.announced),
            "players": meta.names,
            "camera": {"kind": "file", "path": str(film)},
            "buttons": "web",
            "serve": {"on": False},
            "data": str(data),
        },
        strict=False,
    )
    with opened(config, data, lambda line: print(line, file=sys.stderr)) as table:
        player = _Player(recording, table)
        run_real(table)
        table.session.recorder.finish()
    print(len(recording.frame_paths) - player.looked, flush=True)


class _Player:
    """Puts a film's presses into a table's inbox at their times, and stops the table at its end."""

    def __init__(self, recording: Recording, table: RunningTable) -> None:
        self._recording, self._table = recording, table
        self._put, self._take = table.inbox.put, table.take
        self._began_ns: int | None = None
        self.looked = 0
        """How many of the film's pictures the table had time for."""
        zero_ms, last_ms = (int(recording.frame_paths[at].stem) for at in (0, -1))
        self._zero_ns, self._length_ns = zero_ms * NS_PER_MS, (last_ms - zero_ms) * NS_PER_MS
        table.inbox.put = self._begins  # type: ignore[method-assign]
        table.take = self._ends  # type: ignore[method-assign]

    def _begins(self, item: Any) -> None:
        """Take the first picture's time for the film's beginning."""
        if self._began_ns is None and isinstance(item, Frame):
            self._began_ns = item.t_ns
            threading.Thread(target=self._press, daemon=True).start()
            print(BEGUN, flush=True)
        self._put(item)

    def _press(self) -> None:
        assert self._began_ns is not None
        for press in self._recording.button_presses:
            due_ns = self._began_ns + press.t_ns - self._zero_ns
            time.sleep(max(0, due_ns - self._table.now_ns()) / 1e9)
            self._put(Press(press.button, due_ns))

    def _ends(self, item: Item) -> None:
        self._take(item)
        if isinstance(item, Frame) and self._began_ns is not None:
            if item.t_ns > self._began_ns + self._length_ns:
                self._table.stop.set()
            else:
                self.looked += 1


# --- what stops it ---


def stopped_at_random(process: int, rng: random.Random, every_s: float) -> Iterator[float]:
    """Stop a process again and again; yield for how long each time."""
    while True:
        time.sleep(rng.expovariate(1 / every_s))
        away_s = rng.uniform(*STOPPED_S)
        os.kill(process, signal.SIGSTOP)
        time.sleep(away_s)
        os.kill(process, signal.SIGCONT)
        yield away_s


def starved(process: int, share: float) -> Iterator[float]:
    """Let a process have a share of a core and no more; yield for how long it stood each time."""
    while True:
        begun_s, had_s = time.monotonic(), processor_s(process)
        while processor_s(process) - had_s < share * ROUND_S:
            time.sleep(_LOOK_S)
            if time.monotonic() - begun_s > ROUND_S:
                begun_s, had_s = time.monotonic(), processor_s(process)
        os.kill(process, signal.SIGSTOP)
        away_s = max(0.0, begun_s + ROUND_S - time.monotonic())
        time.sleep(away_s)
        os.kill(process, signal.SIGCONT)
        yield away_s


def disturb(stops: Iterable[float], over: threading.Event, away: list[float]) -> None:
    """Note in ``away`` for how long a process was stopped each time until it was over."""
    with contextlib.suppress(ProcessLookupError):
        for away_s in stops:
            away.append(away_s)
            if over.is_set():
                break


# --- what became of it ---


@dataclass
class Played:
    """A film's turns as a live table has them, and what it noted."""

    document: dict[str, Any]
    dropped: int
    alerts: Counter[str] = field(default_factory=Counter)


def read(data: Path, dropped: int) -> Played:
    """Return what the log of a live table holds that had no time for so many pictures."""
    with EventLog(data / DATABASE, readonly=True) as log:
        events = [from_payload(event.payload) for event in log.events(log.game_ids()[0])]
    state = fold(events)
    turns = [turn_shape(turn, state, "director").as_json() for turn in state.turns]
    flags = [flag.as_json() for flag in flag_shapes(state, "director")]
    document = {"turns": turns, "flags": flags, "rows": state.board.rows, "ms": {}}
    played = Played(document, dropped)
    for event in events:
        if isinstance(event, TroubleNoted) and event.state != "over":
            played.alerts[event.code] += 1
    return played


def played_live(film: Path, data: Path, args: argparse.Namespace) -> tuple[Played, list[float]]:
    """Play a film to a table that is disturbed; return what it found, and the stops."""
    command = [sys.executable, __file__, "--play", str(film), str(data)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == BEGUN:
            break
    rng, over = random.Random(args.seed), threading.Event()
    away: list[float] = []
    if args.share or args.stops:
        stops = (
            starved(process.pid, args.share)
            if args.share
            else stopped_at_random(process.pid, rng, args.stops)
        )
        threading.Thread(target=disturb, args=(stops, over, away), daemon=True).start()
    dropped = process.stdout.read()
    process.wait()
    over.set()
    if process.returncode:
        raise SystemExit(f"{film}: the table stopped with status {process.returncode}")
    return read(data, int(dropped)), away


def turns_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is compared of each turn."""
    return [{name: turn[name] for name in _COMPARED} for turn in document["turns"]]


def compare(film: Path, played: Played, replay: dict[str, Any], away: list[float]) -> bool:
    """Print a film's results; return True if they are as promised."""
    live_turns, replay_turns = turns_of(played.document), turns_of(replay)
    live = measured(Outcome(film.name, "live", 0), film, played.document)
    plain = measured(Outcome(film.name, "replay", 0), film, replay | {"ms": {}})
    same = live_turns == replay_turns
    silent = {
        json.dumps(one["due"] or one["found"], sort_keys=True): one
        for one in live.each
        if one["verdict"] == "silent"
    }
    known = {
        json.dumps(one["due"] or one["found"], sort_keys=True)
        for one in plain.each
        if one["verdict"] == "silent"
    }
    print(
        f"{film.name}: of {live.turns} turns right live {live.right}, in replay {plain.right}; "
        f"silent live {live.silent}, in replay {plain.silent}; "
        f"asked live {live.asked}, in replay {plain.asked}; "
        f"{len(away)} stops of {sum(away):.1f} s; {played.dropped} of "
        f"{len(Recording.open(film).frame_paths)} pictures dropped; alerts {dict(played.alerts)}; "
        f"turns {'as' if same else 'not as'} in the replay",
        flush=True,
    )
    for one in live.each:
        if one["verdict"] != "right":
            print(f"    live: {json.dumps(one)}", flush=True)
    return not (silent.keys() - known) and (same or played.dropped > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("films", type=Path, nargs="+")
    parser.add_argument("--stops", type=float, default=20.0, help="seconds from stop to stop")
    parser.add_argument("--share", type=float, default=0.0, help="of a core")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="where logs and replays stay")
    parser.add_argument("--play", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.play:
        play(*args.films)
        return 0
    good = True
    with tempfile.TemporaryDirectory("-stalls") as scratch:
        work = args.work or Path(scratch)
        how = f"share{args.share:g}" if args.share else f"stops{args.stops:g}-{args.seed}"
        for film in args.films:
            kept = work / f"{film.name}-replay.json"
            if not kept.exists():
                work.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(replayed(film, work / f"{film.name}-replay")), "utf-8")
            with tempfile.TemporaryDirectory(f"-{how}", f"{film.name}-", work) as data:
                played, away = played_live(film, Path(data), args)
                good &= compare(film, played, json.loads(kept.read_text("utf-8")), away)
                if args.work:
                    (Path(data) / DATABASE).rename(work / f"{film.name}-{how}.db")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
