"""Whether a calibration still holds, and stickers on the rim."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration import markers
from calibration.calibrate import median_picture, nudged, propose
from calibration.model import CalibrationError
from calibration.recheck import CalibratedFinder, recheck
from models.scenes.spec import Glare, Light, Surface
from vision.rectify import homography

from .conftest import EMPTY, drawn


@pytest.fixture(scope="module")
def calibration(spec, locator, reader):
    return propose(drawn(spec).image, locator, reader, camera="webcam 0").calibration


GAME = ("." * 15,) * 7 + ("....STREAMER...",) + ("." * 15,) * 7


def verdict(calibration, scene, locator, reader):
    reading = reader.read(scene.image)
    return recheck(calibration, scene.image, locator, reading)


def test_what_is_found_is_the_truth(spec, calibration):
    scene = drawn(spec)
    off = np.linalg.norm(calibration.corners[:, None] - scene.corners[None], axis=2).min(axis=1)
    assert off.max() < 0.12 * calibration.measures.pixels
    assert calibration.empty
    assert calibration.lens is None


@pytest.mark.parametrize(
    ("rows", "roll", "target", "says"),
    [
        (EMPTY, 0, None, "the calibration still holds"),
        (GAME, 0, None, "the calibration still holds"),
        (GAME, 90, None, ""),  # turned on its turntable
        (EMPTY, 6, (7.0, 7.9), "turned or nudged"),
    ],
)
def test_it_holds_while_the_board_is_there(
    spec, calibration, locator, reader, rows, roll, target, says
):
    camera = replace(spec.camera, roll=spec.camera.roll + roll, target=target or spec.camera.target)
    found = verdict(calibration, drawn(spec, rows, seed=9, camera=camera), locator, reader)
    assert found.holds, found.line
    assert says in found.line


PURPLE = Surface((120, 40, 110), "plain", 0.05)
PREMIUMS = ((30, 200, 40), (10, 90, 10), (200, 240, 90), (240, 240, 240))


@pytest.mark.parametrize(
    ("part", "changes", "output"),
    [
        ("camera", {"scale": 0.85}, "the camera was moved: a square has"),
        ("camera", {"target": (11.5, 7.5)}, "its middle is"),
        ("sensor", {"blur": 4.0}, "out of focus"),
        ("light", {"gain": (0.1,) * 3, "metering": 0.0}, "brightness"),
        ("board", {"square": PURPLE, "premiums": PREMIUMS}, "other colours"),
    ],
)
def test_why_it_no_longer_holds_is_said(spec, calibration, locator, reader, part, changes, output):
    if "scale" in changes:
        changes = {"scale": spec.camera.scale * changes["scale"]}
    now = drawn(spec, **{part: replace(getattr(spec, part), **changes)})
    found = verdict(calibration, now, locator, reader)
    assert not found.holds
    assert output in found.line
    assert found.line.endswith("run `tilewatch calibrate`")
    assert "\n" not in found.line


def test_pictures_of_another_size_are_another_camera(spec, calibration, locator):
    small = cv2.resize(drawn(spec).image, (640, 480))
    found = recheck(calibration, small, locator)
    assert "the camera gives pictures of 640×480, not" in found.line


def test_a_picture_without_a_board_is_said(calibration, locator):
    width, height = calibration.size
    grey = np.full((height, width, 3), 90, np.uint8)
    assert "no board is found" in recheck(calibration, grey, locator).line


def test_new_glare_is_a_note_and_no_end(spec, calibration, locator, reader):
    glare = Glare(at=(0.5, 0.5), size=(0.14, 0.14), angle=0, strength=1.3, softness=0.01)
    found = verdict(calibration, drawn(spec, light=Light(glares=(glare,))), locator, reader)
    assert found.holds
    assert "glare" in found.line


def test_corners_by_hand_keep_the_lens_and_are_judged(spec, calibration, locator, reader):
    proposal = propose(drawn(spec).image, locator, reader, camera="webcam 0")
    moved = nudged(proposal, proposal.calibration.corners + 20, locator, reader)
    grid = next(one for one in moved.judgements if one.name == "grid")
    assert grid.grade == "poor"
    assert moved.calibration.by_hand
    with pytest.raises(CalibrationError, match="no corners of a board"):
        nudged(proposal, np.zeros((4, 2), np.float32), locator, reader)


def test_several_pictures_make_a_steady_one():
    still = np.full((10, 10, 3), 100, np.uint8)
    hand = still.copy()
    hand[:5] = 200
    assert (median_picture([still, hand, still]) == 100).all()
    with pytest.raises(CalibrationError, match="change their size"):
        median_picture([still, still[:5]])
    with pytest.raises(CalibrationError, match="gave no picture"):
        median_picture([])


# --- stickers ---


def stuck(scene, numbers=(0, 1, 2, 3)):
    """The picture with stickers on the rim, near the corners, each askew by some degrees."""
    image = scene.image.copy()
    dictionary = cv2.aruco.getPredefinedDictionary(markers.DICTIONARY)
    places = [(-0.62, -0.5), (15.6, -0.55), (15.62, 15.5), (-0.6, 15.55)]
    for number, (x, y) in zip(numbers, places, strict=False):
        sheet = np.full((60, 60), 255, np.uint8)
        sheet[10:50, 10:50] = cv2.aruco.generateImageMarker(dictionary, number, 40)
        half = 0.62
        turn = np.radians(10.0 * number - 15)
        box = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        box = box @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        board = (box + np.array([x, y])).astype(np.float32)
        source = np.array([[0, 0], [60, 0], [60, 60], [0, 60]], np.float32)
        matrix = homography(scene.corners) @ cv2.getPerspectiveTransform(source, board)
        size = image.shape[1], image.shape[0]
        on = cv2.warpPerspective(sheet, matrix, size, flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(np.full_like(sheet, 255), matrix, size) > 127
        image[mask] = (on[mask][:, None] * 0.85 + 15).astype(np.uint8)
    return cv2.GaussianBlur(image, (0, 0), 0.6)


@pytest.fixture(scope="module")
def near(spec):
    return replace(spec, camera=replace(spec.camera, width=1280, height=960, scale=46.0))


@pytest.fixture(scope="module")
def stickers(near, locator, reader):
    """A calibration with stickers on the rim."""
    return propose(stuck(drawn(near)), locator, reader, camera="webcam 0").calibration


def off(corners, truth, pixels):
    return np.linalg.norm(corners - truth, axis=1).max() / pixels


def test_stickers_place_the_board_which_way_round_it_lies(near, stickers):
    assert [one.number for one in stickers.stickers] == [0, 1, 2, 3]
    # Which corner came first when it was calibrated is known from the first picture.
    first = int(np.linalg.norm(drawn(near).corners - stickers.corners[0], axis=1).argmin())
    for turn in (0, 200):
        camera = replace(near.camera, roll=near.camera.roll + turn)
        scene = drawn(near, GAME, camera=camera)
        place = markers.place(stuck(scene), stickers)
        expected = np.roll(scene.corners, -first, axis=0)
        assert off(place, expected, stickers.measures.pixels) < 0.2


def test_two_that_are_seen_are_enough_and_one_or_two_alike_are_not(near, stickers):
    scene = drawn(near, GAME)
    seen = {
        numbers: markers.place(stuck(scene, numbers), stickers) is not None
        for numbers in ((0, 1), (0,), (0, 1, 1, 0))
    }
    assert seen == {(0, 1): True, (0,): False, (0, 1, 1, 0): False}
    assert markers.place(scene.image, stickers) is None


class Counting:
    """A locator whose searches are counted; it sees no board where it is ``blind``."""

    def __init__(self, locator, blind_at=None):
        self.locator, self.blind_at, self.searched = locator, blind_at, 0

    def refine(self, image, corners):
        return None if corners is self.blind_at else self.locator.refine(image, corners)

    def candidates(self, image):
        self.searched += 1
        return self.locator.candidates(image) if self.blind_at is None else []


def off_any_way(corners, truth, pixels):
    """As ``off``, whichever corner comes first."""
    return min(off(np.roll(corners, k, axis=0), truth, pixels) for k in range(4))


def test_the_finder_goes_by_stickers_where_the_locator_sees_nothing(near, locator, stickers):
    scene = drawn(near, GAME)
    counting = Counting(locator, stickers.corners)
    finder = CalibratedFinder(counting, stickers)
    (place,) = finder.candidates(stuck(scene))
    assert off_any_way(place.corners, scene.corners, stickers.measures.pixels) < 0.12
    assert counting.searched == 0
    assert finder.candidates(scene.image) == []
    assert counting.searched == 1


def test_the_finder_need_not_search_for_a_board_that_is_in_its_place(spec, calibration, locator):
    counting = Counting(locator)
    finder = CalibratedFinder(counting, calibration)
    pixels = calibration.measures.pixels
    (place,) = finder.candidates(drawn(spec, GAME).image)
    assert off(place.corners, calibration.corners, pixels) < 0.1
    assert counting.searched == 0
    roll = spec.camera.roll + 25
    for moved in ({"roll": roll}, {"target": (6.5, 7.5)}, {"target": (8.5, 8.5)}):
        scene = drawn(spec, GAME, camera=replace(spec.camera, **moved))
        place = finder.candidates(scene.image)[0]
        assert off_any_way(place.corners, scene.corners, pixels) < 0.12
    assert counting.searched == 3
