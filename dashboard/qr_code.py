"""A line of text as a QR code: for a page, for a terminal, and as a picture."""

from __future__ import annotations

import io

import numpy as np
import segno
from numpy.typing import NDArray


def qr_svg(text: str, scale: int = 5) -> str:
    """Return an SVG element, black on white with a quiet border; ``scale`` is pixels per module."""
    out = io.BytesIO()
    segno.make_qr(text, error="m").save(
        out, kind="svg", scale=scale, xmldecl=False, svgns=True, light="#fff", dark="#000", nl=False
    )
    return out.getvalue().decode()


def qr_text(text: str) -> str:
    """Return the code in half-block characters, for a terminal with a dark ground."""
    out = io.StringIO()
    segno.make_qr(text, error="l").terminal(out, border=2, compact=True)
    return out.getvalue()


def qr_picture(text: str, scale: int = 12) -> NDArray[np.uint8]:
    """Return a picture with a quiet border, uint8 (h, w, 3); ``scale`` is pixels per module."""
    light = np.array(list(segno.make_qr(text, error="m").matrix_iter(scale, border=4))) == 0
    return np.asarray(np.repeat(light[..., None], 3, axis=2) * 255, np.uint8)
