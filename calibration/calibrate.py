"""Makes a calibration from pictures of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np

from calibration import markers
from calibration.lens import Lens, Straightener, measure_lens
from calibration.model import Calibration, CalibrationError
from calibration.picture_quality import Judgement, judge, measure
from game.board import Square
from vision.errors import NoBoardFoundError
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.rectify import Corners, Image, as_corners, nearest_order, shift

_DOUBTFUL: Final = 6
"""A board with up to this many squares that are unreadable, by glare or print, counts as empty."""


OFF: Final = (0.12, 0.3)
"""The distances in squares between given corners and the detected grid from which the fit is fair,
and poor. A crop shows a quarter of a square around its square."""


@dataclass(frozen=True)
class Proposal:
    """A calibration that a person has to confirm, and the judgements of its picture."""

    calibration: Calibration
    judgements: tuple[Judgement, ...]
    occupied: tuple[str, ...]
    """The squares that seem occupied."""


def median_picture(pictures: Sequence[Image]) -> Image:
    """Return the median of several pictures: less noise, and no passing hand.

    Raises:
        CalibrationError: there are no pictures, or they differ in size.
    """
    if not pictures:
        raise CalibrationError("the camera gave no picture; see `tilewatch doctor`")
    if len({picture.shape for picture in pictures}) > 1:
        raise CalibrationError("the camera's pictures change their size; see `tilewatch doctor`")
    if len(pictures) == 1:
        return pictures[0]
    return np.asarray(np.median(np.stack(pictures), axis=0), np.uint8)


def propose(
    picture: Image,
    finder: Locator,
    reader: BoardReader,
    *,
    camera: str,
    settings: Mapping[str, float] | None = None,
    corners: Corners | None = None,
    lens: Lens | None = None,
    empty: bool | None = None,
    made: datetime | None = None,
) -> Proposal:
    """Return the calibration that a picture gives.

    Args:
        picture: as taken, uint8 (H, W, 3) BGR.
        finder: finds the board, and checks given corners.
        reader: reads whether it is empty.
        camera: a name that identifies the camera.
        settings: exposure and white balance to store.
        corners: corners of the grid set by hand, in the picture *straightened* by ``lens``; None to
            find the grid, and the lens too.
        lens: the lens by which the picture with ``corners`` was straightened.
        empty: a person's word: True if the board is empty, False if not; None to read it.
        made: the time of the calibration; None: now.

    Raises:
        CalibrationError: no board is found, or the corners are none.
    """
    if corners is not None:
        try:
            found = as_corners(corners)
        except ValueError as error:
            raise CalibrationError(f"these are no corners of a board: {error}") from None
    else:
        found, lens = _found(picture, finder)
    straight = picture if lens is None else Straightener(lens)(picture)
    occupied = _occupied(reader, straight, found)
    seen = measure(straight, found)
    calibration = Calibration(
        made=(made or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        camera=camera,
        picture=picture,
        corners=found,
        lens=lens,
        empty=not occupied if empty is None else empty,
        measures=seen,
        settings=dict(settings or {}),
        stickers=markers.learn(straight, found),
        by_hand=corners is not None,
    )
    judgements = (_fit(straight, found, finder), *judge(seen), *_emptiness(occupied, empty))
    return Proposal(calibration, judgements, occupied)


def nudged(proposal: Proposal, corners: Corners, finder: Locator, reader: BoardReader) -> Proposal:
    """Return the proposal with corners moved by hand. Raises ``CalibrationError``."""
    old = proposal.calibration
    new = propose(
        old.picture, finder, reader, camera=old.camera, settings=old.settings,
        corners=corners, lens=old.lens,
    )  # fmt: skip
    return replace(new, calibration=replace(new.calibration, made=old.made))


def _found(picture: Image, finder: Locator) -> tuple[Corners, Lens | None]:
    place = finder.locate(picture)
    if place is None:
        raise CalibrationError(
            "no board found in the picture; show the whole 15×15 grid, in focus and in better"
            " light, or set its corners by hand on the page"
        )
    fit = measure_lens(finder, picture, place.corners)
    if fit is None or not fit.worth:
        return _from_the_top_left(place.corners), None
    return _from_the_top_left(fit.corners), fit.lens


def _fit(straight: Image, corners: Corners, finder: Locator) -> Judgement:
    """Judge the corners by the grid's lines."""
    seen = finder.refine(straight, corners)
    if seen is None:
        return Judgement(
            "grid", "poor", "no grid is seen where the corners are",
            "Put the corners on those of the 15×15 squares, or take a new picture.",
        )  # fmt: skip
    off = shift(corners, nearest_order(seen.corners, corners))
    says = f"the corners are within {off:.2f} of a square of the lines that are seen"
    if off < OFF[0]:
        return Judgement("grid", "good", says)
    advice = "Move the corners until the lines lie on the lines, or take a new picture."
    return Judgement("grid", "poor" if off >= OFF[1] else "fair", says, advice)


def _from_the_top_left(corners: Corners) -> Corners:
    """Return the corners beginning at the picture's top left: an empty board has no top."""
    return np.roll(corners, -int(corners.sum(axis=1).argmin()), axis=0)


def _occupied(reader: BoardReader, straight: Image, corners: Corners) -> tuple[str, ...]:
    try:
        rows = reader.read(straight, corners).rows
    except NoBoardFoundError as error:
        raise CalibrationError(str(error)) from error
    names = [
        (Square(row, col).name, symbol)
        for row, line in enumerate(rows)
        for col, symbol in enumerate(line)
        if symbol != "."
    ]
    unsure = [name for name, symbol in names if symbol == "~"]
    sure = [name for name, symbol in names if symbol != "~"]
    return tuple(sure + (unsure if len(unsure) > _DOUBTFUL else []))


def _emptiness(occupied: tuple[str, ...], by_hand: bool | None) -> tuple[Judgement, ...]:
    if by_hand is True or (by_hand is None and not occupied):
        return (Judgement("empty board", "good", "nothing lies on the board"),)
    more = f" and {len(occupied) - 6} more" if len(occupied) > 6 else ""
    shown = ", ".join(occupied[:6]) + more
    return (
        Judgement(
            "empty board",
            "fair",
            f"something lies on {shown}" if occupied else "somebody says that something lies on it",
            "Clear the board and take the picture again: how it looks empty helps to tell blanks"
            " from squares. If it is empty, say so.",
        ),
    )
