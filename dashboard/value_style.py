"""The parameters of a value's page for a scene, as Woogles' OBS pages have them, each checked.

``static/obs/value.js`` reads them. A page with a value that cannot be is refused, with its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from game.errors import TilewatchError

_NAMES: Final = frozenset(
    """
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
    brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan
    darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen
    darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey
    darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite
    forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue
    lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
    lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime
    limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
    mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue
    mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
    palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
    powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen
    seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
    thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen
    """.split()  # noqa: SIM905 - a list of them is eight times as long
)
"""The colours that have a name (CSS Color 4, 6.1), and ``transparent``."""

_COLOUR: Final = re.compile(
    r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|hsl)a?\([0-9., %/deg]{5,40}\)",
    re.IGNORECASE,
)
_FONT: Final = re.compile(r"[\w \"',.&+-]{1,80}")


class ValueStyleError(TilewatchError, ValueError):
    """A parameter of a value's address that cannot be used, in one line."""


def _is_colour(text: str) -> bool:
    return text.lower() in _NAMES or _COLOUR.fullmatch(text) is not None


def _within(most: float) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        number = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?)(?:px)?", text, re.ASCII)
        return number is not None and float(number[1]) <= most

    return fits


_COLOURS: Final = (_is_colour, "a colour: its name, or hexadecimal digits after %23")
_PARAMETERS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "bg": _COLOURS,
    "color": _COLOURS,
    "blank": _COLOURS,
    "size": (_within(400), "pixels, up to 400"),
    "padding": (_within(400), "pixels, up to 400"),
    "speed": (_within(2000), "pixels a second, up to 2000"),
    "wrap": (_within(400), "letters in a line, up to 400"),
    "font": (lambda text: _FONT.fullmatch(text) is not None, "the name of a font"),
    "bold": (lambda text: text in ("0", "1"), "0 or 1"),
    "align": (lambda text: text in ("left", "center", "right"), "left, center or right"),
}


def require_possible(given: Mapping[str, str]) -> None:
    """Refuse a parameter that is unknown or has an impossible value. Raises ``ValueStyleError``."""
    for name, text in given.items():
        if name in ("delay", "token"):
            continue  # whoever counts them checks them
        if name not in _PARAMETERS:
            known = ", ".join((*_PARAMETERS, "delay", "token"))
            raise ValueStyleError(f"a value has no parameter {name[:40]!r}; it has {known}")
        fits, wanted = _PARAMETERS[name]
        if not fits(text):
            raise ValueStyleError(f"{name}: {wanted}")
