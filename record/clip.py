"""A turn's pictures as a clip to keep: WebM with VP8, by OpenCV's own encoder."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from record.errors import EvidenceError

RATE: Final = 10
"""Frames a second."""
LONGEST_NS: Final = 2_000_000_000
"""The longest time for which a picture is shown."""
_WIDTH, _HEIGHT = 1280, 720
_STRIP: Final = 44
"""Pixels below the picture for its caption."""

Shown = tuple[int, bytes, str]
"""A picture of a clip: when it was exposed, its JPEG, and its caption."""


def clip(pictures: Sequence[Shown]) -> bytes:
    """Return the pictures as WebM, each shown until the next. Raises ``EvidenceError``."""
    if not pictures:
        raise EvidenceError("no picture of this turn is kept")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.webm"
        code = cv2.VideoWriter.fourcc(*"VP80")
        writer = cv2.VideoWriter(str(path), code, RATE, (_WIDTH, _HEIGHT + _STRIP))
        if not writer.isOpened():
            raise EvidenceError("no clip can be made: this OpenCV has no VP8 encoder")
        for at, (t_ns, jpeg, caption) in enumerate(pictures):
            until = pictures[at + 1][0] if at + 1 < len(pictures) else t_ns + LONGEST_NS
            frame = _frame(jpeg, caption)
            for _ in range(max(1, round(min(until - t_ns, LONGEST_NS) * RATE / 1e9))):
                writer.write(frame)
        writer.release()
        return path.read_bytes()


def _frame(jpeg: bytes, caption: str) -> np.ndarray:
    """Return a picture as a frame with its caption: uint8, shape (764, 1280, 3)."""
    frame = np.zeros((_HEIGHT + _STRIP, _WIDTH, 3), np.uint8)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is not None:
        scale = min(_WIDTH / image.shape[1], _HEIGHT / image.shape[0])
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        top, left = (_HEIGHT - size[1]) // 2, (_WIDTH - size[0]) // 2
        frame[top : top + size[1], left : left + size[0]] = small
    text = caption.replace("−", "-").encode("ascii", "replace").decode()
    font = cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(frame, text, (12, _HEIGHT + 31), font, 0.9, (235, 235, 235), 2, cv2.LINE_AA)
    return frame
