"""Clock buttons at the pins of a Raspberry Pi, through gpiozero.

Each button connects its pin with ground; the Pi's own pull-up holds it high. gpiozero's own
debouncing is off, since it can swallow a real edge: every raw edge is stamped, logged, and then
debounced by ``sensors.debounce``. With the lgpio pins of a Pi the stamp is the kernel's own at the
interrupt; other pin factories stamp no more exactly than ``time.monotonic_ns()`` first thing in
the callback, which is then what is taken.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from sensors.debounce import MS, ButtonFault, ClockButton, DebouncedPress, Debouncer, Edge, Timing
from sensors.edge_log import EdgeLog
from sensors.errors import SensorError
from sensors.interfaces import Press

PINS: Final[Mapping[ClockButton, int]] = {"left": 17, "right": 27, "neutral": 22}
"""BCM numbers, unless said otherwise."""

_LOG = logging.getLogger(__name__)
_UNDERWAY_NS: Final = 5 * MS
"""For so long an edge may be on its way to us: lgpio sorts them for half a millisecond, asks the
kernel every half, and Python's threads take turns. No time passes for the debounce before that, or
a spike would be taken for a press because its end had not arrived."""
_KERNEL_LATE_NS: Final = 1_000_000_000
"""A kernel stamp further from now than this is on another clock, and not believed."""


class GpioButtons:
    """``sensors.interfaces.Buttons`` at pins.

    ``pins`` are BCM numbers. ``factory`` is gpiozero's pin factory (None: its default). ``said``
    gets one line for each trouble; ``called`` the time of each call of the director; ``edges`` is
    a file to which every raw edge is appended as ``t_ns,button,closed``.
    """

    def __init__(
        self,
        pins: Mapping[ClockButton, int] = PINS,
        *,
        timing: Timing | None = None,
        factory: Any = None,
        said: Callable[[ButtonFault], None] | None = None,
        called: Callable[[int], None] | None = None,
        edges: Path | None = None,
    ) -> None:
        try:
            import gpiozero  # noqa: PLC0415 - only there on a Pi
        except ImportError as error:
            raise SensorError(
                "gpio: needs gpiozero and lgpio: sudo apt install python3-gpiozero python3-lgpio "
                "on a Raspberry Pi, in an environment made with --system-site-packages"
            ) from error
        self.pins = dict(pins)
        self._queue: queue.SimpleQueue[Edge[ClockButton] | None] = queue.SimpleQueue()
        self._debouncer: Debouncer[ClockButton] = Debouncer(tuple(pins), timing)
        self._said = said or (lambda trouble: _LOG.warning("%s", trouble.message))
        self._called = called or (lambda _: _LOG.warning("the director is called"))
        self._log: EdgeLog | None = None
        self._devices: list[Any] = []
        self._watchers: list[_PinWatcher] = []  # pins keep weak references to their callbacks
        self._closed = False
        if edges is not None:
            self._log = _edge_log(edges)
        try:
            for button, number in pins.items():
                device = gpiozero.DigitalInputDevice(
                    number, pull_up=True, bounce_time=None, pin_factory=factory
                )
                self._devices.append(device)
                kernel = type(device.pin).__module__.endswith(".lgpio")
                watcher = _PinWatcher(button, self._queue, kernel=kernel)
                self._watchers.append(watcher)
                device.pin.when_changed = watcher.changed
                if device.is_active:  # closed from the start: nobody has pressed it just now
                    self._debouncer.held(button, time.monotonic_ns())
        except Exception as error:  # lgpio's own are of no kind that could be named without it
            self.close()
            raise SensorError(
                f"gpio: the button pins {dict(pins)} can't be used ({error}); "
                "check the wiring page and that nothing else holds them"
            ) from error

    def closed(self) -> dict[ClockButton, bool]:
        """Whether each button is held down at this moment, by the level of its pin."""
        return {
            button: bool(device.is_active)
            for button, device in zip(self.pins, self._devices, strict=True)
        }

    @property
    def exact(self) -> bool:
        """Whether the kernel stamps the edges, rather than a callback a moment later."""
        return all(watcher.kernel for watcher in self._watchers)

    def presses(self) -> Iterator[Press]:
        """Yield debounced presses, each stamped at its first edge, until closed."""
        while True:
            edge = self._wait()
            if self._closed:
                return
            for item in self._quiet() if edge is None else self._debouncer.edge(edge):
                if isinstance(item, ButtonFault):
                    self._said(item)
                elif item.button == "call":
                    self._called(item.t_ns)
                else:
                    yield Press(item.button, item.t_ns)

    def _quiet(self) -> list[DebouncedPress[ClockButton] | ButtonFault]:
        """What is known now that no edge has come.

        Before a contact is called stuck its pin is asked: it may have opened again without anybody
        hearing of it, and would then be thought closed through its next press.
        """
        now_ns = time.monotonic_ns() - _UNDERWAY_NS
        told: list[DebouncedPress[ClockButton] | ButtonFault] = []
        for button in self._debouncer.seem_stuck(now_ns):
            if not self.closed()[button]:
                told += self._debouncer.edge(Edge(button, False, now_ns))
        return told + self._debouncer.at(now_ns)

    def _wait(self) -> Edge[ClockButton] | None:
        due = self._debouncer.due_ns()
        timeout = (
            None if due is None else max(0.0, (due + _UNDERWAY_NS - time.monotonic_ns()) / 1e9)
        )
        try:
            edge = self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if edge is not None:
            _LOG.debug("edge %s", edge)
            if self._log is not None:
                self._log.write(edge)
        return edge

    def close(self) -> None:
        """Give the pins back."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        for device in self._devices:
            device.close()
        if self._log is not None:
            self._log.close()


def _edge_log(path: Path) -> EdgeLog | None:
    try:
        return EdgeLog(path)
    except OSError as error:  # evidence that is missing must not cost the game its clock
        _LOG.warning("%s: edges are not written (%s)", path, error.strerror)
        return None


class _PinWatcher:
    """Stamps the edges of one pin."""

    def __init__(
        self,
        button: ClockButton,
        edges: queue.SimpleQueue[Edge[ClockButton] | None],
        *,
        kernel: bool,
    ) -> None:
        self._button = button
        self._edges = edges
        self.kernel = kernel

    def changed(self, ticks: float, state: int) -> None:
        """Called by gpiozero at each edge; ``ticks`` is in seconds, ``state`` 0 when closed."""
        t_ns = edge_time(time.monotonic_ns(), round(ticks * 1e9) if self.kernel else None)
        self._edges.put(Edge(self._button, not state, t_ns))


def edge_time(now_ns: int, kernel_ns: int | None) -> int:
    """When an edge was: the kernel's stamp where it is one of the monotonic clock, else now.

    Kernels before 5.7 stamp edges by the wall clock.
    """
    if kernel_ns is not None and 0 <= now_ns - kernel_ns < _KERNEL_LATE_NS:
        return kernel_ns
    return now_ns
