"""A running table: its inbox and devices, presses held to their times, and stop signals heeded."""

from __future__ import annotations

import gc
import http.client
import itertools
import json
import os
import pty
import signal
import ssl
import subprocess
import sys
import termios
import threading
import time
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from dashboard.director.concerns import of_trouble
from game.board import Board
from game.events import ButtonPressed, GameStarted, from_payload, to_payload
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Press, SensorError
from sensors.recording import Recording
from table import real_devices, running
from table.certificates import AUTHORITY, FOLDER
from table.commands.terminal import AGAIN_S, interrupted_by_signals
from table.config import Buttons, Camera, Serve, SimulatedOptions, TableConfig
from table.desk import NewGame, PendingPost, PlayerPress
from table.game_setup import GameSetup
from table.health.watchdog import Heartbeat
from table.inbox import Inbox
from table.live import opened, set_on_table
from table.real_devices import DeviceReader, run_real
from table.running import give_back_freed, shown_frame
from table.serving import serve_pages
from tests.machine import PATIENCE_S, until
from tests.sensors.phonekit import jpeg

from .conftest import FakeReader

MS = 1_000_000


@pytest.fixture
def table(tmp_path):
    """A table that stands still at one moment."""
    config = TableConfig(simulated=SimulatedOptions(speed=0), serve=Serve(on=False))
    with opened(config, tmp_path, lambda _: None, None, FakeReader()) as running:
        yield running


def posted(table, button: str, after_ms: int):
    """What a page is told of its press, so long after (or before) now."""
    post = PendingPost(PlayerPress(button, table.now_ns() + after_ms * MS))
    table._take_posted(post)
    return post.wait(1)


def logged(table):
    events = (from_payload(event.payload) for event in table.log.events())
    return [event.button for event in events if isinstance(event, ButtonPressed)]


def test_a_page_whose_button_is_hit_twice_has_pressed_once(table):
    assert posted(table, "right", -900).done
    assert posted(table, "left", -500).done
    again = posted(table, "left", -300)
    assert again.refused == "pressed twice at once: taken as one press"
    assert logged(table) == ["right", "left"]
    assert troubles(table) == [("button_double", "left")]
    assert [event.source for event in table.log.events() if event.type == "ButtonPressed"] == [
        "page",
        "page",
    ]


def test_what_a_page_claimed_and_when_it_was_heard_is_logged(table):
    now = table.now_ns()
    post = PendingPost(PlayerPress("right", now - MS, claimed_ns=now - 4000 * MS, heard_ns=now))
    table._take_posted(post)
    assert post.wait(1).done
    assert posted(table, "left", 0).done
    first, second = (e.payload for e in table.log.events() if e.type == "ButtonPressed")
    assert (first["t_ns"], first["claimed_ns"], first["heard_ns"]) == (
        now - MS, now - 4000 * MS, now,
    )  # fmt: skip
    assert "claimed_ns" not in second  # as every press was logged before


def test_a_press_is_never_later_than_now_and_one_that_took_too_long_is_not_taken(table):
    assert posted(table, "right", 400).done
    (event,) = [event for event in table.log.events() if event.type == "ButtonPressed"]
    assert event.mono_ns == table.now_ns()
    assert "too old" in (posted(table, "left", -11_000).refused or "")
    assert logged(table) == ["right"]


def test_keys_are_presses_and_the_terminal_shows_what_is_typed_again_at_the_end(
    tmp_path, monkeypatch
):
    ours, theirs = pty.openpty()
    config = TableConfig(
        camera=Camera(kind="webcam", device="/dev/null/none"),
        buttons=Buttons(kind="keyboard"),
        serve=Serve(on=False),
    )
    output = []
    with os.fdopen(theirs, encoding="ascii") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with opened(config, tmp_path, output.append, None, FakeReader()) as table:
            loop = threading.Thread(target=run_real, args=(table,))
            loop.start()
            try:
                until(lambda: not shows(terminal))  # what was typed before is dropped then
                os.write(ours, b"zz")  # the finger bounces
                until(lambda: ("button_double", "left") in troubles(table))
                time.sleep(0.1)  # sooner would be both at once
                os.write(ours, b"mx ")
                until(lambda: len(logged(table)) == 3)
            finally:
                table.stop.set()
                loop.join(PATIENCE_S)
            assert logged(table) == ["left", "right", "neutral"]
        assert shows(terminal)
    os.close(ours)
    assert any("z ends the left player's turn" in line for line in output)


