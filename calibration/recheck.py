"""Finds the board with the help of a calibration, and checks if that is still valid.

The board itself may be moved and turned, since it is found in every frame again. A calibration
concerns the camera's position, focus and picture, and the appearance of the empty board.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration import markers
from calibration.model import Calibration
from calibration.picture_quality import BLUR, Measures, judge, measure
from vision.decode import SYMBOL_ORDER
from vision.locate.locator import ITERATIONS, SURE, Location, Locator
from vision.reading import Reading
from vision.rectify import Corners, Image, nearest_order, pixels_per_square, rectify, shift

STILL_THERE: Final = 0.5
"""The most squares by which a board may be off its calibrated place without a new search. With more
than half a square, a square could be taken for its neighbour."""


class CalibratedFinder:
    """Finds boards by their stickers, else where the calibration has them, else anywhere.

    It is a ``vision.reader.Finder`` for straightened pictures. ``calibration`` may be replaced at
    any time, from any thread.
    """

    def __init__(self, locator: Locator, calibration: Calibration | None = None) -> None:
        self.locator = locator
        self.calibration = calibration

    def candidates(self, image: Image) -> list[Location]:
        """Return the places that may be a grid, likeliest first; only one if there is no doubt."""
        known = self.calibration
        if known is None:
            return self.locator.candidates(image)
        guess = markers.place(image, known)
        if guess is not None:
            found = self.locator.refine(image, guess)
            if found is not None:
                return [Location(nearest_order(found.corners, guess), found.score)]
        found = self.locator.refine(image, known.corners)
        if found is not None and found.score > SURE:
            here = nearest_order(found.corners, known.corners)
            if shift(known.corners, here) < STILL_THERE:
                return [Location(here, found.score)]
        return self.locator.candidates(image)

    def refine(
        self, image: Image, corners: Corners, iterations: int = ITERATIONS
    ) -> Location | None:
        """Return the grid near the given corners; None if it is not found there."""
        return self.locator.refine(image, corners, iterations)


IN_PLACE: Final = 0.3
"""The most squares by which the corners of an unmoved board may differ."""

SCALE: Final = 0.07
"""Relative change of the squares' size from which the camera must have moved: a board that is
turned or pushed on a table under a camera straight above changes by less."""

STRAYED: Final = 2.5
"""The most squares by which a nudge moves the middle of a board."""

SOFTER: Final = 1.6
"""With this many times the calibrated blur, the lens must have been touched."""

OTHER_COLOURS: Final = 22.0
"""Distance in L*a*b*, of which three in four empty squares stay below, between them and what they
would be on the calibrated board in this light. The same board has up to 2 in the same light and up
to 17 under quite another (19 of 20 drawn boards); three in four other boards have more than 24
(`benchmarks/empty_board.py`)."""


@dataclass(frozen=True)
class RecheckResult:
    """The result of a check.

    Attributes:
        holds: True if the calibration is still valid.
        reasons: the reasons why it is not valid; empty if it is.
        notes: changes that do not make it invalid.
        corners: where the board is now, in the straightened picture; None where it was not found.
    """

    holds: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()
    corners: Corners | None = None

    @property
    def line(self) -> str:
        """Return the result in one line."""
        if self.holds:
            text = "the calibration still holds"
            return f"{text}: {'; '.join(self.notes)}" if self.notes else text
        return (
            f"the calibration no longer holds, because {'; '.join(self.reasons)};"
            " run `tilewatch calibrate`"
        )


def recheck(
    calibration: Calibration, image: Image, finder: Locator, reading: Reading | None = None
) -> RecheckResult:
    """Check a calibration by a picture taken now.

    Args:
        calibration: the one to check.
        image: uint8 (H, W, 3) BGR, as the camera gives it.
        finder: finds the board.
        reading: of the straightened picture, if there is one: its empty squares are compared with
            the empty board's.
    """
    size = (image.shape[1], image.shape[0])
    if size != calibration.size:
        was = calibration.size
        return RecheckResult(
            False,
            (f"the camera gives pictures of {size[0]}×{size[1]}, not {was[0]}×{was[1]}",),
        )
    straight = calibration.straight(image)
    found = CalibratedFinder(finder, calibration).candidates(straight)
    if not found:
        return RecheckResult(False, ("no board is found in the picture",))
    here = nearest_order(found[0].corners, calibration.corners)
    reasons: list[str] = []
    notes: list[str] = []
    _placed(calibration, here, reasons, notes)
    _sharp_and_lit(calibration.measures, measure(straight, here), reasons, notes)
    if reading is not None and calibration.empty_board is not None:
        off = appearance_difference(calibration, straight, reading)
        if off is not None and off > OTHER_COLOURS:
            reasons.append("the empty squares have other colours: is it another board?")
    return RecheckResult(not reasons, tuple(reasons), tuple(notes), here)


def appearance_difference(
    calibration: Calibration, straight: Image, reading: Reading
) -> float | None:
    """Return the distance of the empty squares' colours from the calibrated ones, in L*a*b*.

    None if too few are empty.
    """
    if calibration.empty_board is None or reading.posterior is None:
        return None
    residual = calibration.empty_board.residual(
        rectify(straight, reading.corners), reading.posterior
    )
    if residual is None:
        return None
    free = reading.posterior[..., SYMBOL_ORDER.index(".")] > 0.9
    off = np.linalg.norm(residual.colour[free], axis=1)
    return float(np.percentile(off, 75)) if free.any() else None


def _placed(calibration: Calibration, here: Corners, reasons: list[str], notes: list[str]) -> None:
    moved = shift(calibration.corners, here)
    if moved <= IN_PLACE:
        return
    was, now = pixels_per_square(calibration.corners), pixels_per_square(here)
    strayed = float(
        np.linalg.norm(here.mean(axis=0) - calibration.corners.mean(axis=0)) / max(was, 1e-6)
    )
    if abs(now / was - 1) > SCALE:
        reasons.append(
            f"the camera was moved: a square has {now:.0f} pixels now, and had {was:.0f}"
        )
    elif strayed > STRAYED:
        reasons.append(
            f"the camera or the board was moved: its middle is {strayed:.1f} squares from where it"
            " was"
        )
    else:
        notes.append(f"the board was turned or nudged by {moved:.1f} squares, and is followed")


def _sharp_and_lit(was: Measures, now: Measures, reasons: list[str], notes: list[str]) -> None:
    if now.blur is not None and now.blur >= BLUR[1] and now.blur > SOFTER * (was.blur or 0.0):
        reasons.append(
            f"the picture is out of focus: edges are {now.blur:.3f} of a square soft, and were"
            f" {was.blur or 0.0:.3f}"
        )
    for now_one, was_one in zip(judge(now), judge(was), strict=True):
        if now_one.name in ("brightness", "glare", "evenness") and now_one.grade == "poor":
            if was_one.grade == "poor":
                continue
            text = f"{now_one.name}: {now_one.says}"
            (reasons if now_one.name == "brightness" else notes).append(text)
