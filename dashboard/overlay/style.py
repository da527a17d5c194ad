"""The looks of an overlay, from its address: every parameter is checked before a page is made.

Nothing else is taken from an address, so no page can be given a style that is not one of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dashboard.sent import whole_number
from game.errors import TilewatchError
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
    """An address of an overlay that says something it cannot, in one line."""


@dataclass(frozen=True, slots=True)
class OverlayStyle:
    """The looks that the address of an overlay asks for."""

    size: int = 100
    """Per cent."""
    delay_s: int = 0
    font: str | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    """``rrggbb`` or ``rrggbbaa`` by what they are for."""
    seconds: int = 8
    """How long a bingo or a challenge is shown."""
    rows: int = 10
    """Lines of the standings that are shown at once."""
    sample: bool = False
    """Whether an example is shown of what comes now and then: for placing the source."""
    division: str | None = None
    """The division whose standings are shown; without one, that of the players in the slot."""

    @property
    def style(self) -> dict[str, str]:
        """It as custom properties of a style sheet."""
        style = {f"--{name}": f"#{colour}" for name, colour in self.colours.items()}
        if self.font is not None:
            style["--font"] = f'"{self.font}"'
        style["--size"] = f"{self.size / 100:g}"
        return style


def look_of(
    parameters: Mapping[str, str],
    font: str | None = None,
    colours: Mapping[str, str] | None = None,
) -> OverlayStyle:
    """The look that the parameters of an address say; ``font`` and ``colours`` where they do not.

    Raises ``OverlayStyleError``.
    """
    known = ("size", "delay", "font", *COLOURS, "seconds", "rows", "division", "token", "sample")
    for name in parameters:
        if name not in known:
            raise OverlayStyleError(
                f"an overlay has no parameter {name!r}; it has {', '.join(known)}"
            )
    given = {name: checked_colour(name, parameters[name]) for name in COLOURS if name in parameters}
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
    )


def checked_colour(name: str, colour: str) -> str:
    """``rrggbb`` or ``rrggbbaa`` in small letters. Raises ``OverlayStyleError``."""
    colour = colour.removeprefix("#")
    if _COLOUR.fullmatch(colour) is None:
        raise OverlayStyleError(f"{name}: six or eight hexadecimal digits, such as ffc53d")
    return colour.lower()


def checked_font(font: str) -> str:
    """The name of a font. Raises ``OverlayStyleError``."""
    if _FONT.fullmatch(font) is None:
        raise OverlayStyleError("font: the name of one font that is installed where OBS runs")
    return font


def delay_of(parameters: Mapping[str, str]) -> int:
    """The delay that the parameters of an address say, in seconds. Raises ``OverlayStyleError``."""
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
