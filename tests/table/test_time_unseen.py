"""A table that is killed in mid-game, and what its clocks say when somebody watches again."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from game.events import GameStarted, TimeUnseen, UnseenTimeCharged, from_payload
from game.state.fold import fold
from record.log.event_log import EventLog
from table.config import TableConfig
from table.live import opened
from table.time_base import Gap

from .conftest import FakeReader
from .sessionkit import EMPTY
from .sessionkit import opened as begun

S = 1_000_000_000
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
from table.live import opened
from table.real_devices import run_real
from tests.table.conftest import FakeReader
note = Path(sys.argv[1]) / "timebase.json"
config = TableConfig.model_validate(json.loads(sys.argv[2]))
with opened(config, Path(sys.argv[1]), str, None, FakeReader()) as table:
    def play():
        seq = table.desk.press("right").seq
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
    ("changes", "measured"),
    [({"ago_s": 2400}, True), ({"ago_s": 2400, "boot_id": "another"}, False)],
    ids=["a process that was dead", "a power cut"],
)
def test_forty_minutes_that_nobody_watched_are_nobodys_and_are_asked_about(
    folder, changes, measured
):
    noted(folder, **changes)
    state = watched_again(folder)
    assert (state.status, state.clocks.running, state.end_reason) == ("running", None, None)
    left = state.clocks.remaining_ns["left"]
    assert state.rulebook.clock_ns - 60 * S < left <= state.rulebook.clock_ns
    (flag,) = state.flags
    assert (flag.code, flag.side) == ("time_unseen", "left")
    assert "for 40:" in flag.message
    with EventLog(folder / "tilewatch.db") as log:
        events = [from_payload(e.payload) for e in log.events(state.game_id)]
    (gap,) = (event for event in events if isinstance(event, TimeUnseen))
    assert (gap.measured, gap.runs_on) == (measured, False)
    assert fold(events) == state


def test_a_wall_clock_that_went_back_gives_no_length(folder):
    noted(folder, ago_s=-3600, boot_id="another")
    state = watched_again(folder)
    assert state.clocks.running is None
    assert "how long is not known" in state.flags[0].message


def test_a_process_that_is_back_at_once_has_the_clock_run_on_with_the_gap_left_out(folder):
    noted(folder, ago_s=0)
    state = watched_again(folder)
    if any(flag.code == "time_unseen" for flag in state.flags):
        pytest.skip("this machine took longer than a restart may")
    assert state.clocks.running == "left"


def test_the_clocks_stand_when_the_machine_wakes_from_sleep(sit, put):
    sat = sit()
    begun(sat, put)
    now = sat.now_ms * 1_000_000
    sat.session.time_unseen(Gap(now, now, 2400 * S, measured=True))
    assert (sat.phase, sat.state.clocks.running) == ("interrupted", None)
    sat.video(0.1, EMPTY)
    assert sat.session.recorder.lost.between(0, sat.now_ms * 1_000_000)  # the sleep was no film
    number = len(sat.state.progress.events)
    charge = UnseenTimeCharged(number, "right", 60 * S, "TD", "", now)
    assert sat.rule(charge).refused is None
    assert sat.state.flags == ()


def test_a_game_that_waits_notes_no_gap(sit):
    sat = sit()
    sat.session.time_unseen(Gap(0, 0, 2400 * S, measured=True))
    (started, *rest) = sat.state.progress.events
    assert isinstance(started, GameStarted)
    assert all(not isinstance(event, TimeUnseen) for event in rest)
