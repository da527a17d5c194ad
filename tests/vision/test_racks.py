"""Racks in pictures: at any slant, size and place, with gaps, blanks and nothing at all."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from game.tileset import load_tile_set
from models.scenes.racks import RackRenderer, RackSpec, rack_places
from simulation.appearance import look
from table.calibrated_reader import rack_reader


@pytest.fixture(scope="module")
def reader():
    return rack_reader("english")


def picture(tiles: str, seed: int = 1, letter: float = 0.5, **spec):
    scene, rng = look(seed, load_tile_set("english")), np.random.default_rng(seed)
    style = replace(scene.tiles, letter=letter)
    made = RackSpec(seed, style, light=scene.light, sensor=scene.sensor, **spec)
    return RackRenderer(made).picture(tiles, rack_places(tiles, scene.tiles, rng, 0.2), rng)


@pytest.mark.parametrize(
    ("tiles", "spec"),
    [
        ("AEINRTS", {}),
        ("ABCDQUIZ", {"slant": 14, "unit": 52}),
        ("?WORDS", {"slant": -13, "ends": 0.8}),
        ("IIIJLTF", {"ends": 0.8, "unit": 45}),
        ("VVXEE?R", {"keystone": 0.2}),
        ("NTLRNTE", {"slant": 33, "size": (640, 480)}),
        ("WMXWQ?A", {"letter": 0.64}),
    ],
)
def test_a_rack_is_read_from_left_to_right(reader, tiles, spec):
    found = reader.read(picture(tiles, **spec).image)
    assert found.tiles == tiles
    assert len(found.confidence) == len(tiles)
    assert min(found.confidence) > 0.5


def test_a_rack_in_a_large_picture_is_found_and_then_known(reader):
    small = picture("GARDENS", unit=44).image
    ground = np.full((720, 1280, 3), (70, 90, 80), np.uint8)
    ground[300 : 300 + len(small), 500 : 500 + small.shape[1]] = small
    found = reader.read(ground)
    assert found.tiles == "GARDENS"
    assert reader.read(ground, found.row).tiles == "GARDENS"


def test_a_camera_that_hangs_upside_down_reads_the_same(reader):
    turned = cv2.rotate(picture("KETTLE").image, cv2.ROTATE_180)
    assert reader.read(turned).tiles == "KETTLE"


def test_a_tile_that_lies_on_its_side_is_read(reader):
    shown = picture("GRAXED", unit=52)
    x, y = np.round(shown.middles[3]).astype(int)
    tile = shown.image[y - 23 : y + 23, x - 23 : x + 23]
    tile[:] = cv2.rotate(tile, cv2.ROTATE_90_CLOCKWISE)
    assert reader.read(shown.image).tiles == "GRAXED"


def test_an_empty_rack_has_no_tiles(reader):
    assert reader.read(picture("").image).tiles == ""
    assert reader.read(np.full((200, 300, 3), 90, np.uint8)).row is None