def troubles(table) -> list[tuple[str, str]]:
    return [(one.code, one.what) for one in table.desk.trouble()]


def shows(terminal) -> bool:
    return bool(termios.tcgetattr(terminal.fileno())[3] & termios.ECHO)


def test_no_letters_are_shown_over_a_board_that_has_turned_since_they_were_read(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, first)
    live.press("right", 950)
    last = Frame(live.frame(1000, first), 1000 * MS, live.seq)
    shown = shown_frame(last, live.recorder)
    assert (shown.rows, shown.looked) == (first.rows, True)
    turned = put("G8", "CAT")
    for t_ms in (1100, 1200):
        shown = shown_frame(Frame(live.frame(t_ms, turned), t_ms * MS, live.seq), live.recorder)
        assert (shown.corners, shown.rows, shown.read_ns, shown.looked) == (None,) * 3 + (False,)
    live.video(1300, 1700, turned)
    shown = shown_frame(Frame(live.frame(1700, turned), 1700 * MS, live.seq), live.recorder)
    assert shown.rows == turned.rows


def test_a_picture_at_rest_in_which_no_board_was_found_says_so(live):
    for t_ms in range(0, 600, 100):
        image = live.frame(t_ms, Board.empty(), blind=True)
    shown = shown_frame(Frame(image, 500 * MS, live.seq), live.recorder)
    assert (shown.corners, shown.looked) == (None, True)


def test_a_computer_that_cannot_keep_up_says_so_at_the_desk_in_the_terminal_and_in_the_log(
    tmp_path, drawn
):
    config = TableConfig(
        camera=Camera(kind="webcam", device="/dev/null/none"),
        buttons=Buttons(kind="web"),
        serve=Serve(on=False),
    )
    reader, lines = FakeReader(), []
    image = drawn(Board.empty())
    reader.teach(image, Board.empty())
    with opened(config, tmp_path, lines.append, None, reader) as table:
        table.take(Frame(image, table.now_ns() - 3_400 * MS, 0))
        (begun,) = table.desk.trouble()
        assert begun.code == "too_slow"
        assert begun.message.startswith("this computer cannot keep up with its camera")
        assert "3.4 s after they were taken" in begun.message
        assert begun.message in lines
        assert [e.payload["code"] for e in table.log.events() if e.type == "TroubleNoted"] == [
            "too_slow"
        ]
        assert of_trouble(begun).level == "trouble"


STATM = Path("/proc/self/statm")


def resident() -> int:
    """The process's memory, in bytes."""
    return int(STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not STATM.exists(), reason="needs Linux's /proc")
def test_what_was_freed_between_things_that_stay_is_given_back():
    give_back_freed()
    kept, freed = [], []
    for _ in range(1600):  # 100 MB in pieces that the C library keeps, and a small one after each
        freed.append(np.ones(64_000, np.uint8))
        kept.append(np.ones(2_000, np.uint8))
    full = resident()
    freed.clear()
    give_back_freed()
    assert full - resident() > 80_000_000
    assert all(one.all() for one in kept)


def test_a_table_gives_back_what_a_game_has_freed_when_the_next_begins(tmp_path, monkeypatch):
    times = []
    monkeypatch.setattr(running, "give_back_freed", lambda: times.append(1))
    config = TableConfig(simulated=SimulatedOptions(speed=0), serve=Serve(on=False))
    with opened(config, tmp_path, lambda _: None, None, FakeReader()) as table:
        table.after_item()
        assert times == []
        setup = GameSetup("english", "wespa-2021")
        table.session.make_ready(NewGame(setup=setup, source="page"))
        table.after_item()
        table.after_item()
    assert times == [1]


