"""A running table goes by its calibration, and is set up from its pages."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from functools import cache
from types import ModuleType

import cv2
import numpy as np
import pytest

from calibration.calibrate import propose
from calibration.lens import Lens
from calibration.storage import load, save
from game.errors import TilewatchError
from game.events import SetSeen, from_payload
from game.tileset import load_tile_set
from models.scenes.render import Renderer
from models.scenes.spec import Sensor
from sensors.interfaces import Frame
from simulation.appearance import look
from table import real_devices
from table.calibrated_reader import FOLDER, Calibrated, parts
from table.config import Buttons, Camera, Serve, SimulatedOptions, TableConfig
from table.desk import Attribution
from table.live import opened
from table.real_devices import run_real
from table.setup.live_calibration import BumpDetector
from tests.machine import PATIENCE_S, until
from tests.sensors.fake_picamera2 import FakePicamera2
from vision.classifier import LinearHead
from vision.labels import CLASS_NAMES

EMPTY = ("." * 15,) * 15
TILES = load_tile_set("english")
ANN = Attribution("director: Ann", "Ann", "before the event")
BAG = [tile for tile, count in TILES.counts.items() for _ in range(count)]


@pytest.fixture(scope="module")
def spec():
    return replace(look(8, TILES), sensor=Sensor(blur=0.5))


@pytest.fixture(scope="module")
def read_with():
    return parts("english")


@pytest.fixture(scope="module")
def calibration(spec, read_with):
    image = Renderer(spec).frame(EMPTY, np.random.default_rng(1)).image
    return propose(image, read_with.locator, read_with.reader(), camera="a camera").calibration


def laid_out():
    grid = np.full((15, 15), ".")
    grid[2:12, 3:13] = np.random.default_rng(7).permutation(BAG).reshape(10, 10)
    return tuple("".join(row) for row in grid)


PICTURES = 5
"""Pictures of one board, each with its own noise; then they come again."""


@cache
def pictures(spec, rows):
    """The camera's picture of a board."""
    renderer, noise = Renderer(spec), np.random.default_rng(2)
    upright = np.zeros((15, 15), np.int8)
    return [renderer.frame(rows, noise, upright).image for _ in range(PICTURES)]


class Running:
    """A table's loop, fed by a camera that sees what the test puts before it."""

    def __init__(self, table, spec):
        self.table = table
        self.rows, self.spec = EMPTY, spec
        self._seen = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        t_ns = self.table.now_ns()
        seq = 0
        while not self._over.wait(0.01):
            image = pictures(self.spec, self.rows)[seq % PICTURES]
            t_ns += 100_000_000
            seq += 1
            self.table.take(self.table.straightened(Frame(image, t_ns, seq)))
            self.table.after_item()
            self._seen = seq

    def show(self, rows):
        """Lay the board so, and wait until the table has a picture of that."""
        self.rows = rows
        seen = self._seen
        until(lambda: self._seen >= seen + 2)  # the one in the making may show the board before

    def close(self):
        self._over.set()
        self._thread.join()


@pytest.fixture
def running(tmp_path, spec, calibration):
    save(calibration, tmp_path / FOLDER)
    config = TableConfig(serve=Serve(on=False), simulated=SimulatedOptions(seed=8, speed=0))
    output: list[str] = []
    with opened(config, tmp_path, output.append) as table:
        loop = Running(table, spec)
        loop.output, loop.folder = output, tmp_path
        yield loop
        loop.close()


def test_it_says_at_the_start_that_its_calibration_holds_and_after_a_bump_that_it_does_not(
    running, spec
):
    until(lambda: any("still holds" in line for line in running.output))
    assert running.table.calibration.calibrated.calibration.empty_board is not None
    (reported,) = [e.payload for e in running.table.log.events() if e.type == "TableDescribed"]
    assert reported["settings"]["calibration"]["camera"] == "a camera"
    assert reported["settings"]["tiles_learnt"] is False
    running.spec = replace(spec, camera=replace(spec.camera, scale=spec.camera.scale * 0.85))
    until(lambda: any("no longer holds" in line for line in running.output))
    (reported,) = (one for one in running.table.desk.trouble() if one.code == "calibration")
    assert "the camera was moved" in reported.message
    running.spec = spec
    until(lambda: not any(one.code == "calibration" for one in running.table.desk.trouble()))


