"""Judges whether a picture is good enough to read a board from, with advice.

The limits come from drawn boards on which one thing at a time was made worse: ``python
benchmarks/calibrate.py judge`` prints how many letters are then read wrong. *Poor* is where more
than one letter in a hundred is, *fair* where it begins to be more than on a good picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from calibration.picture_measures import Measures

Grade = Literal["good", "fair", "poor"]

GRADES: Final[tuple[Grade, ...]] = ("good", "fair", "poor")

BLUR: Final = (0.04, 0.05)
"""Squares of blur from which focus is fair, and poor."""

PIXELS: Final = (35.0, 26.0)
"""Pixels a square below which the picture is fair, and poor."""

EVENNESS: Final = (0.3, 0.15)
"""The darkest corner's share of the brightest one's light, likewise."""

DARK: Final = (70.0, 50.0)
"""Level of the brightest tenth of the board, of 255, likewise."""

BURNT: Final = (0.004, 0.03)
"""Share of the board that is washed out to white, from which it is fair, and poor."""

_NAMED: Final = 6


@dataclass(frozen=True)
class Judgement:
    """One thing judged: its name, the grade, the figure, and what to do about it ("" if good)."""

    name: str
    grade: Grade
    says: str
    advice: str = ""


def judge(seen: Measures) -> tuple[Judgement, ...]:
    """Judge focus, size, evenness, brightness and glare of a picture, each with advice."""
    return (_focus(seen), _size(seen), _evenness(seen), _brightness(seen), _glare(seen))


def worst(judgements: tuple[Judgement, ...]) -> Grade:
    """Return the worst of several grades."""
    return max((one.grade for one in judgements), key=GRADES.index, default="good")


def _focus(seen: Measures) -> Judgement:
    if seen.blur is None:
        return Judgement(
            "focus", "poor", "no sharp line in the picture",
            "Focus on the board; see that the lens is clean and uncovered.",
        )  # fmt: skip
    grade = _above(seen.blur, BLUR)
    advice = {
        "good": "",
        "fair": "Turn the lens's ring a little either way, and see whether this figure falls.",
        "poor": "Letters are too soft to tell apart. Focus on the board, not on what is before it;"
        " wipe the lens.",
    }[grade]
    return Judgement("focus", grade, f"edges are {seen.blur:.3f} of a square soft", advice)


def _size(seen: Measures) -> Judgement:
    grade = _below(seen.pixels, PIXELS)
    advice = {
        "good": "",
        "fair": "40 pixels a square or more read best: bring the camera nearer, or set a larger"
        " picture in the configuration.",
        "poor": "Too small to tell letters apart. Bring the camera nearer, set a larger picture,"
        " or see that the board fills it.",
    }[grade]
    return Judgement("size", grade, f"{seen.pixels:.0f} pixels a square", advice)


def _evenness(seen: Measures) -> Judgement:
    grade = _below(seen.evenness, EVENNESS)
    advice = {
        "good": "",
        "fair": "Turn the lamp away from the near corner, or add a second one opposite.",
        "poor": "One side of the board is in the dark. Light it from two sides, from farther off.",
    }[grade]
    says = f"the darkest corner has {seen.evenness:.0%} of the light of the brightest"
    return Judgement("evenness", grade, says, advice)


def _brightness(seen: Measures) -> Judgement:
    says = f"the bright parts of the board are at {seen.level:.0f} of 255"
    if seen.burnt > 0.5:
        return Judgement(
            "brightness", "poor", f"{seen.burnt:.0%} of the board is washed out to white",
            "Far too bright: shorten the exposure, lower the gain, or dim the lamp.",
        )  # fmt: skip
    grade = _below(seen.level, DARK)
    advice = {
        "good": "",
        "fair": "More light reads better: a brighter lamp or a longer exposure.",
        "poor": "Too dark: noise hides the letters. Add a lamp or lengthen the exposure.",
    }[grade]
    return Judgement("brightness", grade, says, advice)


def _glare(seen: Measures) -> Judgement:
    if not seen.glare or seen.burnt > 0.5:
        return Judgement("glare", "good", "no square is washed out")
    grade = _above(seen.burnt, BURNT)
    names = ", ".join(square.name for square in seen.glare[:_NAMED])
    more = f" and {len(seen.glare) - _NAMED} more" if len(seen.glare) > _NAMED else ""
    if grade == "good":
        grade = "fair"
    return Judgement(
        "glare",
        grade,
        f"a reflection hides {names}{more}",
        "Move the lamp or the window's light to the side until it is gone; a sheet of white paper"
        " before the lamp helps. Polished tiles will shine in the same place.",
    )


def _above(value: float, limits: tuple[float, float]) -> Grade:
    return "poor" if value >= limits[1] else "fair" if value >= limits[0] else "good"


def _below(value: float, limits: tuple[float, float]) -> Grade:
    return "poor" if value < limits[1] else "fair" if value < limits[0] else "good"
