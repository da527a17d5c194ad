"""A running table: its inbox, its devices, and the command."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

from game.events import GameStarted, to_payload
from record.log.event_log import EventLog
from sensors.errors import SensorError
from sensors.interfaces import Frame, Press
from sensors.recording import Recording
from table import device_reader
from table.config import TableConfig
from table.device_reader import read_forever
from table.health.watchdog import Heartbeat
from table.inbox import Inbox
from table.live import set_on_table

GAME = """\
#character-encoding UTF-8
#player1 Ann Ann
#player2 Bob Bob
>Ann: CATERSI 8G CAT +10 10
"""


def frame(t_ns: int) -> Frame:
    return Frame(np.zeros((1, 1, 3), np.uint8), t_ns, t_ns)


def test_of_too_many_frames_the_oldest_are_dropped_and_presses_never():
    inbox = Inbox()
    for t_ns in range(10):
        inbox.put(frame(t_ns))
        inbox.put(Press("left", t_ns))
    got = [inbox.get(0) for _ in range(14)]
    assert [item.t_ns for item in got if isinstance(item, Press)] == list(range(10))
    assert [item.t_ns for item in got if isinstance(item, Frame)] == [7, 8, 9]
    assert got[-1] is None


def test_a_frame_comes_before_a_press_of_the_same_moment():
    inbox = Inbox()
    inbox.put(Press("left", 5))
    inbox.put(frame(5))
    assert isinstance(inbox.get(0), Frame)
    assert isinstance(inbox.get(0), Press)


def test_a_waiting_loop_can_be_woken():
    inbox = Inbox()
    threading.Timer(0.05, inbox.wake).start()
    assert inbox.get(30) is None


class Flaky:
    """A camera that fails twice before it works, and then ends."""

    opened = 0

    def __init__(self) -> None:
        Flaky.opened += 1
        if Flaky.opened < 3:
            raise SensorError("no camera at /dev/video0; plug it in")

    def frames(self):
        yield frame(1)
        yield frame(2)

    def close(self) -> None:
        pass


def test_a_device_that_fails_is_opened_again(monkeypatch, caplog):
    monkeypatch.setattr(device_reader, "PATIENCE_S", (0.01,))
    Flaky.opened = 0
    stop, got = threading.Event(), []

    def put(item) -> None:
        got.append(item.t_ns)
        if len(got) == 4:
            stop.set()

    read_forever(Flaky, put, stop, Heartbeat("camera", steady=True))
    assert got == [1, 2, 1, 2]
    assert Flaky.opened == 4
    assert "no camera at /dev/video0" in caplog.text
    assert "the device has ended" in caplog.text


def test_a_device_that_stays_away_is_not_logged_for_ever(monkeypatch, caplog):
    monkeypatch.setattr(device_reader, "PATIENCE_S", (0.0, 0.001))
    stop, reported = threading.Event(), []

    def away():
        raise SensorError("no camera" if len(reported) < 10 else "no permission")

    def failed(why) -> None:
        reported.append(why)
        if len(reported) == 13:
            stop.set()

    read_forever(away, lambda _: None, stop, Heartbeat("camera", steady=True), failed)
    assert len(reported) == 13
    assert caplog.text.count("no camera; tried again") == 2
    assert caplog.text.count("no permission; tried again") == 1


class Clockwork:
    """A camera that gives one picture and is gone, each time; a clock that it moves."""

    def __init__(self, lasts_s: float) -> None:
        self.now_s, self.lasts_s = 0.0, lasts_s

    def frames(self):
        yield frame(1)
        self.now_s += self.lasts_s
        yield frame(2)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("lasts_s", "waits"), [(1.0, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]), (30.0, [0.5] * 6)]
)
def test_a_camera_that_flaps_is_not_trusted_by_its_first_picture(lasts_s, waits):
    camera, waited, reported = Clockwork(lasts_s), [], []

    class Stop:
        def is_set(self) -> bool:
            return len(waited) == 6

        def wait(self, seconds: float) -> None:
            waited.append(seconds)

    read_forever(
        lambda: camera,
        lambda _: None,
        Stop(),
        Heartbeat("camera", steady=True),
        reported.append,
        lambda: camera.now_s,
    )
    assert waited == waits
    assert reported == [None, "the device has ended"] * 6


def test_the_command_records_a_whole_game_and_a_recording_of_it(tmp_path):
    (tmp_path / "game.gcg").write_text(GAME, "utf-8")
    (tmp_path / "table.toml").write_text(
        '[simulated]\ngcg = "game.gcg"\nspeed = 0\ngames = 1\npace = "brisk"\n'
        "[serve]\non = false\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "table.cli", "run", "--config", str(tmp_path / "table.toml")]
    command += ["--data", str(tmp_path / "data"), "--record", str(tmp_path / "kept")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout) == (0, "")
    simulated, waiting = done.stderr.splitlines()[:2]
    assert simulated.startswith("this table is simulated")
    assert waiting.startswith("Table 1: waiting, table-1-")
    with EventLog(tmp_path / "data" / "tilewatch.db", readonly=True) as log:
        types = [event.type for event in log.events()]
        assert log.verify() is None
    assert types[0] == "GameStarted"
    assert types.count("PlayersNamed") == 1
    assert types.count("TurnSeen") == 1
    recording = Recording.open(tmp_path / "kept")
    assert [press.button for press in recording.button_presses] == ["right", "left"]
    assert len(recording.frame_paths) > 20


def test_a_table_that_is_taken_up_reads_the_set_of_its_game(tmp_path):
    start = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "german", None, 0)
    with EventLog(tmp_path / "tilewatch.db") as log:
        assert set_on_table(TableConfig(), log) == "english"
        log.append("g", to_payload(start), mono_ns=0, source="recorder")
        assert set_on_table(TableConfig(), log) == "german"
