"""Detects motion between frames, cheaply enough for every frame.

The camera's picture is shrunk to a small grey picture of the board alone (of the whole view while
the board's place is unknown), and each of its pixels is divided by the mean of those around it. The
result is local contrast: a lamp that flickers, a cloud before the sun or the slow bands of a
rolling shutter change brightness over areas wider than that mean and drop out; a hand, a new tile
or a turned board does not. Something moved between two frames if enough pixels differ in contrast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import Corners, Image
from vision.tracking.small_pictures import PITCH, SmallPictures

_SURROUNDINGS: Final = 4 * PITCH + 1
"""Side of the averaged area: wider than two tiles, narrower than any change of light."""

_FLOOR: Final = 12.0
"""Grey levels added to that mean, so that noise in the dark is not taken for contrast."""

STEP: Final = 0.10
"""Change of contrast from which a pixel counts as changed."""

PIXELS: Final = 6
"""Pixels that must change: a quarter of a tile."""

DRIFT_PIXELS: Final = 4 * PIXELS
"""Pixels that must change since the board came to rest. A board that turns by a tenth of a degree a
frame changes hardly a pixel from one frame to the next: photographs of real boards reach this when
they have turned by half a degree to a degree, an eighth of a square at the rim."""

Contrast = NDArray[np.float32]
"""float32 (75, 75): local contrast of the small picture."""


@dataclass(frozen=True, slots=True)
class MotionSample:
    """The number of pixels of the small picture that changed since the last frame."""

    pixels: int

    @property
    def moved(self) -> bool:
        """True if that is more than noise."""
        return self.pixels >= PIXELS


class MotionDetector:
    """Compares each frame with the one before it, and with the first since something moved.

    ``corners`` (float32 (4, 2), pixels of the full picture) confine it to the board; set them anew
    whenever the board was found, or the pictures have another size. The first frame after that
    counts as moved.
    """

    def __init__(self, corners: Corners | None = None) -> None:
        self._corners = corners
        self.pictures = SmallPictures()
        self._last: Contrast | None = None
        self.small: Image | None = None
        """The small picture of the newest frame: uint8 (75, 75, 3) BGR; None before the first."""
        self._first: Contrast | None = None
        """The first since something moved."""

    @property
    def corners(self) -> Corners | None:
        """The board's corners, or None for the whole picture."""
        return self._corners

    @corners.setter
    def corners(self, corners: Corners | None) -> None:
        self._corners = corners
        self._last = None

    def follow(self, image: Image, corners: Corners) -> Image:
        """Watch the board there from a picture on in which nothing moves; return it, small."""
        self._corners = corners
        self.small = small = self.pictures.of(image, corners)
        self._last = self._first = local_contrast(small)
        return small

    def see(self, image: Image) -> MotionSample:
        """Compare ``image``, uint8 (H, W, 3) BGR, with those seen before it."""
        self.pictures.next(image)
        self.small = self.pictures.of(image, self._corners)
        contrast = local_contrast(self.small)
        last, self._last = self._last, contrast
        if last is None or self._first is None:
            self._first = contrast
            return MotionSample(contrast.size)
        motion = MotionSample(_changed(last, contrast))
        drifted = _changed(self._first, contrast)
        if not motion.moved and drifted >= DRIFT_PIXELS:
            motion = MotionSample(drifted)
        if motion.moved:
            self._first = contrast
        return motion


def _changed(before: Contrast, now: Contrast) -> int:
    return int(np.count_nonzero(np.abs(now - before) > STEP))


def local_contrast(small: Image) -> Contrast:
    """Return the local contrast of a small picture."""
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    # The camera's noise is finer than anything that matters here.
    level = cv2.GaussianBlur(grey, (3, 3), 0)
    mean = cv2.blur(level, (_SURROUNDINGS, _SURROUNDINGS))
    return np.asarray((level - mean) / (mean + _FLOOR), dtype=np.float32)
