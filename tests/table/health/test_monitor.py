"""What is wrong at a table is said once, shown while it is so, and said to be over."""

from __future__ import annotations

from types import SimpleNamespace

from table.health.alerts import ActiveAlerts, Alert
from table.health.monitor import HealthMonitor
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
