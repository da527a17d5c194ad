"""The shipped networks on freshly drawn tables, and on real pictures where there are any."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.scenes.render import render
from models.weights import path
from tools.scenes import random_rows, random_spec
from tools.train.locate_data import overview
from vision.errors import ModelError
from vision.locate.locator import Locator
from vision.rectify import Corners, Image, homography, nearest_order, project, shift


@pytest.fixture(scope="module")
def locator() -> Locator:
    return Locator(path("locate_coarse.onnx"), path("locate_refine.onnx"))


def error(found: Corners | None, truth: Corners) -> float:
    """Worst corner in squares, over the four orders."""
    if found is None:
        return float("inf")
    return shift(truth, nearest_order(found, truth))


def table(seed: int) -> tuple[Image, Corners]:
    """A whole scene from a renderer and a seed that the networks were not trained with."""
    rng = np.random.default_rng([2026, seed])
    scene = render(random_spec(rng), random_rows(rng), rng)
    return scene.image, scene.corners


def spun(image: Image, corners: Corners, degrees: float) -> tuple[Image, Corners]:
    """The picture turned about its middle, whole, its surroundings filled in."""
    height, width = image.shape[:2]
    side = int(np.hypot(width, height))
    turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, 1.0)
    turn[:, 2] += ((side - width) / 2, (side - height) / 2)
    moved = cv2.warpAffine(image, turn, (side, side), borderMode=cv2.BORDER_REPLICATE)
    points = corners @ turn[:, :2].T + turn[:, 2]
    return np.asarray(moved, np.uint8), points.astype(np.float32)


def halved(image: Image, corners: Corners) -> tuple[Image, Corners]:
    """The same at half the size."""
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8), (corners + 0.5) * np.float32(0.5) - np.float32(0.5)


@pytest.mark.slow
def test_finds_boards_never_seen(locator: Locator) -> None:
    errors = []
    for seed in range(16):
        image, corners = table(seed)
        found = locator.locate(image)
        errors.append(error(found.corners if found else None, corners))
    assert np.median(errors) < 0.06
    assert sum(e < 0.25 for e in errors) >= 15, np.round(errors, 2)


def test_finds_a_board_at_every_rotation(locator: Locator) -> None:
    image, corners = halved(*table(101))
    errors = []
    for degrees in range(0, 360, 45):
        seen, truth = spun(image, corners, degrees)
        found = locator.locate(seen)
        errors.append(error(found.corners if found else None, truth))
    assert max(errors) < 0.2, np.round(errors, 2)


def chessboard() -> Image:
    cells = (np.indices((8, 8)).sum(axis=0) % 2 * 180 + 40).astype(np.uint8)
    board = np.kron(cells, np.ones((60, 60), np.uint8))
    return np.repeat(np.pad(board, 90, constant_values=110)[..., None], 3, axis=2)


def squared_paper() -> Image:
    sheet = np.full((900, 700, 3), 240, np.uint8)
    sheet[::20] = (200, 160, 120)
    sheet[:, ::20] = (200, 160, 120)
    return sheet


def keyboard() -> Image:
    keys = np.full((400, 1000, 3), 60, np.uint8)
    for row in range(5):
        for col in range(15):
            x, y = 40 + col * 61, 40 + row * 64
            cv2.rectangle(keys, (x, y), (x + 52, y + 54), (25, 25, 25), -1)
            cv2.putText(
                keys,
                chr(65 + (row * 15 + col) % 26),
                (x + 12, y + 34),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.8,
                (220, 220, 220),
                2,
            )
    return keys


def carpet() -> Image:
    rng = np.random.default_rng(0)
    return np.asarray(rng.normal(120, 35, (800, 800, 3)).clip(0, 255), np.uint8)


@pytest.mark.parametrize("picture", [chessboard, squared_paper, keyboard, carpet])
def test_says_that_there_is_no_board(locator: Locator, picture: object) -> None:
    assert callable(picture)
    assert locator.locate(picture()) is None


@pytest.mark.parametrize("shape", [(1, 1), (16, 4000), (64, 64), (3000, 40)])
def test_odd_pictures_have_no_board(locator: Locator, shape: tuple[int, int]) -> None:
    assert locator.locate(np.full((*shape, 3), 128, np.uint8)) is None


def test_tables_without_a_board(locator: Locator) -> None:
    claims = 0
    for seed in range(8):
        empty = overview(np.random.default_rng([2027, seed]), board=0.0)
        claims += locator.locate(empty.image) is not None
    assert claims == 0


def test_refine_corrects_a_guess_and_refuses_a_far_one(locator: Locator) -> None:
    image, corners = table(101)
    units = np.array([[0.8, -0.6], [15.5, 0.4], [14.3, 15.7], [-0.7, 14.6]])
    guess = project(homography(corners), units).astype(np.float32)
    found = locator.refine(image, guess)
    assert found is not None
    assert shift(corners, found.corners) < 0.15  # the order is kept
    away = corners * 0.3
    lost = locator.refine(image, away.astype(np.float32))
    assert lost is None or error(lost.corners, corners) < 0.2


def test_refine_follows_a_turning_board_and_keeps_the_order(locator: Locator) -> None:
    image, board = halved(*table(101))
    _, last = spun(image, board, 0)
    for degrees in range(0, 40, 2):  # 2° a frame is a third of a square
        seen, truth = spun(image, board, degrees)
        found = locator.refine(seen, last, iterations=2)
        assert found is not None
        assert shift(truth, found.corners) < 0.2  # the same corner is still the first
        last = found.corners
    assert locator.refine(carpet(), last) is None


def test_missing_and_damaged_weights_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "locate_coarse.onnx"
    broken.write_bytes(b"nothing")
    with pytest.raises(ModelError, match="locate_coarse"):
        Locator(broken, path("locate_refine.onnx"))
    with pytest.raises(ModelError, match="absent"):
        Locator(tmp_path / "absent.onnx", path("locate_refine.onnx"))


@pytest.mark.shared
def test_real_photographs(locator: Locator, shared_dir: Path) -> None:
    errors = {}
    for label in sorted((shared_dir / "photos").glob("*.json")):
        truth = np.array(json.loads(label.read_text())["corners"], np.float32)
        image = np.asarray(cv2.imread(str(label.with_suffix(".jpg"))), np.uint8)
        found = locator.locate(image)
        errors[label.stem] = round(error(found.corners if found else None, truth), 3)
    if not errors:
        pytest.skip("no labelled photographs")
    assert max(errors.values()) < 0.25, errors
    assert np.median(list(errors.values())) < 0.12, errors
