"""Pictures as a phone sends them, and a clock that tests move."""

from __future__ import annotations

import cv2
import numpy as np

MS = 1_000_000


class HandClock:
    """Nanoseconds, moved by hand."""

    def __init__(self) -> None:
        self.now_ns = 100_000 * MS

    def __call__(self) -> int:
        return self.now_ns

    def pass_ms(self, ms: float) -> int:
        self.now_ns += round(ms * MS)
        return self.now_ns


def jpeg(width: int = 64, height: int = 48, shade: int = 90) -> bytes:
    image = np.full((height, width, 3), shade, np.uint8)
    cv2.circle(image, (width // 2, height // 2), 9, (20, 200, 240), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()
