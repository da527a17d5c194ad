"""The style of an overlay, from its address: every parameter is checked before a page is made.

Nothing else is taken from an address, so no page can be given a style that is not one of these.


Contrast of colours, and the colours derived from a theme so that text can be read.

The colours, font and logo of a broadcast: a small TOML file.

::

    font = "Fira Sans"      # installed where OBS runs
    logo = "logo.png"       # relative to this file

    [colours]               # as in the addresses of overlays: rrggbb or rrggbbaa
    accent = "00c2a8"
    ground = "101820f0"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import Field, field_validator

from dashboard.sent import whole_number
from game.errors import TilewatchError
from game.options import OptionPath, StrictOptions, load_options
from table.views.public_policy import MAX_OVERLAY_DELAY_S

MAX_DELAY_S: Final = MAX_OVERLAY_DELAY_S

COLOURS: Final[Mapping[str, str]] = {
    "accent": "what is new or on turn",
    "ground": "the panels",
    "ink": "the lettering",
    "soft": "the lesser lettering",
    "left": "the left player",
    "right": "the right player",
    "tile": "the tiles",
    "tile-ink": "their letters",
    "board": "the board around its squares",
    "cell": "a plain square",
}
"""The colours that can be set, and what each one colours."""

_COLOUR: Final = re.compile(r"[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?")
_FONT: Final = re.compile(r"[\w][\w .&+-]{0,47}")


class OverlayStyleError(TilewatchError, ValueError):
    """A parameter of an overlay's address that cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class OverlayStyle:
    """The style that the address of an overlay asks for."""

    size: int = 100
    """The size of the overlay in per cent."""
    delay_s: int = 0
    font: str | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    """``rrggbb`` or ``rrggbbaa``, by the keys of :data:`COLOURS`."""
    seconds: int = 8
    """Seconds for which a bingo or a challenge is shown."""
    rows: int = 10
    """Lines of the standings that are shown at once."""
    sample: bool = False
    """True to show examples of what appears only sometimes, for placing the source."""
    graphic: str | None = None
    """A graphic of the show, to be seen whatever is on air."""
    division: str | None = None
    """The division whose standings are shown; without one, that of the players in the slot."""

    @property
    def style(self) -> dict[str, str]:
        """The style as custom properties of a style sheet."""
        style = {f"--{name}": f"#{colour}" for name, colour in self.colours.items()}
        if self.font is not None:
            style["--font"] = f'"{self.font}"'
        style["--size"] = f"{self.size / 100:g}"
        return style


def style_of(
    parameters: Mapping[str, str],
    font: str | None = None,
    colours: Mapping[str, str] | None = None,
) -> OverlayStyle:
    """Return the style that an address asks for; ``font`` and ``colours`` are the defaults.

    Raises ``OverlayStyleError``.
    """
    known = (
        "size",
        "delay",
        "font",
        *COLOURS,
        "seconds",
        "rows",
        "division",
        "token",
        "sample",
        "graphic",
        "monitor",
    )
    for name in parameters:
        if name not in known:
            raise OverlayStyleError(
                f"an overlay has no parameter {name!r}; it has {', '.join(known)}"
            )
    given = {name: checked_colour(name, parameters[name]) for name in COLOURS if name in parameters}
    graphic = parameters.get("graphic")
    if graphic is not None and re.fullmatch(r"[a-z_]{1,20}", graphic) is None:
        raise OverlayStyleError("graphic: the name of one graphic of the show")
    division = parameters.get("division")
    if division is not None and not (division.isprintable() and len(division) <= 40):
        raise OverlayStyleError("division: a name of up to 40 letters, as the pairings have it")
    return OverlayStyle(
        size=_number("size", parameters.get("size"), 100, 25, 400),
        delay_s=delay_of(parameters),
        font=checked_font(parameters["font"]) if "font" in parameters else font,
        colours={**(colours or {}), **given},
        seconds=_number("seconds", parameters.get("seconds"), 8, 3, 60),
        rows=_number("rows", parameters.get("rows"), 10, 3, 20),
        sample=_yes("sample", parameters.get("sample")),
        division=division,
        graphic=graphic,
    )


def checked_colour(name: str, colour: str) -> str:
    """``rrggbb`` or ``rrggbbaa`` in small letters. Raises ``OverlayStyleError``."""
    colour = colour.removeprefix("#")
    if _COLOUR.fullmatch(colour) is None:
        raise OverlayStyleError(f"{name}: six or eight hexadecimal digits, such as ffc53d")
    return colour.lower()


def checked_font(font: str) -> str:
    """Return the name of a font. Raises ``OverlayStyleError``."""
    if _FONT.fullmatch(font) is None:
        raise OverlayStyleError("font: the name of one font that is installed where OBS runs")
    return font


def delay_of(parameters: Mapping[str, str]) -> int:
    """Return the delay that an address asks for, in seconds. Raises ``OverlayStyleError``."""
    return _number("delay", parameters.get("delay"), 0, 0, MAX_DELAY_S)


def _yes(name: str, parameter: str | None) -> bool:
    if parameter not in (None, "yes"):
        raise OverlayStyleError(f"{name}: yes, or leave it out")
    return parameter is not None


def _number(name: str, parameters: str | None, otherwise: int, least: int, most: int) -> int:
    if parameters is None:
        return otherwise
    number = whole_number(parameters, least, most)
    if number is None:
        raise OverlayStyleError(f"{name}: a whole number from {least} to {most}")
    return number


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
"""The colour of a blank's letter, as in static/board.css."""


def derived_colours(colours: Mapping[str, str]) -> dict[str, str]:
    """Return the custom properties that follow from the colours set, each ``#rrggbb``.

    Letters stay readable on a surface whose colour was set; shades of a tile and lines on a panel
    are derived from its colour. Other properties keep the style sheet's colours.
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
    """Return the contrast of two colours, from 1 to 21, each ``rrggbb`` or ``rrggbbaa``.

    ``below`` may be translucent: the least contrast over any picture behind it counts.
    """
    return min(
        _ratio(_over(above, backdrop), backdrop)
        for backdrop in (_over(below, black_or_white) for black_or_white in ((0,) * 3, (255,) * 3))
    )


def _readable(below: str, *preferred: str) -> str:
    """Return the first preferred colour that is readable on ``below``, else black or white."""
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
    """Return the relative luminance of a colour, from 0 to 1 (WCAG 2.2)."""
    shares = (part / 255 for part in colour)
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


_PAIRS: Final = (
    ("ink", "ground", TEXT),
    ("soft", "ground", TEXT),
    ("tile-ink", "tile", TEXT),
    ("accent", "ground", LARGE),
    ("left", "ground", LARGE),
    ("right", "ground", LARGE),
)
"""Pairs of colours that are seen on one another, with the least contrast. The accent is also the
colour of the letters of a new tile."""


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
    """Return the theme in a file. Raises ``EventError`` with one line that names the wrong key."""
    return load_options(path, Theme, EventError)


def _faint(colours: Mapping[str, str]) -> Iterator[str]:
    for above, below, least in _PAIRS:
        found = contrast(colours[above], colours[below])
        if found < least:
            yield (
                f"{above} on {below} has a contrast of {found:.1f}; "
                f"it takes {least:g} to be read on a stream"
            )
