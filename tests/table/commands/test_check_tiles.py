"""``tilewatch check-tiles``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from game.tileset import load_tile_set
from models.scenes import Sensor, render
from simulation.appearance import look
from table import cli

TILES = load_tile_set("english")
BAG = [tile for tile, count in TILES.counts.items() for _ in range(count)]


def placed(tiles, top=2, left=3):
    rows = [["."] * 15 for _ in range(15)]
    for at, tile in enumerate(tiles):
        rows[top + at // 10][left + at % 10] = tile
    return tuple("".join(row) for row in rows)


def picture(path, rows, seed=4):
    spec = replace(look(seed, TILES), sensor=Sensor(blur=0.5))
    turns = np.zeros((15, 15), np.int8)
    image = render(spec, rows, np.random.default_rng(3), turns).image
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return str(path)


def run(capsys, *words):
    status = cli.main(["check-tiles", *words])
    reported = capsys.readouterr()
    return status, reported.out, reported.err


@pytest.fixture(scope="module")
def shuffled():
    return list(np.random.default_rng(5).permutation(BAG))


def test_a_whole_set_in_a_photograph(tmp_path, capsys, shuffled):
    name = picture(tmp_path / "a.png", placed(shuffled))
    status, out, _ = run(capsys, name, "--json", "--data", str(tmp_path))
    reported = json.loads(out)
    assert status == 0
    assert reported["complete"] is True
    assert Counter(reported["tiles"].values()) == Counter(BAG)
    assert reported["tiles"]["3D"] == shuffled[0]


def test_what_is_missing_and_what_is_too_many_is_said_and_is_status_1(tmp_path, capsys, shuffled):
    tiles = shuffled.copy()
    tiles[tiles.index("W")] = "M"
    name = picture(tmp_path / "a.png", placed(tiles))
    status, out, _ = run(capsys, name, "--data", str(tmp_path))
    assert status == 1
    assert "missing: 1 × W" in out
    assert "too many: 1 × M" in out


def test_several_pictures_are_told_apart_and_a_bad_one_is_one_line(tmp_path, capsys, shuffled):
    good = picture(tmp_path / "a.png", placed(shuffled, 0, 5))
    bad = picture(tmp_path / "b.png", placed(["."] * 60 + shuffled[:40]))
    status, out, err = run(capsys, good, bad, str(tmp_path / "none.png"), "--data", str(tmp_path))
    assert status == 2
    assert f"{good}: the set is complete" in out
    assert f"{bad}: 40 tiles are seen, but in no known layout" in err
    assert "none.png: no such file" in err
    assert err.count("\n") == 2


@pytest.fixture
def simulated(tmp_path):
    path = tmp_path / "simulated.toml"
    path.write_text('camera = "simulated"\n')
    return "--config", str(path)


def test_the_simulated_tables_camera_and_its_easy_set(tmp_path, capsys, simulated):
    status, out, err = run(capsys, *simulated, "--data", str(tmp_path))
    assert status == 0
    assert "the set is complete" in out
    assert "nothing had to be learnt" in err
    assert not (tmp_path / "calibration" / "tiles.npz").exists()


def test_a_camera_that_a_running_table_has_is_left_to_it(tmp_path, capsys):
    from record.log.event_log import EventLog

    with EventLog(tmp_path / "tilewatch.db"):
        status, _, err = run(capsys, "--data", str(tmp_path))
    assert status == 2
    assert "/director/tables/1/setup/tiles" in err


def test_what_was_learnt_can_be_forgotten(tmp_path, capsys):
    kept = tmp_path / "calibration" / "tiles.npz"
    kept.parent.mkdir()
    kept.write_bytes(b"x")
    assert run(capsys, "--forget", "--data", str(tmp_path))[0] == 0
    assert not kept.exists()
