"""An address as a QR code, for a terminal and as a picture."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.rectify import Image

_QUIET: Final = 3
"""Modules of border, beside the one that the encoder leaves."""
_MODULE: Final = 12
"""Pixels a module."""
_HALF_BLOCKS: Final = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
"""By (upper, lower), 1 is dark: a terminal's ground is dark, so light modules are printed."""


def qr_lines(text: str) -> list[str]:
    """Return the code as lines of half blocks, for a terminal with a dark ground."""
    dark = (_modules(text) < 128).astype(int)
    if len(dark) % 2:
        dark = np.vstack([dark, np.zeros((1, dark.shape[1]), int)])
    return [
        "".join(_HALF_BLOCKS[int(a), int(b)] for a, b in zip(upper, lower, strict=True))
        for upper, lower in zip(dark[::2], dark[1::2], strict=True)
    ]


def qr_picture(text: str) -> Image:
    """Return the code as a picture."""
    grey = np.kron(_modules(text), np.ones((_MODULE, _MODULE), np.uint8))
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


def _modules(text: str) -> Image:
    code = cv2.QRCodeEncoder.create().encode(text)
    return np.pad(np.asarray(code, np.uint8), _QUIET, constant_values=255)
