"""Tells from its frames whether a camera still sees: dark, frozen or another size. Pure code."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from sensors.interfaces import Frame, Image

PATIENCE_NS: Final = 1_500_000_000
"""How long it must look so; the rest of the two seconds is for the frame that shows it."""
DARK: Final = 12
"""Where 99 of 100 samples are below this of 255, nothing can be read."""
_STEP: Final = 16

Code = Literal["dark", "frozen", "resized", "well"]


@dataclass(frozen=True, slots=True)
class CameraStatusChange:
    """A change in how a camera is, to be said."""

    code: Code
    t_ns: int
    message: str


class CameraHealth:
    """Feed it every frame in order; it tells each change once."""

    def __init__(self) -> None:
        self._shape: tuple[int, ...] | None = None
        self._print: int | None = None
        self._alive_ns = 0
        """When the picture last differed from the one before."""
        self._lit_ns = 0
        self.condition: Code = "well"

    def see(self, frame: Frame) -> list[CameraStatusChange]:
        """What has changed with this frame."""
        told: list[CameraStatusChange] = []
        image, now = frame.image, frame.t_ns
        first = self._shape is None
        if not first and image.shape != self._shape:
            before = f"{self._shape[1]}×{self._shape[0]}" if self._shape else ""
            told.append(
                CameraStatusChange(
                    "resized",
                    now,
                    f"pictures are {image.shape[1]}×{image.shape[0]} now, no longer {before}",
                )
            )
        self._shape = image.shape
        sample = np.ascontiguousarray(image[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP])
        # Even a still scene differs by the sensor's noise; a picture that is handed over again
        # is the same to the last bit. A black one may be, and is dark rather than frozen.
        mark = zlib.crc32(sample.tobytes())
        dark = is_dark(image)
        if first or dark or mark != self._print:
            self._alive_ns = now
        if first or not dark:
            self._lit_ns = now
        self._print = mark
        return told + self._judge(now)

    def _judge(self, now: int) -> list[CameraStatusChange]:
        code: Code = "well"
        message = "the camera sees again"
        if now - self._lit_ns >= PATIENCE_NS:
            code, message = "dark", "the camera's pictures are black: is it covered, the lamp off?"
        elif now - self._alive_ns >= PATIENCE_NS:
            code, message = "frozen", "the camera hands over the same picture again and again"
        if code == self.condition:
            return []
        self.condition = code
        return [CameraStatusChange(code, now, message)]


def is_dark(image: Image) -> bool:
    """True if a picture is black: nothing in it can be read."""
    return bool(np.percentile(image[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP], 99) < DARK)
