"""A running table: presses held to their times, memory given back, and stop signals heeded."""

from __future__ import annotations

import gc
import os
import pty
import signal
import sys
import termios
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from dashboard.director.concerns import trouble
from game.board import Board
from game.events import ButtonPressed, from_payload
from game.options import StrictOptions
from sensors.interfaces import Frame, Press
from sensors.keyboard import KeyboardButtons
from table import running
from table.config import Buttons, Camera, Serve, SimulatedOptions, TableConfig
from table.desk import NewGame, PendingPost
from table.game_setup import GameSetup
from table.live import opened
from table.memory import give_back_freed
from table.real_devices import run_real
from table.running import _shown
from table.stopping import AGAIN_S, interrupted_by_signals
from tests.machine import PATIENCE_S, until

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
    post = PendingPost(Press(button, table.now_ns() + after_ms * MS))
    table.answer(post)
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
    assert [(c.code, c.what) for c in table.desk.trouble()] == [("button_double", "left")]
    assert [event.source for event in table.log.events() if event.type == "ButtonPressed"] == [
        "page",
        "page",
    ]


def test_what_a_page_claimed_and_when_it_was_heard_is_logged(table):
    now = table.now_ns()
    post = PendingPost(Press("right", now - MS, claimed_ns=now - 4000 * MS, heard_ns=now))
    table.answer(post)
    assert post.wait(1).done
    assert posted(table, "left", 0).done
    first, second = (e.payload for e in table.log.events() if e.type == "ButtonPressed")
    assert (first["t_ns"], first["claimed_ns"], first["heard_ns"]) == (
        now - MS, now - 4000 * MS, now,
    )  # fmt: skip
    assert "claimed_ns" not in second  # as every press was logged before


def test_a_page_whose_wrong_half_is_hit_is_heard_and_said(table):
    assert posted(table, "right", -3000).done
    assert posted(table, "right", -1000).done
    assert [(c.code, c.what) for c in table.desk.trouble()] == [("button_same_side", "right")]
    assert table.session.state.clocks.running == "left"


def test_a_press_is_never_later_than_now_and_one_that_took_too_long_is_not_taken(table):
    assert posted(table, "right", 400).done
    (event,) = [event for event in table.log.events() if event.type == "ButtonPressed"]
    assert event.mono_ns == table.now_ns()
    assert "too old" in (posted(table, "left", -11_000).refused or "")
    assert logged(table) == ["right"]


def test_a_terminal_shows_what_is_typed_again_when_its_table_is_stopped(tmp_path, monkeypatch):
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
                until(lambda: not shows(terminal))
            finally:
                table.stop.set()
                loop.join(PATIENCE_S)
        assert shows(terminal)
    os.close(ours)
    assert any("z ends the left player's turn" in line for line in output)


def shows(terminal) -> bool:
    return bool(termios.tcgetattr(terminal.fileno())[3] & termios.ECHO)


def test_keys_are_held_to_the_same_times():
    ours, theirs = pty.openpty()
    output, got = [], []
    with os.fdopen(theirs, encoding="ascii") as stream:
        buttons = KeyboardButtons(StrictOptions(), output.append, stream=stream)
        reading = threading.Thread(target=lambda: got.extend(buttons.presses()))
        reading.start()
        until(lambda: not shows(stream))  # taking single keys drops what was typed before
        os.write(ours, b"zz")  # the finger bounces
        until(lambda: len(got) == 1 and len(output) == 1)
        time.sleep(0.1)  # sooner would be both at once
        os.write(ours, b"mx ")
        until(lambda: len(got) == 3)
        buttons.close()
        os.write(ours, b"\n")
        reading.join(PATIENCE_S)
    os.close(ours)
    assert [press.button for press in got] == ["left", "right", "neutral"]
    assert [(report.code, report.what) for report in output] == [("button_double", "left")]


def test_no_letters_are_shown_over_a_board_that_has_turned_since_they_were_read(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, first)
    live.press("right", 950)
    last = Frame(live.frame(1000, first), 1000 * MS, live.seq)
    shown = _shown(last, live.recorder)
    assert (shown.rows, shown.looked) == (first.rows, True)
    turned = put("G8", "CAT")
    for t_ms in (1100, 1200):
        shown = _shown(Frame(live.frame(t_ms, turned), t_ms * MS, live.seq), live.recorder)
        assert (shown.corners, shown.rows, shown.read_ns, shown.looked) == (None,) * 3 + (False,)
    live.video(1300, 1700, turned)
    shown = _shown(Frame(live.frame(1700, turned), 1700 * MS, live.seq), live.recorder)
    assert shown.rows == turned.rows


def test_a_picture_at_rest_in_which_no_board_was_found_says_so(live):
    for t_ms in range(0, 600, 100):
        image = live.frame(t_ms, Board.empty(), blind=True)
    shown = _shown(Frame(image, 500 * MS, live.seq), live.recorder)
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
        (alert,) = table.desk.trouble()
        assert alert.code == "too_slow"
        assert alert.message.startswith("this computer cannot keep up with its camera")
        assert "3.4 s after they were taken" in alert.message
        assert alert.message in lines
        assert [e.payload["code"] for e in table.log.events() if e.type == "TroubleNoted"] == [
            "too_slow"
        ]
        assert trouble(alert.code, alert.message).level == "trouble"


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
