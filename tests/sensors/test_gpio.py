"""The real button code over gpiozero's mock pins."""

from __future__ import annotations

import threading
import time

import pytest

from sensors import gpio
from sensors.debounce import MS, Edge, Timing
from sensors.gpio import EdgeLog, GpioButtons, GpioOptions, edge_time
from sensors.interfaces import SensorError
from tests.machine import PATIENCE_S, until

gpiozero = pytest.importorskip("gpiozero", reason="gpiozero is not installed")


@pytest.fixture
def factory():
    from gpiozero.pins.mock import MockFactory

    made = MockFactory()
    yield made
    made.reset()


class Reader:
    def __init__(self, buttons):
        self.presses = []
        self._thread = threading.Thread(target=self._read, args=(buttons,), daemon=True)
        self._thread.start()

    def _read(self, buttons):
        for press in buttons.presses():
            self.presses.append(press)

    def wait(self, count):
        until(lambda: len(self.presses) >= count)
        return [press.button for press in self.presses]

    def join(self):
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@pytest.fixture
def opened(factory):
    """Opens buttons and reads them; gives their pins back in the end."""
    made = []

    def open_(options=None, on_trouble=None, **more) -> Reader:
        buttons = GpioButtons(options or GpioOptions(), on_trouble, factory=factory, **more)
        made.append((buttons, Reader(buttons)))
        return made[-1][1]

    yield open_
    for buttons, reader in made:
        buttons.close()
        reader.join()


def press(pin, held_s=0.005):
    before = time.monotonic_ns()
    pin.drive_low()
    after = time.monotonic_ns()
    time.sleep(held_s)
    pin.drive_high()
    return before, after


def test_pins_drive_presses_stamped_at_the_edge_and_every_edge_is_logged(factory, opened, tmp_path):
    reports = []
    options = GpioOptions(call=23, edges=tmp_path / "edges.csv")
    reader = opened(options, reports.append)
    windows = []
    for number, (name, pin) in enumerate((("left", 17), ("right", 27), ("neutral", 22)), start=1):
        windows.append((name, *press(factory.pin(pin))))
        reader.wait(number)
        time.sleep(0.1)  # sooner would be both at once
    press(factory.pin(23))
    until(lambda: reports and (tmp_path / "edges.csv").read_text().count("\n") == 8)
    assert len(reader.presses) == 3
    for got, (name, before, after) in zip(reader.presses, windows, strict=True):
        assert got.button == name
        assert before <= got.t_ns <= after
    assert [report.code for report in reports] == ["director_called"]
    lines = (tmp_path / "edges.csv").read_text().splitlines()
    assert [line.split(",")[1:] for line in lines] == [
        [name, level] for name in ("left", "right", "neutral", "call") for level in ("1", "0")
    ]


def test_edges_are_appended_and_a_full_file_is_set_aside(tmp_path, monkeypatch):
    path = tmp_path / "edges.csv"
    for t_ns in (5, 7):
        log = EdgeLog(path)
        log.write(Edge("left", True, t_ns))
        log.close()
    assert path.read_text() == "5,left,1\n7,left,1\n"
    monkeypatch.setattr(gpio, "MOST_EDGE_BYTES", 10)
    log = EdgeLog(path)
    log.write(Edge("right", False, 9))
    log.close()
    assert path.read_text() == "9,right,0\n"
    assert (tmp_path / "edges.csv.1").read_text() == "5,left,1\n7,left,1\n"


@pytest.mark.parametrize(
    ("edges", "line"),
    [
        ("/dev/full", "edges are no longer written"),
        ("gone/edges.csv", "edges are not written (No such file or directory)"),
    ],
)
def test_edges_that_cannot_be_written_cost_no_press(factory, opened, caplog, tmp_path, edges, line):
    reader = opened(GpioOptions(edges=tmp_path / edges))
    press(factory.pin(17))
    assert reader.wait(1) == ["left"]
    time.sleep(0.35)
    press(factory.pin(27))
    assert reader.wait(2) == ["left", "right"]
    assert caplog.text.count(line) == 1


