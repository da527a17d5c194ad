"""The table's time goes on as long as somebody watches; what nobody watched is a gap."""

from __future__ import annotations

import pytest

from game.events import GameStarted, PicturesDeleted, to_payload
from record.log.event_log import EventLog
from record.paths import DATABASE
from table import time_base
from table.build import last_event
from table.health.limits import RESTARTED_NS
from table.time_base import Gap, LastEvent, Watch, open_time_base

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

    def passes(self, seconds, *, asleep=False):
        self.mono += 0 if asleep else seconds * S
        self.since_boot += seconds * S
        self.wall += seconds * S

    def reboots(self, seconds, *, wall_s=None):
        """It is off for some time; the wall clock is then as it was, and so much on."""
        self.boot += "a"
        self.mono = self.since_boot = 20 * S
        self.wall += (seconds if wall_s is None else wall_s) * S

    def starts(self, last_ns=None, last_wall=None):
        last = None if last_ns is None else LastEvent(last_ns, last_wall or self.wall)
        return open_time_base(self.folder, last, boot=self.boot)

    def watches(self, base, until_s=0):
        """A process runs for some seconds and is killed."""
        watch = Watch(self.folder, base, lambda: base.of(self.mono))
        self.passes(until_s)
        watch.reached(base.of(self.mono))
        watch._write(synced=False)
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


def test_a_new_table_has_the_machine_s_time_and_no_gap(machine):
    base = machine.starts()
    assert (base.offset_ns, base.gap) == (0, None)


def test_a_process_that_is_back_in_seconds_finds_the_same_time_and_a_short_gap(machine):
    watched = machine.watches(machine.starts(), 50)
    machine.passes(3)
    machine.wall += 99_999 * S  # somebody has set it
    base = machine.starts(120 * S)
    assert base.of(machine.mono) == watched + 3 * S
    assert base.gap == Gap(watched, watched + 3 * S, 3 * S, measured=True)
    assert base.gap.short


def test_a_process_that_was_dead_for_forty_minutes_leaves_a_gap_of_them(machine):
    watched = machine.watches(machine.starts(), 50)
    machine.passes(2400)
    gap = machine.starts(120 * S).gap
    assert gap == Gap(watched, watched + 2400 * S, 2400 * S, measured=True)
    assert not gap.short


def test_a_machine_that_slept_between_two_processes_counts_the_sleep(machine):
    watched = machine.watches(machine.starts(), 50)
    machine.passes(2400, asleep=True)
    gap = machine.starts(120 * S).gap
    assert gap == Gap(watched, watched, 2400 * S, measured=True)
    assert not gap.short


@pytest.mark.parametrize(
    ("wall_s", "passed_s"),
    [(2400, 2400), (27 * 86_400, 27 * 86_400), (-500, None)],
    ids=["a right clock", "a clock that was set late", "a clock that went back"],
)
def test_over_a_reboot_the_table_s_time_stands_and_the_wall_clock_only_proposes(
    machine, wall_s, passed_s
):
    watched = machine.watches(machine.starts(), 50)
    machine.reboots(2400, wall_s=wall_s)
    base = machine.starts(120 * S, WALL + 20 * S)
    passed_ns = None if passed_s is None else passed_s * S
    assert base.gap == Gap(watched, watched, passed_ns, measured=False)
    assert not base.gap.short
    assert base.of(machine.mono) == watched
    # And from then on it is the machine's own, as before.
    again = machine.watches(base, 5)
    machine.passes(2)
    assert machine.starts(again).of(machine.mono) == again + 2 * S


def test_a_process_that_dies_before_it_watched_leaves_the_gap_as_it_was(machine):
    machine.watches(machine.starts(), 50)
    machine.reboots(2400)
    first = machine.starts(120 * S, WALL).gap
    assert machine.starts(120 * S, WALL).gap == first


def test_what_the_log_has_was_watched_though_the_note_is_older(machine):
    """In a power cut the note's last seconds may be lost; the log's events never are."""
    machine.watches(machine.starts(), 50)
    machine.reboots(60)
    gap = machine.starts(190 * S, WALL + 90 * S).gap
    assert (gap.from_ns, gap.passed_ns) == (190 * S, 20 * S)


def test_time_never_runs_behind_the_log(machine):
    """A data folder from another machine, or one whose file was lost."""
    machine.boot = "another"
    base = machine.starts(900 * S, WALL - 5 * S)
    assert base.of(machine.mono) == 900 * S
    assert base.gap == Gap(900 * S, 900 * S, 5 * S, measured=False)


@pytest.mark.parametrize("text", ["{", "[]", '{"boot_id": "a"}', '{"watched": [1]}'])
def test_a_spoilt_file_is_made_anew(machine, text):
    (machine.folder / "timebase.json").write_text(text, "ascii")
    assert machine.starts().offset_ns == 0


def test_a_file_of_an_earlier_version_is_read(machine):
    (machine.folder / "timebase.json").write_text('{"boot_id": "a", "offset_ns": 7}', "ascii")
    base = machine.starts(60 * S)
    assert base.of(machine.mono) == 100 * S + 7
    assert base.gap == Gap(60 * S, 100 * S + 7, 40 * S + 7, measured=True)


@pytest.mark.parametrize("asleep", [True, False], ids=["suspended", "stopped"])
def test_a_process_that_stood_still_finds_it_out_once(machine, asleep):
    base = machine.starts()
    watch = Watch(machine.folder, base, lambda: base.of(machine.mono))
    machine.passes(RESTARTED_NS // S)
    assert watch.look() is None
    before = base.of(machine.mono)
    watch.reached(before)
    machine.passes(2400, asleep=asleep)
    gap = Gap(before, before + (0 if asleep else 2400 * S), 2400 * S, measured=True)
    watch._stir()  # its own thread may be the first to run again
    assert (watch.look(), watch.look()) == (gap, None)


def test_the_note_is_kept_while_the_table_runs(machine):
    base = machine.starts()
    with Watch(machine.folder, base, lambda: base.of(machine.mono)) as watch:
        machine.passes(4)
        watch.reached(base.of(machine.mono))
    assert machine.starts(100 * S).gap.from_ns == 104 * S
