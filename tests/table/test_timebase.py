"""The table's time goes on as long as somebody watches; what nobody watched is a gap."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from game.events import (
    GameStarted,
    PicturesDeleted,
    TimeUnseen,
    from_payload,
    to_payload,
)
from game.state.fold import fold
from record.log.event_log import EventLog
from record.paths import DATABASE
from table import time_base
from table.config import TableConfig
from table.health.limits import RESTARTED_NS
from table.live import last_event, opened
from table.time_base import Gap, LastEvent, PauseWatch, open_time_base

from .conftest import FakeReader
from .sessionkit import EMPTY
from .sessionkit import opened as begun

S = 1_000_000_000
WALL = 1_800_000_000 * S


class Machine:
    """A machine's clocks, moved by hand."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.boot = folder, "a"
        self.mono = self.since_boot = 100 * S
        self.wall = WALL
        monkeypatch.setattr(time_base, "boottime_ns", lambda: self.since_boot)
        monkeypatch.setattr(time_base.time, "time_ns", lambda: self.wall)
        monkeypatch.setattr(time_base.time, "monotonic_ns", lambda: self.mono)

    def passes(self, seconds, *, asleep=False, rebooted=False, wall_s=None):
        """So long nobody watches; by the wall clock, which may be set, it is ``wall_s``."""
        self.mono += 0 if asleep else seconds * S
        self.since_boot += seconds * S
        self.wall += (seconds if wall_s is None else wall_s) * S
        if rebooted:
            self.boot += "a"
            self.mono = self.since_boot = 20 * S

    def starts(self, last_ns=None, last_wall=None):
        last = None if last_ns is None else LastEvent(last_ns, last_wall or self.wall)
        return open_time_base(self.folder, last, boot=self.boot)

    def watches(self, base, until_s):
        """A process runs for some seconds and ends."""
        with PauseWatch(self.folder, base, lambda: base.of(self.mono)) as watch:
            self.passes(until_s)
            watch.reached(base.of(self.mono))
        return base.of(self.mono)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    return Machine(tmp_path, monkeypatch)


def test_what_is_deleted_while_nobody_watches_is_no_moment_that_was_watched(tmp_path):
    start = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0)
    with EventLog(tmp_path / DATABASE) as log:
        assert last_event(log) is None
        log.append("g", to_payload(start), mono_ns=5 * S, wall_ns=WALL, source="recorder")
        deleted = to_payload(PicturesDeleted((), "", 5 * S))
        for _ in range(60):
            log.append("g", deleted, mono_ns=5 * S, wall_ns=WALL + 2400 * S, source="retention")
        assert last_event(log) == LastEvent(5 * S, WALL)


@pytest.mark.parametrize(
    ("away", "goes_on_s", "passed_s"),
    [
        ({"seconds": 3, "wall_s": 99_999}, 3, 3),  # somebody has set the wall clock
        ({"seconds": 2400}, 2400, 2400),
        ({"seconds": 2400, "asleep": True}, 0, 2400),
        # Over a reboot the table's time stands, and the wall clock only proposes.
        ({"seconds": 2400, "rebooted": True}, 0, 2400),
        ({"seconds": 2400, "rebooted": True, "wall_s": 27 * 86_400}, 0, 27 * 86_400),
        ({"seconds": 2400, "rebooted": True, "wall_s": -500}, 0, None),
    ],
    ids=["at once", "dead", "asleep", "rebooted", "set late", "set back"],
)
def test_the_time_that_nobody_watched_is_a_gap(machine, away, goes_on_s, passed_s):
    watched = machine.watches(machine.starts(), 50)
    machine.passes(**away)
    base = machine.starts(120 * S, WALL + 20 * S)
    passed_ns = None if passed_s is None else passed_s * S
    until_ns, measured = watched + goes_on_s * S, "rebooted" not in away
    assert base.gap == Gap(watched, until_ns, passed_ns, measured=measured)
    assert base.gap.short == (passed_s == 3)
    assert base.of(machine.mono) == until_ns
    # And from then on it is the machine's own, as before.
    again = machine.watches(base, 5)
    machine.passes(2)
    assert machine.starts(again).of(machine.mono) == again + 2 * S


def test_a_process_that_dies_before_it_watched_leaves_the_gap_as_it_was(machine):
    machine.watches(machine.starts(), 50)
    machine.passes(2400, rebooted=True)
    first = machine.starts(120 * S, WALL).gap
    assert machine.starts(120 * S, WALL).gap == first


def test_what_the_log_has_was_watched_though_the_note_is_older(machine):
    """In a power cut the note's last seconds may be lost; the log's events never are."""
    machine.watches(machine.starts(), 50)
    machine.passes(60, rebooted=True)
    gap = machine.starts(190 * S, WALL + 90 * S).gap
    assert (gap.from_ns, gap.passed_ns) == (190 * S, 20 * S)


def test_time_never_runs_behind_the_log(machine):
    """A data folder from another machine, or one whose file was lost."""
    machine.boot = "another"
    base = machine.starts(900 * S, WALL - 5 * S)
    assert base.of(machine.mono) == 900 * S
    assert base.gap == Gap(900 * S, 900 * S, 5 * S, measured=False)


