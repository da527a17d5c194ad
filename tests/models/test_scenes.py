"""The renderer: the same seed the same picture, and its truth where the pixels are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.scenes.faces import Face, glyph
from models.scenes.render import Renderer, render
from models.scenes.spec import (
    BoardStyle,
    Clutter,
    Hand,
    Light,
    Placement,
    SceneSpec,
    Sensor,
    Surface,
    TileStyle,
)
from models.scenes.view import Camera
from tools.scenes import random_rows, random_spec
from vision.labels import LETTERS
from vision.rectify import homography, project

GREEN = (60.0, 140.0, 60.0)
RED = (30.0, 30.0, 220.0)
EMPTY = ("." * 15,) * 15


def studio(**camera) -> SceneSpec:
    """A plain green board in perfect light, with flat plain red tiles."""
    return SceneSpec(
        seed=4,
        board=BoardStyle(
            square=Surface(GREEN),
            premiums=(GREEN,) * 4,
            line=(200, 200, 200),
            mark="plain",
            centre="plain",
            aspect=1.05,
        ),
        tiles=TileStyle(
            surface=Surface(RED),
            ink=(20, 20, 20),
            height=0.0,
            bevel_strength=0.0,
            spread=0.0,
            blank_mark=None,
        ),
        placement=Placement(0.0, 0.0, 0.0),
        light=Light(cast=0.0, metering=0.0),
        camera=Camera(**({"scale": 40.0} | camera)),
        clutter=Clutter(),
        sensor=Sensor(blur=0.0, noise=0.0, jpeg=100),
    )


def with_tile(row: int, col: int, symbol: str) -> tuple[str, ...]:
    rows = [list(line) for line in EMPTY]
    rows[row][col] = symbol
    return tuple("".join(line) for line in rows)


@pytest.mark.parametrize("seed", range(3))
def test_a_seed_fixes_every_pixel(seed):
    def once():
        rng = np.random.default_rng(seed)
        spec = random_spec(rng)
        spec = replace(spec, camera=replace(spec.camera, width=500, height=400, scale=16))
        return render(spec, random_rows(rng), rng)

    one, two = once(), once()
    assert one.rows == two.rows
    for part in ("image", "corners", "rotation"):
        assert np.array_equal(getattr(one, part), getattr(two, part)), part


@pytest.mark.parametrize("camera", [{}, {"tilt": 35, "azimuth": 70, "roll": 130, "scale": 34.0}])
@pytest.mark.parametrize("square", [(0, 0), (3, 11), (14, 2)])
def test_corners_say_where_a_square_is(camera, square):
    row, col = square
    scene = render(studio(**camera), with_tile(row, col, "?"), np.random.default_rng(0))
    middles = np.array([[col + 0.5, row + 0.5], [(col + 5) % 15 + 0.5, row + 0.5]])
    spots = project(homography(scene.corners), middles).round().astype(int)
    on, beside = (scene.image[y, x].astype(int) for x, y in spots)
    assert np.abs(on - RED).max() < 12
    assert np.abs(beside - GREEN).max() < 12


def test_a_tile_more_changes_its_own_surroundings_only():
    spec = studio(tilt=20)
    spec = replace(
        spec, tiles=replace(spec.tiles, height=0.2), placement=Placement(0.05, 3, 0.1, 0.3)
    )
    table = Renderer(spec)
    before = table.frame(with_tile(7, 7, "A"), np.random.default_rng(1))
    rows = list(before.rows)
    rows[9] = "...Q..........."
    after = table.frame(rows, np.random.default_rng(1))
    changed = (before.image != after.image).any(axis=2)
    spot = project(homography(before.corners), np.array([[3.5, 9.5]]))[0]
    ys, xs = np.nonzero(changed)
    assert len(xs) > 100
    assert np.hypot(xs - spot[0], ys - spot[1]).max() < 2 * 40


def test_rotation_turns_the_letter_clockwise():
    spec = studio(scale=60.0, width=1000, height=1000)
    turns = np.zeros((15, 15), np.int8)
    upright = render(spec, with_tile(7, 7, "F"), np.random.default_rng(0), turns)
    turns[7, 7] = 1
    turned = render(spec, with_tile(7, 7, "F"), np.random.default_rng(0), turns)
    assert turned.rotation[7, 7] == 1
    x, y = project(homography(upright.corners), np.array([[7.5, 7.5]]))[0].round().astype(int)
    tiles = [s.image[y - 22 : y + 23, x - 22 : x + 23] for s in (upright, turned)]
    expected = np.rot90(tiles[0], -1)

    def apart(a, b):
        soft = [cv2.GaussianBlur(np.ascontiguousarray(t), (0, 0), 2).astype(int) for t in (a, b)]
        return np.abs(soft[0] - soft[1]).mean()

    assert apart(tiles[1], expected) < 0.35 * apart(tiles[0], expected)


def test_a_hand_covers_what_it_hides():
    spec = studio()
    hand = Hand(start=(7.5, 30.0), reach=(7.5, 5.0), size=1.2, height=0.5)
    scene = Renderer(spec).frame(EMPTY, np.random.default_rng(0), hands=[hand])
    assert scene.covered[12, 7] > 0.9
    assert scene.covered[1, 1] == 0
    x, y = project(homography(scene.corners), np.array([[7.5, 12.5]]))[0].round().astype(int)
    assert np.abs(scene.image[y, x].astype(int) - GREEN).max() > 40


def test_the_board_must_be_fifteen_by_fifteen():
    with pytest.raises(ValueError, match="15 rows"):
        render(studio(), ["." * 15] * 14, np.random.default_rng(0))


def test_random_boards_are_mostly_letters_of_those_asked_for():
    rows = random_rows(np.random.default_rng(2), "AB", words=15, blanks=0.0)
    assert [len(row) for row in rows] == [15] * 15
    assert set("".join(rows)) == {".", "A", "B"}


def test_a_bare_machine_can_draw_a_table():
    """A plain install has no Pillow: the stroke face must do."""
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "import numpy as np\n"
        "from models.scenes.render import render\n"
        "from tools.scenes import random_rows, random_spec\n"
        "rng = np.random.default_rng(0)\n"
        "assert render(random_spec(rng, plain_only=True), random_rows(rng), rng).image.any()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize("face", [Face(), Face(weight=0.24, round_caps=False, slant=0.1)])
def test_every_letter_and_digit_has_its_own_shape(face):
    shapes = {}
    for char in LETTERS + "0123456789":
        mask = glyph(face, char).mask
        assert mask.max() > 200
        shapes[char] = cv2.resize(mask, (24, 24), interpolation=cv2.INTER_AREA).astype(int)
    for a, one in shapes.items():
        for b, two in shapes.items():
            if a < b and {a, b} not in ({"O", "0"}, {"I", "1"}):
                assert np.abs(one - two).mean() > 4, (a, b)
