"""Clock buttons at the pins of a Raspberry Pi, through gpiozero.

Each button connects its pin with ground; the Pi's own pull-up holds it high. gpiozero's own
debouncing is off, since it can swallow a real edge: every raw edge is stamped, logged, and then
debounced by ``sensors.debounce``. With the lgpio pins of a Pi the stamp is the kernel's own at the
interrupt. Other pin factories stamp no more exactly than ``time.monotonic_ns()`` at the start of
the callback, so that time is taken instead.
"""

from __future__ import annotations

import getpass
import logging
import os
import queue
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TextIO

from pydantic import Field, model_validator

from game.events import TroubleNoted
from sensors.debounce import MS, ClockButton, Debouncer, Edge, Timing
from sensors.interfaces import OnTrouble, Press, SensorError
from sensors.options import ContactOptions

PINS: Final[Mapping[ClockButton, int]] = {"left": 17, "right": 27, "neutral": 22}
"""The default BCM numbers."""

_LOG = logging.getLogger(__name__)
_UNDERWAY_NS: Final = 5 * MS
"""The longest time that an edge takes to arrive: lgpio polls the kernel every half millisecond and
sorts edges for as long, and Python's threads take turns. The debounce waits that long; otherwise a
spike whose end has not arrived yet would count as a press."""
MOST_EDGE_BYTES: Final = 4_000_000
"""The size from which a file of raw edges (some weeks of play) is renamed to ``….1``, replacing the
previous one."""
_DRIVER_LATE_NS: Final = 60_000_000_000
"""A kernel stamp older than this belongs to another clock. Seconds are normal: a process that was
paused receives its edges late."""


_Pin = Annotated[int, Field(ge=0, le=27)]


class GpioOptions(ContactOptions):
    """``[buttons]`` with ``kind = "gpio"``."""

    left: _Pin = Field(default=PINS["left"], description="BCM number of the left player's pin")
    right: _Pin = Field(default=PINS["right"], description="BCM number of the right player's pin")
    neutral: _Pin = Field(default=PINS["neutral"], description="BCM number of the stop button's")
    call: _Pin | None = Field(default=None, description="BCM number of the director's call button")
    least_ms: int = Field(default=1, ge=0, le=5, description="ms closed that make a press")
    quiet_ms: int = Field(default=20, ge=1, le=200, description="ms open before the next press")

    @model_validator(mode="after")
    def _one_button_a_pin(self) -> GpioOptions:
        if len(set(self.pins.values())) < len(self.pins):
            raise ValueError(f"two buttons at one pin in {self.pins}")
        return self

    @property
    def pins(self) -> dict[ClockButton, int]:
        """The BCM number of each button's pin."""
        pins: dict[ClockButton, int] = {
            "left": self.left,
            "right": self.right,
            "neutral": self.neutral,
        }
        return pins if self.call is None else pins | {"call": self.call}

    @property
    def timing(self) -> Timing:
        """The times of the debounce."""
        return Timing(least_ns=self.least_ms * MS, quiet_ns=self.quiet_ms * MS)


