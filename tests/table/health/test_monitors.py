"""A table's trouble is told once, shown while it lasts, and told to be over.

Also how long it has had no picture, and whether its computer keeps up.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sensors.interfaces import Frame
from sensors.reports import DeviceReport
from table.devices import alert_of
from table.health.alerts import ActiveAlerts, Alert
from table.health.camera_monitor import CameraWatch
from table.health.limits import BEHIND_NS, KEEPS_UP_NS
from table.health.lost_pictures import LostPictures
from table.health.monitor import HealthMonitor
from table.health.pace import Pace
from vision.tracking.seen_turn import PendingTurn


class Log:
    def __init__(self) -> None:
        self.trouble: str | None = None
        self.repairs: tuple[str, ...] = ()
        self.held, self.retried = 0, 0

    def retry(self) -> bool:
        self.retried += 1
        return False


class Table:
    """Troubles over a log and a recorder whose fate the test decides."""

    def __init__(self, trouble: str | None = None) -> None:
        self.log, self.output, self.now = Log(), [], 0.0
        self.log.trouble = trouble
        self.alerts = ActiveAlerts()
        self.recorder = SimpleNamespace(
            pictures=SimpleNamespace(trouble=None),
            held=None,
            state=SimpleNamespace(players={"left": "Ann", "right": "Bob"}),
        )
        self.noted = []
        self.monitor = HealthMonitor(
            self.log,
            self.output.append,
            self.alerts,
            self.noted.append,
            lambda: round(self.now),
            lambda: self.now,
        )

    def look(self, after: float = 1.0) -> None:
        self.now += after
        self.monitor.look(self.recorder)

    def wrong(self) -> list[tuple[str, int]]:
        return [(condition.code, condition.since_ns) for condition in self.alerts.now()]


def test_each_change_is_said_once_and_what_is_held_tried_again():
    table = Table()
    table.look(0)
    assert (table.output, table.log.retried) == ([], 0)
    table.log.trouble, table.log.held = "disk full", 3
    table.recorder.pictures.trouble = "no room for pictures"
    table.look(0)  # within the same second
    assert table.output == []
    for _ in range(3):
        table.look()
    assert table.output == ["disk full", "no room for pictures"]
    assert table.wrong() == [("log", 1), ("pictures", 1)]
    assert table.log.retried == 3
    table.log.trouble, table.log.held, table.recorder.pictures.trouble = None, 0, None
    table.look()
    assert table.output[2:] == ["the log can be written again", "the pictures can be written again"]
    assert table.wrong() == []


def test_another_line_of_what_still_stands_is_said_and_keeps_its_time():
    table = Table()
    for trouble in ("disk full", "disk read-only", "disk read-only"):
        table.log.trouble = trouble
        table.look()
    assert table.output == ["disk full", "disk read-only"]
    assert [(c.message, c.since_ns) for c in table.alerts.now()] == [("disk read-only", 1)]


def test_what_was_said_at_the_start_is_shown_and_not_said_again():
    table = Table("disk full")
    table.look(5.0)
    assert table.output == []
    assert table.wrong() == [("log", 0)]


def test_what_the_pairings_leave_open_stands_until_it_is_clear():
    table, doubts = Table(), [None, "which game?", "which game?", None]
    for doubt in doubts:
        table.now += 1
        table.monitor.look(table.recorder, lambda doubt=doubt: doubt)
        assert [code for code, _ in table.wrong()] == (["pairings"] if doubt else [])
    assert table.output == ["which game?", "the pairings are clear again"]
    assert table.noted == []


def test_a_turn_that_is_held_open_is_shown_with_the_time_of_its_press():
    table = Table()
    table.recorder.held = PendingTurn("right", 77, ())
    table.look(0.1)
    (condition,) = table.alerts.now()
    assert (condition.code, condition.since_ns) == ("board_covered", 77)
    assert "Bob’s turn is not scored yet" in condition.message
    table.recorder.held = None
    table.look(0.1)
    assert table.wrong() == []
    assert table.output == []


def test_a_device_that_fails_again_and_again_is_said_once_and_mended_once():
    table = Table()
    for t_ns in (10, 20):
        table.monitor.take(Alert("camera_lost", "no camera", t_ns))
    assert table.output == ["no camera"]
    assert table.wrong() == [("camera_lost", 10)]
    for _ in range(2):
        table.monitor.end("camera_lost")
    assert table.output == ["no camera", "the camera delivers pictures again"]
    assert [(event.code, event.state) for event in table.noted] == [
        ("camera_lost", "begins"),
        ("camera_lost", "over"),
    ]


def test_what_may_matter_in_a_dispute_is_noted_and_what_the_log_cannot_tell_is_not():
    table = Table("disk full")
    table.recorder.held = PendingTurn("right", 77, ())
    table.look()
    table.monitor.take(Alert("button_double", "left twice", 5, "left", stands=False))
    table.monitor.take(Alert("button_double", "left twice", 9, "left", stands=False))
    table.log.trouble = table.recorder.held = None
    table.look()
    assert [(e.code, e.what, e.state, e.t_ns) for e in table.noted] == [
        ("button_double", "left", "happened", 5),
        ("button_double", "left", "happened", 9),
    ]


MS = 1_000_000
RNG = np.random.default_rng(3)


class Told:
    """Takes the place of ``table.health.monitor.HealthMonitor``."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, int]] = []
        self.texts: list[str] = []

    def take(self, alert) -> None:
        self.texts.append(alert.message)
        kind = "end" if alert.over else "begin"
        self.lines.append((kind, alert.code, alert.since_ns // MS))

    def end(self, code, what="", message=None, t_ns=None) -> None:
        self.lines.append(("end", code, t_ns // MS))


def frame(t_ms: int, kind: str = "n") -> Frame:
    shape = (60, 80, 3) if kind == "s" else (120, 160, 3)
    image = RNG.integers(90, 110, shape, dtype=np.uint8)
    return Frame(np.zeros(shape, np.uint8) if kind == "d" else image, t_ms * MS, t_ms)


@pytest.fixture
def session():
    return SimpleNamespace(camera_lost=None, state=SimpleNamespace(timed=True))


def test_a_camera_is_lost_after_two_seconds_and_back_after_two_of_pictures(session):
    reported = Told()
    watch = CameraWatch(reported)
    watch.begin(0)
    watch.frame(frame(100))
    for t_ms in range(500, 4000, 500):
        watch.at(t_ms * MS, session)
    assert reported.lines == [("begin", "camera_lost", 100)]
    assert session.camera_lost == "no picture from the camera"
    for t_ms in range(4000, 6100, 100):
        watch.frame(frame(t_ms))
    assert reported.lines[1:] == [("end", "camera_lost", 6000), ("end", "camera_frozen", 6000)]


def test_one_picture_of_a_flapping_camera_is_not_believed(session):
    reported = Told()
    watch = CameraWatch(reported)
    watch.begin(0)
    for start in (3000, 6000, 9000):
        watch.at(start * MS - 1, session)
        watch.frame(frame(start))
        watch.frame(frame(start + 100))
        watch.lost()
    assert [line[:2] for line in reported.lines] == [("begin", "camera_lost")]


def test_a_table_that_waits_for_its_first_picture_says_so_too(session):
    reported = Told()
    watch = CameraWatch(reported)
    watch.begin(0)
    watch.at(2001 * MS, session)
    assert reported.lines == [("begin", "camera_lost", 0)]


@pytest.mark.parametrize("timed", [True, False])
def test_a_game_without_a_clock_does_not_go_on_by_it(session, timed):
    reported = Told()
    session.state.timed = timed
    watch = CameraWatch(reported)
    watch.begin(0)
    watch.at(2001 * MS, session)
    assert ("by the clock" in reported.texts[0]) == timed


def test_another_size_is_told_also_of_a_camera_that_was_replaced():
    reported = Told()
    watch = CameraWatch(reported)
    for t_ms, kind in ((0, "n"), (100, "n"), (5000, "s"), (5100, "s"), (5200, "n")):
        watch.frame(frame(t_ms, kind))
    resized = [("begin", "camera_resized", 5000), ("begin", "camera_resized", 5200)]
    assert reported.lines == resized
    assert "the camera went from" in reported.texts[0]
    assert "reading goes on at the new size" in reported.texts[0]


def test_a_simulated_camera_is_judged_by_its_pictures():
    reported = Told()
    watch = CameraWatch(reported, judge=True)
    for t_ms in range(0, 4000, 100):
        watch.frame(frame(t_ms, "d" if 1000 <= t_ms < 3000 else "n"))
    assert reported.lines[0] == ("begin", "camera_dark", 2400)
    assert ("end", "camera_dark", 3000) in reported.lines


@pytest.mark.parametrize(
    ("state", "stands", "over"),
    [("happened", False, False), ("begins", True, False), ("over", True, True)],
)
def test_a_report_of_a_device_becomes_an_alert(state, stands, over):
    alert = alert_of(DeviceReport("button_stuck", "left is stuck", 9, "left", state))
    assert alert == Alert("button_stuck", "left is stuck", 9, "left", stands, over)


SECOND = 1_000_000_000
PICTURE = np.zeros((1, 1, 3), np.uint8)


class Lines:
    """Takes the place of ``table.health.monitor.HealthMonitor``."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def take(self, alert) -> None:
        assert alert.code == "too_slow"
        self.lines.append(alert.message)

    def end(self, code, t_ns) -> None:
        self.lines.append(f"{code} is over at {t_ns / SECOND:g} s")


class Watched:
    """A camera of ten pictures a second, each looked at so late."""

    def __init__(self) -> None:
        self.reported = Lines()
        self.pace, self.lost = Pace(self.reported), LostPictures()

    def look(self, *seqs: int, late_ns: int = 0) -> None:
        for seq in seqs:
            frame = Frame(PICTURE, seq * SECOND // 10, seq)
            self.lost.frame(frame)
            self.pace.look(frame.t_ns, frame.t_ns + late_ns, self.lost)


def test_a_computer_that_keeps_up_says_nothing():
    watched = Watched()
    watched.look(*range(0, 300, 5), late_ns=BEHIND_NS)
    assert watched.reported.lines == []


def test_pictures_that_are_looked_at_late_are_told_until_they_no_longer_are():
    watched = Watched()
    watched.look(0, 1, late_ns=3 * SECOND)
    assert len(watched.reported.lines) == 2
    assert watched.reported.lines[-1] == (
        "this computer cannot keep up with its camera: it looks at pictures 3.0 s after they were "
        "taken"
    )
    watched.look(*range(2, 31 + KEEPS_UP_NS * 10 // SECOND))
    assert watched.reported.lines[2:] == []
    watched.look(32 + KEEPS_UP_NS * 10 // SECOND)
    assert watched.reported.lines[2:] == ["too_slow is over at 13.2 s"]


def test_pictures_that_are_dropped_are_told():
    watched = Watched()
    watched.look(0, 1, 20, 21, 40)
    assert len(watched.reported.lines) == 2
    assert watched.reported.lines[-1].endswith(": it has dropped 36 pictures since the last turn")


def test_a_loop_that_stood_still_is_told():
    watched = Watched()
    for at_ms in (0, 500, 1000, 4500):
        watched.pace.round(at_ms * 1_000_000)
    assert watched.reported.lines == [
        "this computer cannot keep up with its camera: for 3.5 s it took no picture"
    ]