def test_pull_ups_are_on_gpiozeros_bounce_is_off_and_pins_are_given_back(factory):
    for _ in range(2):
        buttons = GpioButtons(GpioOptions(), factory=factory)
        assert (factory.pin(17).pull, factory.pin(17).bounce) == ("up", None)
        buttons.close()


def test_a_kernel_stamp_is_believed_only_on_the_monotonic_clock():
    now = 5_000_000_000
    assert edge_time(now, now - 300_000) == now - 300_000
    assert edge_time(now, now - 4_000_000_000) == now - 4_000_000_000  # this process stood still
    assert edge_time(now, 1_700_000_000_000_000_000) == now
    assert edge_time(now, None) == now


def test_a_button_that_is_held_from_the_start_is_no_press_but_stuck(factory, opened):
    from gpiozero.pins.mock import MockPin

    class Held(MockPin):
        """A contact that somebody, or a short, keeps closed against the pull-up."""

        def _set_pull(self, value):
            super()._set_pull(value)
            self._change_state(False)

    factory.pin(17, pin_class=Held)
    reports = []
    reader = opened(None, reports.append, timing=Timing(stuck_ns=800 * MS))
    until(lambda: reports)
    factory.pin(17).drive_high()
    until(lambda: len(reports) >= 2)
    time.sleep(0.03)
    assert reader.presses == []
    press(factory.pin(17))
    assert reader.wait(1) == ["left"]
    assert [(report.code, report.what, report.state) for report in reports] == [
        ("button_stuck", "left", "begins"),
        ("button_stuck", "left", "over"),
    ]


def test_a_contact_that_opened_unheard_is_not_stuck_and_its_next_press_counts(factory, opened):
    reports = []
    reader = opened(None, reports.append, timing=Timing(stuck_ns=400 * MS))
    pin = factory.pin(17)
    pin.drive_low()
    pin._state = True  # the edge is lost on its way from the kernel
    assert reader.wait(1) == ["left"]
    time.sleep(4)  # far longer than it takes to be stuck
    press(pin)
    assert reader.wait(2) == ["left", "left"]
    assert [report.code for report in reports] == ["button_same_side"]


def test_a_spike_whose_end_arrives_late_is_no_press(factory, monkeypatch):
    buttons = GpioButtons(GpioOptions(), factory=factory)
    debouncer, begun = buttons._debouncer, time.monotonic_ns()
    assert debouncer.edge(Edge("left", True, begun)) == []
    monkeypatch.setattr(time, "monotonic_ns", lambda: begun + 3 * MS)
    assert buttons._quiet() == []
    assert debouncer.edge(Edge("left", False, begun + MS // 2)) == []
    monkeypatch.setattr(time, "monotonic_ns", lambda: begun + 100 * MS)
    assert buttons._quiet() == []
    buttons.close()


def test_a_pin_in_use_and_what_a_library_raises_are_one_line_and_give_the_others_back(factory):
    taken = gpiozero.DigitalInputDevice(27, pull_up=True, pin_factory=factory)
    with pytest.raises(SensorError, match="pins"):
        GpioButtons(GpioOptions(), factory=factory)
    taken.close()
    factory.reset()
    from gpiozero.pins.mock import MockPin

    class Busy(MockPin):
        def _set_pull(self, value):
            if value == "up":
                raise LookupError("GPIO busy")  # as lgpio.error, no kin to OSError
            super()._set_pull(value)

    factory.pin(27, pin_class=Busy)
    with pytest.raises(SensorError, match=r"can't be used.*GPIO busy.*wiring"):
        GpioButtons(GpioOptions(), factory=factory)
    gpiozero.DigitalInputDevice(17, pull_up=True, pin_factory=factory).close()
