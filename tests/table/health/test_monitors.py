"""A table's trouble is told once, shown while it lasts, and told to be over.

Also how long it has had no picture, and whether its computer keeps up.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from game.events import TroubleNoted
from game.troubles import make_trouble
from sensors.interfaces import Frame
from table.health.camera_monitor import Pace, PictureArrival
from table.health.limits import BEHIND_NS, KEEPS_UP_NS
from table.health.lost_pictures import LostPictures
from table.health.monitor import ActiveTroubles, HealthMonitor
from vision.tracking.turn_sightings import PendingTurn


class Table:
    """The health of a table whose log, recorder and camera the test decides."""

    def __init__(self, trouble: str | None = None, *, judge: bool = False) -> None:
        self.retried, self.now = 0, 0.0
        self.output: list[str] = []
        self.noted: list[TroubleNoted] = []
        self.log = SimpleNamespace(trouble=trouble, repairs=(), held=0, retry=self._retry)
        self.recorder = SimpleNamespace(
            pictures=SimpleNamespace(trouble=None),
            held=None,
            state=SimpleNamespace(players={"left": "Ann", "right": "Bob"}),
        )
        self.doubt: str | None = None
        self.active = ActiveTroubles()
        self.monitor = HealthMonitor(
            self.log,
            self.output.append,
            self.active,
            self.noted.append,
            lambda: round(self.now),
            lambda: self.now,
        )
        self.camera = PictureArrival(self.monitor, judge=judge)
        self.pace, self.lost = Pace(self.monitor), LostPictures()
        self.session = SimpleNamespace(camera_lost=None, state=SimpleNamespace(timed=True))

    def _retry(self) -> bool:
        self.retried += 1
        return False

    def look(self, after: float = 1.0) -> None:
        self.now += after
        self.monitor.look(
            self.recorder.held,
            self.recorder.state,
            lambda: {"pictures": self.recorder.pictures.trouble, "pairings": self.doubt},
        )

    def wrong(self) -> list[tuple[str, int]]:
        return [(condition.code, condition.t_ns) for condition in self.active.now()]

    def frames(self, *times_ms: int, kind: str = "n") -> None:
        """Pictures for the camera's watch: noise, small ones, or dark ones."""
        for t_ms in times_ms:
            shape = (60, 80, 3) if kind == "s" else (120, 160, 3)
            image = RNG.integers(90, 110, shape, dtype=np.uint8) * (kind != "d")
            self.camera.frame(Frame(image.astype(np.uint8), t_ms * MS, t_ms))

    def at(self, t_ms: int) -> None:
        """Check the time when no picture has come."""
        self.camera.at(t_ms * MS, self.session)

    def looked(self, *seqs: int, late_ns: int = 0) -> None:
        """Pictures of a camera that gives ten a second, each looked at so late."""
        for seq in seqs:
            frame = Frame(PICTURE, seq * SECOND // 10, seq)
            self.lost.frame(frame)
            self.pace.look(frame.t_ns, frame.t_ns + late_ns, self.lost)

    @property
    def changes(self) -> list[tuple[str, str, int]]:
        """The notes, with their times in ms."""
        return [(event.code, event.state, event.t_ns // MS) for event in self.noted]


MS, SECOND = 1_000_000, 1_000_000_000
RNG = np.random.default_rng(3)
PICTURE = np.zeros((1, 1, 3), np.uint8)


def test_each_change_is_said_once_and_what_is_held_tried_again():
    table = Table()
    table.look(0)
    assert (table.output, table.retried) == ([], 0)
    table.log.trouble, table.log.held = "disk full", 3
    table.recorder.pictures.trouble = "no room for pictures"
    table.look(0)  # within the same second
    assert table.output == []
    for _ in range(3):
        table.look()
    assert table.output == ["disk full", "no room for pictures"]
    assert table.wrong() == [("log", 1), ("pictures", 1)]
    assert table.retried == 3
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
    assert [(c.message, c.t_ns) for c in table.active.now()] == [("disk read-only", 1)]


def test_what_was_said_at_the_start_is_shown_and_not_said_again():
    table = Table("disk full")
    table.look(5.0)
    assert table.output == []
    assert table.wrong() == [("log", 0)]


def test_what_the_pairings_leave_open_stands_until_it_is_clear():
    table, doubts = Table(), [None, "which game?", "which game?", None]
    for doubt in doubts:
        table.doubt = doubt
        table.look()
        assert [code for code, _ in table.wrong()] == (["pairings"] if doubt else [])
    assert table.output == ["which game?", "the pairings are clear again"]
    assert table.noted == []


def test_a_turn_that_is_held_open_is_shown_with_the_time_of_its_press():
    table = Table()
    table.recorder.held = PendingTurn("right", 77, ())
    table.look(0.1)
    (condition,) = table.active.now()
    assert (condition.code, condition.t_ns) == ("board_covered", 77)
    assert "Bob’s turn is not scored yet" in condition.message
    table.recorder.held = None
    table.look(0.1)
    assert table.wrong() == []
    assert table.output == []


def test_a_device_that_fails_again_and_again_is_said_once_and_mended_once():
    table = Table()
    for t_ns in (10, 20):
        table.monitor.take(make_trouble("camera_lost", "no camera", t_ns))
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
    table.monitor.take(make_trouble("button_double", "left twice", 5, "left"))
    table.monitor.take(make_trouble("button_double", "left twice", 9, "left"))
    assert ("button_double", 9) in table.wrong()
    table.log.trouble = table.recorder.held = None
    table.look()
    assert [(e.code, e.what, e.state, e.t_ns) for e in table.noted] == [
        ("button_double", "left", "happened", 5),
        ("button_double", "left", "happened", 9),
    ]


def test_a_camera_is_lost_after_two_seconds_and_back_after_two_of_pictures():
    table = Table()
    table.camera.begin(0)
    table.frames(100)
    table.monitor.take(make_trouble("camera_frozen", "the same picture", 200 * MS))
    for t_ms in range(500, 4000, 500):
        table.at(t_ms)
    assert table.changes[1:] == [("camera_lost", "begins", 100)]
    assert table.session.camera_lost == "no picture from the camera"
    table.frames(*range(4000, 6100, 100))
    assert table.changes[2:] == [("camera_lost", "over", 6000), ("camera_frozen", "over", 6000)]


def test_one_picture_of_a_flapping_camera_is_not_believed():
    table = Table()
    table.camera.begin(0)
    for start in (3000, 6000, 9000):
        table.at(start - 1)
        table.frames(start, start + 100)
        table.camera.lost()
    assert [one[:2] for one in table.changes] == [("camera_lost", "begins")]


@pytest.mark.parametrize("timed", [True, False])
def test_a_table_that_waits_for_its_first_picture_says_so_too(timed):
    table = Table()
    table.session.state.timed = timed
    table.camera.begin(0)
    table.at(2001)
    assert table.changes == [("camera_lost", "begins", 0)]
    assert ("by the clock" in table.output[0]) == timed


def test_another_size_is_told_also_of_a_camera_that_was_replaced():
    table = Table()
    table.frames(0, 100)
    table.frames(5000, 5100, kind="s")
    table.frames(5200)
    assert table.changes == [("camera_resized", "happened", t_ms) for t_ms in (5000, 5200)]
    assert "the camera went from 160×120 to 80×60 pixels" in table.output[0]


def test_a_simulated_camera_is_judged_by_its_pictures():
    table = Table(judge=True)
    table.frames(*range(0, 1000, 100))
    table.frames(*range(1000, 3000, 100), kind="d")
    table.frames(*range(3000, 4000, 100))
    assert table.changes == [("camera_dark", "begins", 2400), ("camera_dark", "over", 3000)]


def slow(table: Table) -> str:
    (trouble,) = table.active.now()
    assert trouble.message.startswith("this computer cannot keep up with its camera: ")
    return trouble.message.partition(": ")[2]


def test_a_computer_that_keeps_up_says_nothing():
    table = Table()
    table.looked(*range(0, 300, 5), late_ns=BEHIND_NS)
    assert table.noted == []


def test_pictures_that_are_looked_at_late_are_told_until_they_no_longer_are():
    table = Table()
    table.looked(0, late_ns=3 * SECOND)
    table.looked(1, late_ns=4 * SECOND)
    assert slow(table) == "it looks at pictures 4.0 s after they were taken"
    keeps_up = KEEPS_UP_NS * 10 // SECOND
    table.looked(*range(2, 41 + keeps_up))
    assert table.changes == [("too_slow", "begins", 3000)]
    table.looked(42 + keeps_up)
    assert table.changes[1:] == [("too_slow", "over", 14_200)]


def test_pictures_that_are_dropped_are_told():
    table = Table()
    table.looked(0, 1, 20, 21, 40)
    assert slow(table) == "it has dropped 36 pictures since the last turn"


def test_a_loop_that_stood_still_is_told():
    table = Table()
    for at_ms in (0, 500, 1000, 4500):
        table.pace.round(at_ms * MS)
    assert slow(table) == "for 3.5 s it took no picture"
