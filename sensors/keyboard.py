"""Keys of a terminal as clock buttons."""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TextIO

from sensors.debounce import ButtonFault, PressFilter
from sensors.errors import SensorError
from sensors.interfaces import Button, Press
from sensors.options import StrictOptions

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 64
"""Keys that are taken at a time."""

KEYS: Final[Mapping[str, Button]] = {"z": "left", "m": "right", " ": "neutral"}
"""The keys of a keyboard; Ctrl-C ends the program as ever."""


class KeyboardButtons:
    """``sensors.interfaces.Buttons`` of the keys ``KEYS``, for a table without a clock."""

    def __init__(
        self,
        options: StrictOptions,  # noqa: ARG002 - a keyboard has none
        on_fault: Callable[[ButtonFault], None] | None = None,
        on_call: Callable[[int], None] | None = None,  # noqa: ARG002 - no key calls
        *,
        stream: TextIO | None = None,
    ) -> None:
        stream = stream or sys.stdin
        if not stream.isatty():
            raise SensorError(
                "keyboard: needs a terminal; run tilewatch in one, or use web buttons"
            )
        self._stream = stream
        self._on_fault = on_fault or (lambda fault: _LOG.warning("%s", fault.message))
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
                self._on_fault(item)
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
