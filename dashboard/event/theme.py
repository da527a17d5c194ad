"""The colours, font and logo of a broadcast: a small TOML file.

::

    font = "Fira Sans"      # installed where OBS runs
    logo = "logo.png"       # relative to this file

    [colours]               # as in the addresses of overlays: rrggbb or rrggbbaa
    accent = "00c2a8"
    ground = "101820f0"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import Field, field_validator

from dashboard.event.details import EventError
from dashboard.overlay.style import COLOURS, checked_colour, checked_font
from game.options import OptionPath, StrictOptions, load_options

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

_TEXT: Final = 4.5
_LARGE: Final = 3.0
"""The least contrast of text, and of large text and marks (WCAG 2.2, 1.4.3 and 1.4.11)."""

_PAIRS: Final = (
    ("ink", "ground", _TEXT),
    ("soft", "ground", _TEXT),
    ("tile-ink", "tile", _TEXT),
    ("tile-ink", "accent", _TEXT),
    ("accent", "ground", _LARGE),
    ("left", "ground", _LARGE),
    ("right", "ground", _LARGE),
)
"""What is seen on what: a new tile lies in the accent's colour."""


class Theme(StrictOptions):
    """A whole ``theme.toml``."""

    font: str | None = None
    logo: OptionPath | None = None
    colours: Mapping[str, str] = Field(default_factory=dict)

    @field_validator("font")
    @classmethod
    def _font(cls, value: str | None) -> str | None:
        return None if value is None else checked_font(value)

    @field_validator("colours")
    @classmethod
    def _colours(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for name in value:
            if name not in COLOURS:
                raise ValueError(f"unknown colour {name[:40]!r}; known are {', '.join(COLOURS)}")
        return {name: checked_colour(name, colour) for name, colour in value.items()}

    def warnings(self) -> list[str]:
        """Return a line for each pair of colours that are hard to tell from one another."""
        return list(_faint({**DEFAULTS, **self.colours}))


def load_theme(path: Path) -> Theme:
    """The theme in a file. Raises ``EventError`` with one line that names the key."""
    return load_options(path, Theme, EventError)


def contrast(above: str, below: str) -> float:
    """The contrast of two colours, from 1 to 21, each ``rrggbb`` or ``rrggbbaa``.

    What lies below shows the picture of the stream through: the worst picture counts.
    """
    return min(
        _ratio(_over(above, backdrop), backdrop)
        for backdrop in (_over(below, black_or_white) for black_or_white in ((0,) * 3, (255,) * 3))
    )


def _faint(colours: Mapping[str, str]) -> Iterator[str]:
    for above, below, least in _PAIRS:
        found = contrast(colours[above], colours[below])
        if found < least:
            yield (
                f"{above} on {below} has a contrast of {found:.1f}; "
                f"it takes {least:g} to be read on a stream"
            )


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
