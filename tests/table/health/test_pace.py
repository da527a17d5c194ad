"""A computer that does not keep up with its camera says so, and when it does again."""

from __future__ import annotations

import numpy as np

from sensors.interfaces import Frame
from table.health.limits import BEHIND_NS, KEEPS_UP_NS
from table.health.lost_pictures import LostPictures
from table.health.pace import Pace

SECOND = 1_000_000_000
PICTURE = np.zeros((1, 1, 3), np.uint8)


class Told:
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
        self.reported = Told()
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
