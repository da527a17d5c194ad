"""Drawn boards for the tests of where tiles are seen, and of where they lie."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import Square
from models.scenes.render import render
from models.scenes.spec import Clutter, Light, Placement, Scene, Sensor
from models.scenes.view import Camera
from tools.scenes import random_spec
from vision.rectify import homography

WORDS = (
    *(("." * 15,) * 2),
    ".........Q.....",
    ".........U.....",
    ".........A.....",
    ".......B.R.....",
    "......SEAT.....",
    "......WET......",
    "...MELON.......",
    "...A..R........",
    "...X..D........",
    "...I...........",
    *(("." * 15,) * 3),
)


@cache
def board(seed: int, tilt: float, height: float) -> Scene:
    """A board with plain letters, seen at a slant of ``tilt`` degrees, tiles ``height`` high."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, plain_only=True)
    face = replace(spec.tiles.face, stencil=False, slant=0.0)
    spec = replace(
        spec,
        tiles=replace(spec.tiles, face=face, digit="right", foreign=0.0, height=height),
        placement=Placement(0.02, 1.0, sloppy=0.0),
        light=Light(),
        camera=Camera(1000, 800, tilt=tilt, azimuth=90, scale=44),
        clutter=Clutter(),
        sensor=Sensor(blur=0.6, noise=2.0, jpeg=90),
    )
    return render(spec, WORDS, rng)


def pushed(scene: Scene, square: Square, right: float, down: float) -> NDArray[np.uint8]:
    """The picture with the tile of a square pushed aside, by squares; it leaves plain board."""
    side = 60
    matrix = homography(scene.corners) @ np.diag([1 / side, 1 / side, 1])
    flat = cv2.warpPerspective(scene.image, np.linalg.inv(matrix), (15 * side, 15 * side))
    top, left = square.row * side, square.col * side
    tile = flat[top : top + side, left : left + side].copy()
    step = (int(np.sign(down)), int(np.sign(right)))
    beside = flat[top + step[0] * side :, left + step[1] * side :][:side, :side]
    flat[top : top + side, left : left + side] = beside
    to_top, to_left = round(top + down * side), round(left + right * side)
    flat[to_top : to_top + side, to_left : to_left + side] = tile
    size = (scene.image.shape[1], scene.image.shape[0])
    moved = cv2.warpPerspective(flat, matrix, size)
    inside = cv2.warpPerspective(np.full(flat.shape, 255, np.uint8), matrix, size) == 255
    return np.where(inside, moved, scene.image)
