"""A line of text as a QR code: for a page, and for a terminal."""

from __future__ import annotations

import io

import segno


def qr_svg(text: str, scale: int = 5) -> str:
    """The code as an SVG element, black on white with a quiet border; ``scale`` pixels a module."""
    out = io.BytesIO()
    segno.make_qr(text, error="m").save(
        out, kind="svg", scale=scale, xmldecl=False, svgns=True, light="#fff", dark="#000", nl=False
    )
    return out.getvalue().decode()


def qr_text(text: str) -> str:
    """The code in half-block characters, for a terminal with a dark ground."""
    out = io.StringIO()
    segno.make_qr(text, error="l").terminal(out, border=2, compact=True)
    return out.getvalue()