class GpioButtons:
    """``sensors.interfaces.Buttons`` at pins.

    Args:
        options: the pins, the times of the debounce, and the file of raw edges.
        on_trouble: called with each fault of a button and each call of the director.
        factory: gpiozero's pin factory; None: its default.
        timing: the times of the debounce in place of the options'.
    """

    def __init__(
        self,
        options: GpioOptions,
        on_trouble: OnTrouble | None = None,
        *,
        factory: Any = None,
        timing: Timing | None = None,
    ) -> None:
        try:
            import gpiozero  # noqa: PLC0415 - only there on a Pi
        except ImportError as error:
            raise SensorError(
                "gpio: needs gpiozero and lgpio: sudo apt install python3-gpiozero python3-lgpio "
                "on a Raspberry Pi, in an environment made with --system-site-packages"
            ) from error
        self.pins = options.pins
        self._queue: queue.SimpleQueue[Edge | None] = queue.SimpleQueue()
        self._debouncer = Debouncer(tuple(self.pins), timing or options.timing)
        self._on_trouble = on_trouble or (lambda trouble: _LOG.warning("%s", trouble.message))
        self._log: EdgeLog | None = None
        self._devices: list[Any] = []
        self._watchers: list[_PinWatcher] = []  # pins keep weak references to their callbacks
        self._closed = False
        if options.edges is not None:
            self._log = _edge_log(options.edges)
        try:
            for button, number in self.pins.items():
                device = gpiozero.DigitalInputDevice(
                    number, pull_up=True, bounce_time=None, pin_factory=factory
                )
                self._devices.append(device)
                kernel = type(device.pin).__module__.endswith(".lgpio")
                watcher = _PinWatcher(button, self._queue, kernel=kernel)
                self._watchers.append(watcher)
                device.pin.when_changed = watcher.changed
                if device.is_active:  # closed from the start is no press
                    self._debouncer.held(button, time.monotonic_ns())
        except Exception as error:  # lgpio's own are of no kind that could be named without it
            self.close()
            raise SensorError(
                f"gpio: the button pins {self.pins} can't be used ({error}); "
                "check the wiring (docs/clock.md), and that no other program uses them"
            ) from error

    def closed(self) -> dict[ClockButton, bool]:
        """Return for each button whether its pin is closed at this moment."""
        return {
            button: bool(device.is_active)
            for button, device in zip(self.pins, self._devices, strict=True)
        }

    @property
    def exact(self) -> bool:
        """True if the kernel stamps the edges, rather than a callback a moment later."""
        return all(watcher.kernel for watcher in self._watchers)

    def presses(self) -> Iterator[Press]:
        """Yield debounced presses, each stamped at its first edge, until closed."""
        while True:
            edge = self._wait()
            if self._closed:
                return
            for item in self._quiet() if edge is None else self._debouncer.edge(edge):
                if isinstance(item, TroubleNoted):
                    self._on_trouble(item)
                else:
                    yield item

    def _quiet(self) -> list[Press | TroubleNoted]:
        """Return the presses and reports known by now, when no edge has come for a while.

        The pin of a contact that seems stuck is read first: the edge of its opening may have been
        lost, and then the contact would seem closed until after its next press.
        """
        now_ns = time.monotonic_ns() - _UNDERWAY_NS
        found: list[Press | TroubleNoted] = []
        for button in self._debouncer.seem_stuck(now_ns):
            if not self.closed()[button]:
                found += self._debouncer.edge(Edge(button, False, now_ns))
        return found + self._debouncer.at(now_ns)

    def _wait(self) -> Edge | None:
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


class EdgeLog:
    """A file of every raw edge, one line ``t_ns,button,closed`` each, to settle disputes later.

    If the disk fails, that is logged; no press is lost.
    """

    def __init__(self, path: Path) -> None:
        """Open the file for appending; begin a new one if it is too large. Raises ``OSError``."""
        self._path = path
        if path.exists() and path.stat().st_size > MOST_EDGE_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        self._file: TextIO | None = path.open("a", encoding="ascii", buffering=1)

    def write(self, edge: Edge) -> None:
        """Append an edge."""
        if self._file is None:
            return
        try:
            self._file.write(f"{edge.t_ns},{edge.button},{int(edge.closed)}\n")
        except OSError as error:
            _LOG.warning("%s: edges are no longer written (%s)", self._path, error.strerror)
            self.close()

    def close(self) -> None:
        """Close the file; later edges are dropped."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:  # what was buffered is lost with the disk
                _LOG.warning("%s: %s", self._path, error.strerror)


def _edge_log(path: Path) -> EdgeLog | None:
    try:
        return EdgeLog(path)
    except OSError as error:  # without its evidence the clock still has to work
        _LOG.warning("%s: edges are not written (%s)", path, error.strerror)
        return None


class _PinWatcher:
    """Stamps the edges of one pin."""

    def __init__(
        self,
        button: ClockButton,
        edges: queue.SimpleQueue[Edge | None],
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
    """Return the kernel's stamp of an edge if it is on the monotonic clock, else ``now_ns``.

    Kernels before 5.7 stamp edges by the wall clock.
    """
    if kernel_ns is not None and 0 <= now_ns - kernel_ns < _DRIVER_LATE_NS:
        return kernel_ns
    return now_ns


def why_unusable(root: Path) -> str | None:
    """Return the remedy for the likeliest reason why pins cannot be used; None if none is found.

    The reason is found in the machine's files below ``root``.
    """
    chips = sorted((root / "dev").glob("gpiochip*"))
    if not chips:
        return (
            "this machine shows no pins (no /dev/gpiochip0): run it on a Raspberry Pi, or choose "
            'kind = "web" in [buttons]'
        )
    if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
        return f"sudo usermod -aG gpio {_me()}, then log in again: the pins belong to that group"
    if not os.access(Path.cwd(), os.W_OK):
        return f"start it in a folder that it may write: lgpio keeps a pipe in {Path.cwd()}"
    return None


def _me() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "$USER"
