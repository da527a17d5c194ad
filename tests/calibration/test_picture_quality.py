"""What is measured of a picture, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.picture_quality import judge, measure, worst
from models.scenes.spec import Glare, Light, Sensor

from .conftest import drawn


def grade(scene, name):
    return {one.name: one for one in judge(measure(scene.image, scene.corners))}[name]


def test_a_good_picture_is_good_throughout(spec):
    scene = drawn(spec)
    judged = judge(measure(scene.image, scene.corners))
    assert worst(judged) == "good", judged
    assert all(not one.advice for one in judged)


@pytest.mark.parametrize("rows", [("." * 15,) * 15, (("." * 4 + "AEIOUSTRNL" + ".") * 1,) * 15])
def test_blur_is_measured_in_pixels_whatever_lies_on_the_board(spec, rows):
    """The drawing itself is a little soft, so it is the growth that is held to the truth."""
    found = []
    for blur in (1.0, 2.0):
        scene = drawn(spec, rows, sensor=Sensor(blur=blur, noise=3))
        seen = measure(scene.image, scene.corners)
        assert seen.blur is not None
        found.append(seen.blur * seen.pixels)
    assert 0.6 < found[0] < 1.5
    assert 0.5 < found[1] - found[0] < 1.4


@pytest.mark.parametrize(
    ("name", "changes", "wanted", "advice"),
    [
        ("focus", {"sensor": Sensor(blur=0.4, noise=3)}, "good", ""),
        ("focus", {"sensor": Sensor(blur=1.85, noise=3)}, "fair", "ring"),
        ("focus", {"sensor": Sensor(blur=3.5, noise=3)}, "poor", "too soft"),
        ("size", {}, "good", ""),
        ("size", {"scale": 19.0}, "poor", "nearer"),
        ("evenness", {"light": Light(gradient=(0.2, 30.0))}, "good", ""),
        ("evenness", {"light": Light(gradient=(0.8, 30.0))}, "fair", ""),
        ("evenness", {"light": Light(gradient=(1.5, 30.0))}, "poor", "two sides"),
        ("brightness", {"light": Light(gain=(1.0,) * 3, metering=0.0)}, "good", ""),
        ("brightness", {"light": Light(gain=(0.12,) * 3, metering=0.0)}, "poor", "Too dark"),
        ("brightness", {"light": Light(gain=(9.0,) * 3, metering=0.0)}, "poor", "too bright"),
        ("glare", {"light": Light(gain=(9.0,) * 3, metering=0.0)}, "good", ""),  # burnt out
    ],
)
def test_what_is_said_of_a_picture(spec, name, changes, wanted, advice):
    if "scale" in changes:
        changes = {"camera": replace(spec.camera, **changes)}
    judged = grade(drawn(spec, **changes), name)
    assert judged.grade == wanted, judged
    assert advice in judged.advice
    assert bool(judged.advice) == (wanted != "good")


def test_premium_squares_and_tiles_are_no_shadow(spec):
    rows = ("." * 15,) * 4 + ("..ABCDEFGHIJK..",) * 7 + ("." * 15,) * 4
    scene = drawn(spec, rows)
    seen = measure(scene.image, scene.corners)
    assert seen.evenness > 0.9


def test_glare_names_its_squares(spec):
    glare = Glare(at=(0.5, 0.5), size=(0.08, 0.08), angle=0, strength=1.2, softness=0.01)
    scene = drawn(spec, light=Light(glares=(glare,)))
    output = grade(scene, "glare")
    assert output.grade in ("fair", "poor")
    middle = np.array([[[scene.image.shape[1] / 2, scene.image.shape[0] / 2]]], np.float32)
    board = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float32)
    at = cv2.perspectiveTransform(middle, cv2.getPerspectiveTransform(scene.corners, board))[0, 0]
    name = f"{int(at[1]) + 1}{'ABCDEFGHIJKLMNO'[int(at[0])]}"
    assert name in [square.name for square in measure(scene.image, scene.corners).glare]


def test_a_picture_without_a_line_has_no_focus():
    image = np.full((600, 600, 3), 128, np.uint8)
    corners = np.array([[50, 50], [550, 50], [550, 550], [50, 550]], np.float32)
    output = judge(measure(image, corners))[0]
    assert output.grade == "poor"
    assert "no sharp line" in output.says
