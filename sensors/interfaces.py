"""The interfaces of cameras and clock buttons, and the frames and presses that they deliver.

Time. Every ``t_ns`` is an integer number of nanoseconds on *one monotonic base* that the frames and
presses of a table share; only such times are compared. On Linux the base is ``CLOCK_MONOTONIC``
(``time.monotonic_ns()``). The log records wall time with each event and uses it for nothing. A
recording counts from its own zero.

Writing a driver. A class needs no base class: it is a ``Camera`` or ``Buttons`` if it has the
methods below. The recorder relies on these promises:

* a camera's ``t_ns`` is the *start of exposure*, not the moment the picture was handed over
  (picamera2: ``SensorTimestamp`` minus ``ExposureTime``, moved from ``CLOCK_BOOTTIME`` to
  ``CLOCK_MONOTONIC``; a webcam: the driver's own stamp, or else the time just before the grab);
* a press is stamped *at the edge*, before any debounce (gpiozero: call ``time.monotonic_ns()``
  first thing in ``when_activated``, with ``bounce_time=None``);
* both iterators yield in order of time, block until the next item, and end when the device ends or
  is closed. A live table treats an end that it did not ask for as a loss, and opens the device
  again. A device that fails raises ``SensorError`` with one clear line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from game.errors import TilewatchError
from game.events import Button, Side, TroubleNoted

BUTTONS: tuple[Button, ...] = get_args(Button)
"""``left`` and ``right`` end that side's turn; ``neutral`` stops both clocks."""

PICTURE_LATE_NS: Final = 1_500_000_000
"""A live picture older than this is dropped. From two seconds on a table calls its camera lost."""


class SensorError(TilewatchError):
    """A camera, a button or a recording that cannot be used: one line with the remedy."""


Image: TypeAlias = NDArray[np.uint8]
"""``uint8`` of shape ``(H, W, 3)``, colours in the order blue, green, red."""

OnTrouble: TypeAlias = Callable[[TroubleNoted], None]
"""Takes a device's report of a fault that begins, ends or has happened."""

Decode: TypeAlias = Callable[[bytes, str], Image]
"""Makes an image of a picture's bytes; the second argument names the picture in an error.

Raises ``TilewatchError`` for bytes that are cut off, damaged or no picture.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of the table.

    ``image`` is ``uint8 (H, W, 3)`` BGR with any EXIF orientation already applied; nobody writes
    into it. ``t_ns`` is the start of its exposure. ``seq`` counts the camera's frames from 0, with
    a gap for every lost frame. ``jpeg`` holds the original bytes if the source delivers JPEG (the
    evidence stores them without encoding again), else ``None``.
    """

    image: Image
    t_ns: int
    seq: int
    jpeg: bytes | None = None


@dataclass(frozen=True, slots=True)
class RackFrame:
    """One picture of the rack of the player on a side."""

    side: Side
    frame: Frame

    @property
    def t_ns(self) -> int:
        """The start of its exposure."""
        return self.frame.t_ns


@dataclass(frozen=True, slots=True)
class Press:
    """One press of a clock button, stamped at its edge in nanoseconds.

    A press on a web page also has the time that the page gives for it and the time it arrived.
    """

    button: Button
    t_ns: int
    claimed_ns: int | None = field(default=None, kw_only=True)
    heard_ns: int | None = field(default=None, kw_only=True)


@runtime_checkable
class Camera(Protocol):
    """A source of frames: Pi camera, webcam, recording or simulated table."""

    def frames(self) -> Iterator[Frame]:
        """Yield frames in order of ``t_ns`` until the source ends or is closed.

        May be called once. Raises ``SensorError`` when the device fails.
        """
        ...

    def close(self) -> None:
        """Give the device back. May be called twice, and from another thread than ``frames``."""
        ...


@runtime_checkable
class Buttons(Protocol):
    """A source of presses: GPIO, keyboard, phone page, recording or simulated table."""

    def presses(self) -> Iterator[Press]:
        """Yield presses in order of ``t_ns`` until the source ends or is closed.

        May be called once. Raises ``SensorError`` when the device fails.
        """
        ...

    def close(self) -> None:
        """Give the device back. May be called twice, and from another thread than ``presses``."""
        ...
