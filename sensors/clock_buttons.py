"""Opens clock buttons by their kind: pins, a keyboard, or a phone page."""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from sensors.debounce import MS, ButtonFault, ClockButton, PressFilter, Timing
from sensors.errors import SensorError
from sensors.gpio import PINS, GpioButtons
from sensors.interfaces import Button, Buttons, Press

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 64
"""Keys that are taken at a time."""

OnButtonFault = Callable[[ButtonFault], None]

OPTIONS: Final = frozenset({"left", "right", "neutral", "call", "least_ms", "quiet_ms", "edges"})
"""What may be said of gpio buttons: pins by BCM number, times of the debounce, a file of edges."""

KEYS: Final[Mapping[str, Button]] = {"z": "left", "m": "right", " ": "neutral"}
"""The keys of a keyboard; Ctrl-C ends the program as ever."""


def open_buttons(
    kind: str,
    options: Mapping[str, Any],
    said: OnButtonFault | None = None,
    called: Callable[[int], None] | None = None,
) -> Buttons:
    """The buttons of ``kind`` ("gpio" or "keyboard"). Raises ``SensorError`` with one line.

    ``said`` is told of every trouble with them, ``called`` the time of each call of the director.
    """
    found = check(kind, options)
    if kind == "keyboard":
        return KeyboardButtons(sys.stdin, said)
    return GpioButtons(found.pins, timing=found.timing, said=said, called=called, edges=found.edges)


@dataclass(frozen=True)
class GpioOptions:
    """What the options of gpio buttons say."""

    pins: Mapping[ClockButton, int]
    timing: Timing
    edges: Path | None


def check(kind: str, options: Mapping[str, Any]) -> GpioOptions:
    """See that the options can be meant, before any button. Raises ``SensorError``."""
    if kind not in {"gpio", "keyboard"}:
        raise SensorError(f"buttons: unknown kind {kind!r}; known are gpio, keyboard")
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise SensorError(
            f"buttons: unknown option {unknown[0]!r}; known are {', '.join(sorted(OPTIONS))}"
        )
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
    return GpioOptions(pins, timing, Path(edges) if edges else None)


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SensorError(f"buttons: {name} must be a whole number from {least} to {most}")
    return value


class KeyboardButtons:
    """Keys of a terminal (``KEYS``) as clock buttons, for a table without a clock."""

    def __init__(self, stream: TextIO, said: OnButtonFault | None = None) -> None:
        if not stream.isatty():
            raise SensorError(
                "keyboard: needs a terminal; run tilewatch in one, or use web buttons"
            )
        self._stream = stream
        self._said = said or (lambda trouble: _LOG.warning("%s", trouble.message))
        self._filter: PressFilter[Button] = PressFilter()
        self._changing = threading.Lock()
        self._closed = False
        self._before: list[Any] | None = None
        """The terminal's settings, to be put back."""

    def presses(self) -> Iterator[Press]:
        """Yield a press for each known key until closed."""
        self._take_single_keys()
        try:
            while not self._closed:
                ready, _, _ = select.select([self._stream], [], [], 0.2)
                t_ns = time.monotonic_ns()
                if not ready:
                    continue
                # Not through the stream: it would keep what it has read ahead to itself.
                keys = os.read(self._stream.fileno(), _AT_ONCE).decode("utf-8", "replace")
                if not keys:
                    return
                for key in keys.lower():
                    yield from self._pressed(key, t_ns)
        finally:
            self._give_back()

    def _pressed(self, key: str, t_ns: int) -> Iterator[Press]:
        if key not in KEYS:
            return
        for item in self._filter.press(KEYS[key], t_ns):
            if isinstance(item, ButtonFault):
                self._said(item)
            else:
                yield Press(item.button, item.t_ns)

    def close(self) -> None:
        """Yield no more presses, and leave the terminal as it was.

        Whoever reads it may end with the process before it could do that.
        """
        self._closed = True
        self._give_back()

    def _take_single_keys(self) -> None:
        """Give keys at once, and show none."""
        import termios  # noqa: PLC0415 - not on every system
        import tty  # noqa: PLC0415

        with self._changing:
            if not self._closed:
                self._before = termios.tcgetattr(self._stream.fileno())
                tty.setcbreak(self._stream.fileno())

    def _give_back(self) -> None:
        with self._changing:
            if self._before is not None:
                import termios  # noqa: PLC0415

                termios.tcsetattr(self._stream.fileno(), termios.TCSADRAIN, self._before)
                self._before = None
