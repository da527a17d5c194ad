"""How long a table has had no picture, and when a camera that was lost is believed again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sensors.interfaces import Frame
from sensors.reports import DeviceReport
from table.devices import alert_of
from table.health.alerts import Alert
from table.health.camera_monitor import CameraWatch

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


def test_another_size_is_told_with_what_becomes_of_the_reading():
    messages: list[str] = []

    class Reported(Told):
        def take(self, alert):
            messages.append(alert.message)
            super().take(alert)

    watch = CameraWatch(Reported())
    watch.frame(frame(0, "n"))
    watch.frame(frame(100, "s"))
    (text,) = messages
    assert "the camera went from" in text
    assert "reading goes on at the new size" in text


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