def test_the_tiles_are_counted_from_its_page_and_the_game_is_told(running):
    bench = running.table.calibration
    running.show(laid_out())
    found = bench.count_tiles(False, ANN)
    assert found["complete"] is True
    assert found["count"] == 100
    seen = [
        from_payload(event.payload)
        for event in running.table.log.events()
        if event.type == "SetSeen"
    ]
    assert [type(event) for event in seen] == [SetSeen]
    assert sorted(seen[0].symbols) == sorted(BAG)
    assert (seen[0].by, seen[0].why) == ("camera", "before the event (Ann)")
    bench.count_tiles(True, ANN)
    assert [event.payload["by"] for event in running.table.log.events() if event.type == "SetSeen"][
        1:
    ] == ["Ann"]


def test_a_count_that_fails_leaves_what_was_learnt_before(running):
    bench = running.table.calibration
    until(lambda: running.table.calibration.calibrated.raw is not None)
    learnt = LinearHead(np.zeros((len(CLASS_NAMES), 1024), np.float32), np.zeros(len(CLASS_NAMES)))
    running.table.calibration.calibrated.sharpen(learnt)
    with pytest.raises(TilewatchError, match="no tile is seen"):
        bench.count_tiles(False, ANN)
    assert running.table.calibration.calibrated.parts.classifier.head is learnt


def test_another_set_is_counted_as_what_it_is(running):
    bench = running.table.calibration
    wish = {"left": "", "right": "", "rulebook": "wespa-2007", "tile_set": "german"}
    bench.new_game(wish, ANN)
    german = load_tile_set("german")
    tiles = [tile for tile, count in german.counts.items() for _ in range(count)]
    grid = np.full((15, 15), ".")
    grid[1:11, 2:12] = np.array(tiles[:100]).reshape(10, 10)
    grid[11, 2:4] = tiles[100:]
    running.show(tuple("".join(row) for row in grid))
    found = bench.count_tiles(False, ANN)
    assert found["count"] == 102
    assert found["complete"] is True
    assert running.table.session.state.tile_set.id == "german"


def test_it_is_calibrated_anew_from_its_page_and_goes_by_that(running):
    bench = running.table.calibration
    before = running.table.calibration.calibrated.calibration
    assert bench.look_again()["found"]["empty"] is True
    assert bench.live()[:2] == b"\xff\xd8"
    corners = np.array(bench.state()["found"]["corners"]) + 0.5
    assert bench.move(corners.tolist())["found"]["by_hand"] is True
    bench.accept(True, ANN)
    (kept,) = [e.payload for e in running.table.log.events() if e.type == "ActionTaken"]
    assert (kept["action"], kept["by"], kept["why"]) == ("calibrated", "Ann", "before the event")
    now = running.table.calibration.calibrated.calibration
    assert now is not before
    assert np.allclose(now.corners, corners, atol=0.01)
    assert np.allclose(load(running.folder / FOLDER).corners, corners, atol=0.01)


def test_with_the_board_only_the_table_gets_no_picture_of_anything_else(running):
    bench = running.table.calibration
    assert bench.look_again()["found"] is not None
    saved = bench.accept(True, ANN, board_only=True)["saved"]
    assert saved["board_only"] is True
    calibration = running.table.calibration.calibrated.calibration
    frame = Frame(np.full_like(calibration.picture, 200), 5, 1)
    seen = running.table.straightened(frame).image
    outside = seen[calibration._near == 0]
    assert outside.size > 0
    assert (outside == 0).all()