class Finalized:
    """Gets a signal while its finalizer runs, where Python drops what is raised."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(100):
            time.sleep(0)


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts(which):
    before = signal.getsignal(which)
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        os.kill(os.getpid(), which)
        time.sleep(PATIENCE_S)
    assert signal.getsignal(which) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_signal_that_a_finalizer_swallows_comes_again(monkeypatch):
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: dropped.append(found.exc_type))
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        Finalized()
        gc.collect()
        time.sleep(PATIENCE_S)
    assert dropped == [KeyboardInterrupt]


def test_cleaning_up_after_a_signal_is_not_interrupted_again():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(PATIENCE_S)
        finally:
            until = time.monotonic() + 2.5 * AGAIN_S
            while time.monotonic() < until:
                try:
                    raise OSError("one of its own")
                except OSError:
                    time.sleep(0.01)
            done.append(True)
    assert done == [True]


GAME = """\
#character-encoding UTF-8
#player1 Ann Ann
#player2 Bob Bob
>Ann: CATERSI 8G CAT +10 10
"""


def frame(t_ns: int) -> Frame:
    return Frame(np.zeros((1, 1, 3), np.uint8), t_ns, t_ns)


def given(inbox: Inbox) -> list[tuple[type, int]]:
    """All that it gives out without waiting."""
    return [(type(item), item.t_ns) for item in iter(lambda: inbox.get(0), None)]


def test_a_slow_loop_is_given_the_newest_frames_before_each_press_and_of_all():
    inbox = Inbox()
    for t_ns in range(30):
        inbox.put(frame(t_ns))
        if t_ns % 10 == 5:
            inbox.put(Press("left", t_ns))
    assert given(inbox) == [
        *((Frame, 3), (Frame, 4), (Frame, 5), (Press, 5)),
        *((Frame, 13), (Frame, 14), (Frame, 15), (Press, 15)),
        *((Frame, 23), (Frame, 24), (Frame, 25), (Press, 25)),
        *((Frame, 27), (Frame, 28), (Frame, 29)),
    ]


def test_a_press_waits_for_the_pictures_from_before_it(monkeypatch):
    inbox = Inbox()
    for t_ns in (0, 10):
        inbox.put(frame(t_ns))
    inbox.put(Press("left", 35))
    inbox.put(Press("right", 45))
    assert given(inbox) == [(Frame, 0), (Frame, 10)]
    inbox.put(frame(20))
    assert given(inbox) == [(Frame, 20)]
    inbox.put(frame(30))  # the next is taken at 40
    assert given(inbox) == [(Frame, 30), (Press, 35)]
    monkeypatch.setattr("table.inbox.PATIENCE_S", 0.05)
    assert inbox.get(1) == Press("right", 45)  # the camera has failed
    inbox.put(Press("left", 90))
    assert inbox.get(0) == Press("left", 90)


def test_it_is_quiet_only_while_the_process_runs(monkeypatch):
    inbox = Inbox()
    inbox.put(frame(0))
    assert inbox.get(0) is not None
    until(lambda: inbox.get(0.5) is None and inbox.quiet)
    inbox.put(frame(1))
    assert inbox.get(0) is not None
    assert not inbox.quiet
    monkeypatch.setattr("table.inbox.time.monotonic", itertools.count(step=5.0).__next__)
    assert inbox.get(0.5) is None  # it has stood still for five seconds at each step
    assert not inbox.quiet


def test_a_waiting_loop_can_be_woken():
    inbox = Inbox()
    threading.Timer(0.05, inbox.wake).start()
    assert inbox.get(30) is None


def test_a_device_that_stays_away_is_not_logged_for_ever(monkeypatch, caplog):
    monkeypatch.setattr(real_devices, "PATIENCE_S", (0.0, 0.001))
    stop, reported = threading.Event(), []

    def away():
        raise SensorError("no camera" if len(reported) < 10 else "no permission")

    def failed(why) -> None:
        reported.append(why)
        if len(reported) == 13:
            stop.set()

    DeviceReader(away, lambda _: None, Heartbeat("camera", steady=True), failed).run(stop)
    assert len(reported) == 13
    assert caplog.text.count("no camera; tried again") == 2
    assert caplog.text.count("no permission; tried again") == 1


class Clockwork:
    """A camera that gives one picture and is gone, each time; a clock that it moves."""

    def __init__(self, lasts_s: float) -> None:
        self.now_s, self.lasts_s = 0.0, lasts_s

    def deliver(self, take):
        take(frame(1))
        self.now_s += self.lasts_s
        take(frame(2))

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

    DeviceReader(
        lambda: camera,
        lambda _: None,
        Heartbeat("camera", steady=True),
        reported.append,
        clock=lambda: camera.now_s,
    ).run(Stop())
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


API = "/tables/1/camera/api"


class Phone:
    """A phone's page, over a real connection."""

    def __init__(self, link: str, authority) -> None:
        parts = urlsplit(link)
        context = ssl.create_default_context(cafile=authority)
        self.line = http.client.HTTPSConnection(parts.netloc, context=context, timeout=PATIENCE_S)
        self.key = ""
        self.key = self.ask("POST", "pair", {"code": parts.fragment})["key"]
        self.ask("POST", "state", {"page": "p", "state": "starting"})
        number = self.ask("GET", f"time?page=p&key={self.key}")["number"]
        self.now_ns = self.ask("GET", f"time?page=p&key={self.key}&echo={number}")["now_ns"]

    def ask(self, method: str, what: str, body: object = None, **headers: str):
        data = body if isinstance(body, bytes) else json.dumps(body)
        kind = {"Content-Type": "application/json", "X-Camera-Key": self.key}
        self.line.request(method, f"{API}/{what}", data, {**kind, **headers})
        with self.line.getresponse() as answer:
            return json.load(answer)

    def send(self, shade: int) -> bool:
        headers = {"X-Page": "p", "X-Captured": str(time.monotonic_ns()), "X-Stamp": "capture"}
        return self.ask("POST", "picture", jpeg(400, 400, shade), **headers)["taken"]