@pytest.mark.parametrize(
    "text", [None, "{", "[]", '{"boot_id": "a", "offset_ns": 7}', '{"watched": [1]}']
)
def test_a_new_table_and_one_whose_file_is_spoilt_have_the_machine_s_time(machine, text):
    if text is not None:
        (machine.folder / "timebase.json").write_text(text, "ascii")
    base = machine.starts()
    assert (base.offset_ns, base.gap) == (0, None)


@pytest.mark.parametrize("asleep", [True, False], ids=["suspended", "stopped"])
def test_a_process_that_stood_still_finds_it_out_once(machine, asleep):
    base = machine.starts()
    watch = PauseWatch(machine.folder, base, lambda: base.of(machine.mono))
    machine.passes(RESTARTED_NS // S)
    assert watch.look() is None
    before = base.of(machine.mono)
    watch.reached(before)
    machine.passes(2400, asleep=asleep)
    gap = Gap(before, before + (0 if asleep else 2400 * S), 2400 * S, measured=True)
    watch._stir()  # its own thread may be the first to run again
    assert (watch.look(), watch.look()) == (gap, None)


SETTINGS = {
    "camera": {"kind": "file", "path": "there-is-none.mp4"},
    "buttons": {"kind": "web"},
    "serve": {"on": False},
    "rulebook": "naspa-2017",
}
AT_WORK = """
import json, sys, threading, time
from pathlib import Path
from table.config import TableConfig
from table.desk import PlayerPress
from table.live import opened
from table.real_devices import run_real
from tests.table.conftest import FakeReader
note = Path(sys.argv[1]) / "timebase.json"
config = TableConfig.model_validate(json.loads(sys.argv[2]))
with opened(config, Path(sys.argv[1]), str, None, FakeReader()) as table:
    def play():
        seq = table.desk.post(PlayerPress("right", table.now_ns())).seq
        pressed_ns = table.log.events(after=seq - 1)[0].mono_ns
        while json.loads(note.read_text("ascii"))["watched"][0] <= pressed_ns:
            time.sleep(0.02)
        print("watched", flush=True)
    threading.Thread(target=play, daemon=True).start()
    run_real(table)
"""


def killed_in_mid_game(folder):
    """The left player's clock runs as the process is killed."""
    command = [sys.executable, "-c", AT_WORK, str(folder), json.dumps(SETTINGS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"watched\n"
        process.kill()


def noted(folder, **changes):
    """Change what the killed process left about its time; ``ago_s``: that it was so long ago."""
    path = folder / "timebase.json"
    note = json.loads(path.read_text("ascii"))
    ago_ns = changes.pop("ago_s", 0) * S
    table_ns, since_boot_ns, wall_ns = note["watched"]
    note["watched"] = [table_ns, since_boot_ns - ago_ns, wall_ns - ago_ns]
    path.write_text(json.dumps({**note, **changes}), "ascii")


def watched_again(folder):
    with opened(TableConfig.model_validate(SETTINGS), folder, str, None, FakeReader()) as table:
        return table.session.state


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a table whose process was killed, to be copied."""
    folder = tmp_path_factory.mktemp("killed")
    killed_in_mid_game(folder)
    return folder


@pytest.fixture
def folder(killed, tmp_path):
    for path in killed.glob("t*"):  # its log and its time base
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "measured", "length"),
    [
        ({"ago_s": 2400}, True, "for 40:"),
        ({"ago_s": 2400, "boot_id": "another"}, False, "for 40:"),
        ({"ago_s": -3600, "boot_id": "another"}, False, "how long is not known"),
    ],
    ids=["a process that was dead", "a power cut", "a wall clock that went back"],
)
def test_time_that_nobody_watched_is_nobodys_and_is_asked_about(folder, changes, measured, length):
    noted(folder, **changes)
    state = watched_again(folder)
    assert (state.status, state.clocks.running, state.end_reason) == ("running", None, None)
    left = state.clocks.remaining_ns["left"]
    assert state.rulebook.clock_ns - 60 * S < left <= state.rulebook.clock_ns
    (flag,) = state.flags
    assert (flag.code, flag.side, length in flag.message) == ("time_unseen", "left", True)
    with EventLog(folder / "tilewatch.db") as log:
        events = [from_payload(e.payload) for e in log.events(state.game_id)]
    (gap,) = (event for event in events if isinstance(event, TimeUnseen))
    assert (gap.measured, gap.runs_on) == (measured, False)
    assert fold(events) == state


def test_a_process_that_is_back_at_once_has_the_clock_run_on_with_the_gap_left_out(folder):
    noted(folder, ago_s=-3600)  # so that no time passes, however busy the machine is
    state = watched_again(folder)
    assert (state.clocks.running, state.flags) == ("left", ())


def test_the_clocks_stand_when_the_machine_wakes_from_sleep_in_a_game(sit, put):
    sat = sit()
    sat.session.time_unseen(Gap(0, 0, 2400 * S, measured=True))
    assert "TimeUnseen" not in sat.logged()
    begun(sat, put)
    now = sat.now_ms * 1_000_000
    sat.session.time_unseen(Gap(now, now, 2400 * S, measured=True))
    assert (sat.phase, sat.state.clocks.running) == ("interrupted", None)
    assert [flag.code for flag in sat.state.flags] == ["time_unseen"]
    sat.video(0.1, EMPTY)
    assert sat.session.recorder.lost.between(0, sat.now_ms * 1_000_000)  # the sleep was no film