def test_what_a_running_pi_camera_is_locked_to_is_kept_and_opened_with(
    tmp_path, monkeypatch, spec, read_with
):
    seen, cameras = pictures(spec, EMPTY), []

    def opened_camera(number):
        cameras.append(
            FakePicamera2(
                number, picture=lambda n, _: seen[n % PICTURES], script=lambda _: time.sleep(0.02)
            )
        )
        return cameras[-1]

    module = ModuleType("picamera2")
    module.Picamera2 = opened_camera
    monkeypatch.setitem(sys.modules, "picamera2", module)
    monkeypatch.setattr(real_devices, "PATIENCE_S", (0.01,))
    config = TableConfig(
        camera=Camera(kind="pi"), buttons=Buttons(kind="web"), serve=Serve(on=False)
    )
    with opened(config, tmp_path, lambda _: None) as table:
        loop = threading.Thread(target=run_real, args=(table,))
        loop.start()
        try:
            until(lambda: cameras and "ExposureTime" in cameras[0].controls)
            bench = table.calibration
            assert bench.look_again()["found"]["empty"] is True
            bench.accept(True, ANN)
            kept = load(tmp_path / FOLDER).settings
            assert kept == {
                "exposure_us": 8000,
                "gain": 2.5,
                "red": 1.5,
                "blue": 1.75,
                "lens": 2.25,
            }
            assert cameras[0].config["controls"].get("ExposureTime") is None
            cameras[0].cancel_all_and_flush()  # it fails, and is opened again
            until(lambda: len(cameras) == 2 and cameras[1].config is not None)
            assert cameras[1].config["controls"]["ExposureTime"] == 8000
        finally:
            table.stop.set()
            loop.join(PATIENCE_S)


def test_a_damaged_calibration_is_said_and_left_aside(tmp_path):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "calibration.json").write_text("{")
    (tmp_path / FOLDER / "tiles.npz").write_bytes(b"no")
    output: list[str] = []
    config = TableConfig(serve=Serve(on=False), simulated=SimulatedOptions(seed=8, speed=0))
    with opened(config, tmp_path, output.append) as table:
        assert table.calibration.calibrated.calibration is None
    assert sum("runs without it" in line for line in output) == 2


def test_a_bent_picture_is_straightened_for_the_table(read_with, calibration):
    lens = Lens(-0.15, 0.0, calibration.size)
    calibrated = Calibrated(read_with, replace(calibration, lens=lens))
    frame = Frame(calibration.picture, 7, 3, b"jpeg")
    straight = calibrated.straightened(frame)
    assert (straight.t_ns, straight.seq, straight.jpeg) == (7, 3, None)
    expected = cv2.undistort(frame.image, lens.camera, lens.coefficients)
    assert np.abs(straight.image[40:-40, 40:-40].astype(int) - expected[40:-40, 40:-40]).mean() < 2
    calibrated.adopt(calibration)
    assert calibrated.straightened(frame) is frame


def test_the_pi_camera_is_locked_to_what_was_calibrated_unless_told_otherwise(
    read_with, calibration
):
    settings = {"exposure_us": 9000.0, "gain": 1.5, "red": 1.7, "blue": 1.8}
    calibrated = Calibrated(read_with, replace(calibration, settings=settings))
    plain = Camera(kind="pi", width=1536)
    locked = calibrated.locked(plain).options
    assert locked.model_dump(exclude_unset=True) == {"width": 1536, **settings}
    assert locked.locked.exposure_us == 9000
    reported = Camera(kind="pi", exposure_us=100, gain=1, red=1, blue=1)
    assert calibrated.locked(reported) is reported
    webcam = Camera(kind="webcam")
    assert calibrated.locked(webcam) is webcam


def test_a_bump_is_told_once():
    bumps = BumpDetector()
    here = np.array([[0, 0], [450, 0], [450, 450], [0, 450]], np.float32)
    assert bumps.moved(here)
    assert not bumps.moved(here + 5)
    assert not bumps.moved(np.roll(here, 1, axis=0))
    assert bumps.moved(here + 20)
    assert not bumps.moved(here + 22)
