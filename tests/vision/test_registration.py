"""The board of one picture found in another: turned, pushed, with other tiles on it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.errors import TilewatchError
from models.scenes.render import render
from tools.scenes import random_spec
from vision.registration import register_board

EMPTY = "." * 15
EARLY = (*(EMPTY,) * 7, "...FIRNS.......", *(EMPTY,) * 7)
LATE = (
    *(EMPTY,) * 5,
    "........QUIT...",
    EMPTY,
    "...FIRNS.......",
    "...OX..........",
    *(EMPTY,) * 6,
)


def jpeg(image: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", image)[1].tobytes()


@pytest.fixture(scope="module")
def scenes():
    """One board early in a game, and later, from one camera."""
    spec = random_spec(np.random.default_rng(5), plain_only=True)
    early = render(spec, EARLY, np.random.default_rng(1))
    late = render(spec, LATE, np.random.default_rng(2))
    return early, late


def moved(image: np.ndarray, corners: np.ndarray, degrees: float, dx: float, dy: float):
    """The picture turned about its middle and pushed, and where its corners then are."""
    height, width = image.shape[:2]
    side = int(np.hypot(width, height)) + 40
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    matrix[:, 2] += (side / 2 - width / 2 + dx, side / 2 - height / 2 + dy)
    turned = cv2.warpAffine(image, matrix, (side, side), borderValue=(70, 80, 90))
    return turned, cv2.transform(np.asarray(corners, np.float32)[None], matrix)[0]


def off(found: np.ndarray | None, corners: np.ndarray) -> float:
    """The furthest that a corner is off, in squares."""
    assert found is not None
    square = np.linalg.norm(corners[1] - corners[0]) / 15
    return float(np.linalg.norm(found - corners, axis=1).max() / square)


@pytest.mark.parametrize("degrees", [4, 180, 270])
def test_a_board_is_found_however_it_was_turned(scenes, degrees):
    early, late = scenes
    image, corners = moved(late.image, late.corners, degrees, 12, -9)
    found = register_board(jpeg(early.image), early.corners, jpeg(image))
    assert off(found, corners) < 0.2


def test_a_board_is_found_in_a_smaller_picture(scenes):
    early, late = scenes
    small = cv2.resize(late.image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    found = register_board(jpeg(early.image), early.corners, jpeg(small))
    assert off(found, late.corners * 0.5) < 0.3


@pytest.mark.parametrize("shown", ["noise", "grey", "the board covered"])
def test_a_picture_that_does_not_show_the_board_has_none(scenes, shown):
    early, late = scenes
    image = late.image.copy()
    cv2.fillConvexPoly(image, np.rint(late.corners * 1.0).astype(np.int32), (60, 60, 60))
    if shown != "the board covered":
        noise = np.random.default_rng(3).integers(0, 255, (480, 640, 3), dtype=np.uint8)
        grey = np.full((480, 640, 3), 90, np.uint8)
        image = cv2.GaussianBlur(noise, (0, 0), 2) if shown == "noise" else grey
    assert register_board(jpeg(early.image), early.corners, jpeg(image)) is None


def test_what_is_no_picture_is_one_line(scenes):
    early, _ = scenes
    with pytest.raises(TilewatchError) as caught:
        register_board(jpeg(early.image), early.corners, b"no picture")
    assert "\n" not in str(caught.value)