@pytest.fixture
def phoned(tmp_path):
    """The table at work, and the lines that it has said."""
    config = TableConfig(
        camera=Camera.model_validate({"kind": "phone", "fps": 30}),
        buttons=Buttons(kind="web"),
        serve=Serve(port=0, https=True),
    )
    output: list[str] = []
    reader = FakeReader(taught=defaultdict(lambda: None))  # sees no board anywhere
    with opened(config, tmp_path, output.append, reader=reader) as table:
        serve_pages(table)
        loop = threading.Thread(target=run_real, args=(table,))
        loop.start()
        yield table, output
        table.stop.set()
        loop.join(PATIENCE_S)


def test_a_phone_is_paired_by_the_link_that_is_printed_and_its_pictures_reach_the_loop(
    phoned, tmp_path
):
    table, output = phoned
    lost = ("camera_lost", "phone: no phone is connected")
    until(lambda: any(one.code == lost[0] for one in table.desk.trouble()))
    (link,) = [line.split()[-1] for line in output if "pair the phone" in line]
    assert any("SHA-256 fingerprint" in line for line in output)
    phone = Phone(link, tmp_path / FOLDER / AUTHORITY)
    assert abs(phone.now_ns - time.monotonic_ns()) < PATIENCE_S * 1e9

    def back() -> bool:
        phone.send(60 + time.monotonic_ns() // 10_000_000 % 100)
        return not table.desk.trouble()

    until(back)
    newest = table.desk.picture().frame
    assert newest.image.shape == (400, 400, 3)
    assert 0 <= table.now_ns() - newest.t_ns < PATIENCE_S * 1e9
    phone.ask("POST", "state", {"page": "p", "state": "refused"})
    until(lambda: any("was not allowed" in one.message for one in table.desk.trouble()))
    until(back)
    phone.line.close()
