"""Contrast of colours, and the colours derived from a theme so that text can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DEFAULTS: Final[Mapping[str, str]] = {
    "accent": "ffc53d",
    "ground": "0b121bf0",
    "ink": "f5f7fa",
    "soft": "a9b7c6",
    "left": "5aa8ff",
    "right": "ff8a63",
    "tile": "f7e8c3",
    "tile-ink": "1d1710",
    "board": "101b27",
    "cell": "213040",
}
"""The colours of static/overlay/look.css."""

TEXT: Final = 4.5
LARGE: Final = 3.0
"""The least contrast of text, and of large text and marks (WCAG 2.2, 1.4.3 and 1.4.11)."""

_BLANK: Final = "a3123a"
"""The letter of a blank, as in static/board.css."""


def derived_colours(colours: Mapping[str, str]) -> dict[str, str]:
    """The custom properties that follow from colours that were set, each ``#rrggbb``.

    Letters on a surface whose colour was set stay readable; shades of a tile and lines on a panel
    follow it. What was not set keeps the style sheet's colours.
    """
    all_colours = {**DEFAULTS, **colours}
    derived: dict[str, str] = {}
    if "tile" in colours or "tile-ink" in colours:
        tile = all_colours["tile"]
        derived |= {"tile-deep": tile, "blank": _readable(tile, _BLANK, all_colours["tile-ink"])}
        derived["tile-edge"] = "0000004d"
    if "accent" in colours:
        ink = _readable(colours["accent"], "1f1300")
        derived |= {"lit-ink": ink, "lit-blank": _readable(colours["accent"], _BLANK, ink)}
    if "board" in colours or "soft" in colours:
        derived["coord"] = _readable(all_colours["board"], all_colours["soft"])
    if "ground" in colours and contrast("000000", colours["ground"]) > TEXT:
        derived |= {"edge": "0000002e", "chip": "00000014", "bad": "b3211b"}
    return {f"--{name}": f"#{colour}" for name, colour in derived.items()}


def contrast(above: str, below: str) -> float:
    """The contrast of two colours, from 1 to 21, each ``rrggbb`` or ``rrggbbaa``.

    What lies below shows the picture of the stream through: the worst picture counts.
    """
    return min(
        _ratio(_over(above, backdrop), backdrop)
        for backdrop in (_over(below, black_or_white) for black_or_white in ((0,) * 3, (255,) * 3))
    )


def _readable(below: str, *preferred: str) -> str:
    """The first of the preferred colours that can be read there, else black or white."""
    readable = (colour for colour in preferred if contrast(colour, below) >= TEXT)
    return next(readable, max(("000000", "ffffff"), key=lambda colour: contrast(colour, below)))


def _over(colour: str, backdrop: tuple[float, ...]) -> tuple[float, ...]:
    parts = bytes.fromhex(colour)
    opacity = parts[3] / 255 if len(parts) == 4 else 1.0
    mixed = zip(parts[:3], backdrop, strict=True)
    return tuple(part * opacity + behind * (1 - opacity) for part, behind in mixed)


def _ratio(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: tuple[float, ...]) -> float:
    """The relative luminance of a colour, from 0 to 1 (WCAG 2.2)."""
    shares = (part / 255 for part in colour)
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
