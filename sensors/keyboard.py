"""Keys of a terminal as clock buttons."""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from game.events import Button, TroubleNoted
from game.options import StrictOptions
from sensors.debounce import PressFilter
from sensors.interfaces import OnTrouble, Press, SensorError

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 64
"""The most keys that are read at a time."""

KEYS: Final[Mapping[str, Button]] = {"z": "left", "m": "right", " ": "neutral"}
"""The button of each key. Ctrl-C ends the program as ever."""


class KeyboardButtons:
    """``sensors.interfaces.Buttons`` of the keys ``KEYS``, for a table without a clock."""

    def __init__(
        self,
        options: StrictOptions,  # noqa: ARG002 - a keyboard has none
        on_trouble: OnTrouble | None = None,
        *,
        stream: TextIO | None = None,
    ) -> None:
        stream = stream or sys.stdin
        if not stream.isatty():
            raise SensorError(
                "keyboard: needs a terminal; run tilewatch in one, or use web buttons"
            )
        self._stream = stream
        self._on_trouble = on_trouble or (lambda trouble: _LOG.warning("%s", trouble.message))
        self._filter = PressFilter()
        self._changing = threading.Lock()
        self._closed = False
        self._before: list[Any] | None = None
        """The terminal's settings, to be restored."""

    def presses(self) -> Iterator[Press]:
        """Yield a press for each known key until closed."""
        self._take_single_keys()
        try:
            while not self._closed:
                ready, _, _ = select.select([self._stream], [], [], 0.2)
                t_ns = time.monotonic_ns()
                if not ready:
                    continue
                # Not through the stream, which would read ahead into its own buffer.
                keys = os.read(self._stream.fileno(), _AT_ONCE).decode("utf-8", "replace")
                if not keys:
                    return
                for key in keys.lower():
                    yield from self._pressed(key, t_ns)
        finally:
            self._restore()

    def _pressed(self, key: str, t_ns: int) -> Iterator[Press]:
        if key not in KEYS:
            return
        for item in self._filter.press(KEYS[key], t_ns):
            if isinstance(item, TroubleNoted):
                self._on_trouble(item)
            else:
                yield item

    def close(self) -> None:
        """Yield no more presses, and restore the terminal's settings.

        They are restored here because the process may end before the reading thread could do so.
        """
        self._closed = True
        self._restore()

    def _take_single_keys(self) -> None:
        """Set the terminal to deliver each key at once, without showing it."""
        import termios  # noqa: PLC0415 - not on every system
        import tty  # noqa: PLC0415

        with self._changing:
            if not self._closed:
                self._before = termios.tcgetattr(self._stream.fileno())
                tty.setcbreak(self._stream.fileno())

    def _restore(self) -> None:
        with self._changing:
            if self._before is not None:
                import termios  # noqa: PLC0415

                termios.tcsetattr(self._stream.fileno(), termios.TCSADRAIN, self._before)
                self._before = None
