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

from dashboard.overlay.contrast import DEFAULTS, LARGE, TEXT, contrast
from dashboard.overlay.style import COLOURS, checked_colour, checked_font
from game.errors import TilewatchError
from game.options import OptionPath, StrictOptions, load_options

_PAIRS: Final = (
    ("ink", "ground", TEXT),
    ("soft", "ground", TEXT),
    ("tile-ink", "tile", TEXT),
    ("accent", "ground", LARGE),
    ("left", "ground", LARGE),
    ("right", "ground", LARGE),
)
"""What is seen on what. The letters of a new tile take their colour from the accent."""


class EventError(TilewatchError):
    """A theme or a logo that cannot be used, in one line."""


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


def _faint(colours: Mapping[str, str]) -> Iterator[str]:
    for above, below, least in _PAIRS:
        found = contrast(colours[above], colours[below])
        if found < least:
            yield (
                f"{above} on {below} has a contrast of {found:.1f}; "
                f"it takes {least:g} to be read on a stream"
            )
