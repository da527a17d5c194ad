"""Opens clock buttons by their kind: pins, a keyboard, or a phone page."""

from __future__ import annotations

import contextlib
import queue
import select
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from sensors.debounce import MS, ClockButton, Timing
from sensors.errors import SensorError
from sensors.gpio import PINS, GpioButtons
from sensors.interfaces import BUTTONS, Button, Buttons, Press

OPTIONS: Final = frozenset({"left", "right", "neutral", "call", "least_ms", "quiet_ms", "edges"})
"""What may be said of gpio buttons: pins by BCM number, times of the debounce, a file of edges."""

KEYS: Final[Mapping[str, Button]] = {"z": "left", "m": "right", " ": "neutral"}
"""The keys of a keyboard; Ctrl-C ends the program as ever."""


def open_buttons(kind: str, options: Mapping[str, Any]) -> Buttons:
    """The buttons of ``kind`` ("gpio" or "keyboard"). Raises ``SensorError`` with one line."""
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise SensorError(
            f"buttons: unknown option {unknown[0]!r}; known are {', '.join(sorted(OPTIONS))}"
        )
    if kind == "keyboard":
        return KeyboardButtons(sys.stdin)
    if kind != "gpio":
        raise SensorError(f"buttons: unknown kind {kind!r}; known are gpio, keyboard")
    pins = dict(PINS)
    names: tuple[ClockButton, ...] = ("left", "right", "neutral", "call")
    for name in names:
        if name in options:
            pins[name] = _whole(name, options[name], 0, 27)
    if len(set(pins.values())) < len(pins):
        raise SensorError(f"buttons: two buttons at one pin in {pins}")
    timing = Timing(
        least_ns=_whole("least_ms", options.get("least_ms", 1), 0, 5) * MS,
        quiet_ns=_whole("quiet_ms", options.get("quiet_ms", 20), 1, 200) * MS,
    )
    edges = options.get("edges")
    if edges is not None and not isinstance(edges, str):
        raise SensorError("buttons: edges must be the name of a file")
    return GpioButtons(pins, timing=timing, edges=Path(edges) if edges else None)


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SensorError(f"buttons: {name} must be a whole number from {least} to {most}")
    return value


class KeyboardButtons:
    """Keys of a terminal (``KEYS``) as clock buttons, for a table without a clock."""

    def __init__(self, stream: TextIO) -> None:
        if not stream.isatty():
            raise SensorError(
                "keyboard: needs a terminal; run tilewatch in one, or use web buttons"
            )
        self._stream = stream
        self._closed = False

    def presses(self) -> Iterator[Press]:
        """Yield a press for each known key until closed."""
        with _single_keys(self._stream):
            while not self._closed:
                ready, _, _ = select.select([self._stream], [], [], 0.2)
                t_ns = time.monotonic_ns()
                if not ready:
                    continue
                key = self._stream.read(1)
                if not key:
                    return
                if key.lower() in KEYS:
                    yield Press(KEYS[key.lower()], t_ns)

    def close(self) -> None:
        """Yield no more presses."""
        self._closed = True


@contextlib.contextmanager
def _single_keys(stream: TextIO) -> Iterator[None]:
    import termios  # noqa: PLC0415 - not on every system
    import tty  # noqa: PLC0415

    handle = stream.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


class WebButtons:
    """Presses that a page posts, as ``sensors.interfaces.Buttons``. Thread-safe."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Press | None] = queue.SimpleQueue()

    def press(self, button: str, t_ns: int | None = None) -> None:
        """One press, at ``t_ns`` of ``CLOCK_MONOTONIC`` or now. Raises ``SensorError``."""
        known = next((each for each in BUTTONS if each == button), None)
        if known is None:
            raise SensorError(f"unknown button {button!r}; known are {', '.join(BUTTONS)}")
        self._queue.put(Press(known, time.monotonic_ns() if t_ns is None else t_ns))

    def presses(self) -> Iterator[Press]:
        """Yield each press until closed."""
        while (press := self._queue.get()) is not None:
            yield press

    def close(self) -> None:
        """Yield no more presses."""
        self._queue.put(None)
