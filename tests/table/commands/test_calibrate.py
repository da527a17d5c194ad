"""``tilewatch calibrate`` and ``tilewatch check-tiles``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.storage import load
from game.tileset import load_tile_set
from models.scenes.render import render
from models.scenes.spec import Sensor
from record.log.event_log import EventLog
from simulation.appearance import look
from table import cli

EMPTY = ("." * 15,) * 15
TILES = load_tile_set("english")
BAG = [tile for tile, count in TILES.counts.items() for _ in range(count)]


def drawn(rows=EMPTY):
    """A board with these tiles on it, all upright."""
    spec = replace(look(4, TILES), sensor=Sensor(blur=0.5))
    return render(spec, rows, np.random.default_rng(3), np.zeros((15, 15), np.int8))


def row_of(word):
    return ("." * 15,) * 7 + (f"....{word}...",) + ("." * 15,) * 7


@pytest.fixture(scope="module")
def scene():
    return drawn()


def write(path, image):
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return str(path)


def run(capsys, *words, command="calibrate"):
    status = cli.main([command, *words])
    reported = capsys.readouterr()
    return status, reported.out, reported.err


def check(capsys, *words):
    return run(capsys, *words, command="check-tiles")


@pytest.fixture
def simulated(tmp_path):
    path = tmp_path / "simulated.toml"
    path.write_text('camera = "simulated"\n')
    return "--config", str(path)


def test_the_simulated_table_is_calibrated_with_its_board_where_it_is(tmp_path, capsys, simulated):
    status, out, _ = run(capsys, *simulated, "--no-browser", "--data", str(tmp_path))
    assert status == 0
    assert "GOOD  focus" in out
    assert "in the picture of: simulated table 8" in out.splitlines()[0]
    kept = load(tmp_path / "calibration")
    assert kept.camera == "simulated table 8"
    assert kept.empty
    assert kept.empty_board is not None


def test_pictures_in_files_are_combined_and_judged(tmp_path, capsys, scene):
    rng = np.random.default_rng(0)
    names = [
        write(
            tmp_path / f"{at}.png",
            np.clip(scene.image + rng.normal(0, 12, scene.image.shape), 0, 255).astype(np.uint8),
        )
        for at in range(5)
    ]
    words = [word for name in names for word in ("--image", name)]
    status, out, _ = run(capsys, *words, "--json", "--data", str(tmp_path / "data"))
    reported = json.loads(out)
    assert status == 0
    assert reported["grade"] == "good"
    assert reported["empty"] is True
    off = np.linalg.norm(np.array(reported["corners"])[:, None] - scene.corners[None], axis=2).min(
        axis=1
    )
    assert off.max() < 0.12 * reported["measures"]["pixels"]
    noise = np.abs(load(tmp_path / "data" / "calibration").picture.astype(int) - scene.image).mean()
    assert noise < 6, "the median of five is quieter than one"


def test_a_poor_picture_is_kept_and_told_with_advice(tmp_path, capsys, scene):
    blurred = cv2.GaussianBlur(scene.image, (0, 0), 3.2)
    status, out, _ = run(
        capsys, "--image", write(tmp_path / "a.png", blurred), "--no-browser",
        "--data", str(tmp_path),
    )  # fmt: skip
    assert status == 1
    assert "POOR  focus" in out
    assert "Focus on the board" in out


def test_what_lies_on_the_board_is_named_and_its_look_not_kept(tmp_path, capsys):
    name = write(tmp_path / "a.png", drawn(row_of("STREAMER")).image)
    status, out, _ = run(capsys, "--image", name, "--json", "--data", str(tmp_path))
    reported = json.loads(out)
    assert (status, reported["empty"], len(reported["lying"])) == (0, False, 8)
    assert load(tmp_path / "calibration").empty_board is None
    run(capsys, "--image", name, "--json", "--empty", "--data", str(tmp_path))
    assert load(tmp_path / "calibration").empty_board is not None


def test_corners_given_by_hand_are_kept_and_judged(tmp_path, capsys, scene):
    name = write(tmp_path / "a.png", scene.image)
    given = scene.corners + 14
    text = ",".join(f"{x:.2f}" for x in given.ravel())
    status, out, _ = run(
        capsys, "--image", name, "--corners", text, "--json", "--data", str(tmp_path)
    )
    reported = json.loads(out)
    grid = next(one for one in reported["judgements"] if one["name"] == "grid")
    assert status == 1
    assert grid["grade"] == "poor"
    assert reported["by_hand"]
    assert np.allclose(load(tmp_path / "calibration").corners, given, atol=0.01)


def test_the_sheet_of_stickers_is_one_that_is_seen(tmp_path, capsys):
    from calibration.markers import seen

    path = tmp_path / "stickers.png"
    assert run(capsys, "--stickers", str(path))[0] == 0
    page = cv2.imread(str(path))
    assert page.shape[:2] == (3508, 2480)
    assert sorted(seen(page)) == list(range(8))


def test_read_goes_by_a_picture_of_the_empty_board(tmp_path, capsys, scene):
    rows = row_of("STREA?ER")
    name = write(tmp_path / "game.png", drawn(rows).image)
    empty = write(tmp_path / "empty.png", scene.image)
    assert cli.main(["read", name, "--empty", empty, "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert tuple(reported["rows"]) == rows
    assert cli.main(["read", name, "--empty", name]) == 2
    assert "7 tiles lie on the board" in capsys.readouterr().err


def placed(tiles, top=2, left=3):
    rows = [["."] * 15 for _ in range(15)]
    for at, tile in enumerate(tiles):
        rows[top + at // 10][left + at % 10] = tile
    return tuple("".join(row) for row in rows)


def picture(path, rows):
    return write(path, drawn(rows).image)


@pytest.fixture(scope="module")
def shuffled():
    return list(np.random.default_rng(5).permutation(BAG))


def test_a_whole_set_in_a_photograph(tmp_path, capsys, shuffled):
    name = picture(tmp_path / "a.png", placed(shuffled))
    status, out, _ = check(capsys, name, "--json", "--data", str(tmp_path))
    reported = json.loads(out)
    assert status == 0
    assert reported["complete"] is True
    assert Counter(reported["tiles"].values()) == Counter(BAG)
    assert reported["tiles"]["3D"] == shuffled[0]


def test_what_is_missing_and_what_is_too_many_is_said_and_is_status_1(tmp_path, capsys, shuffled):
    tiles = shuffled.copy()
    tiles[tiles.index("W")] = "M"
    name = picture(tmp_path / "a.png", placed(tiles))
    status, out, _ = check(capsys, name, "--data", str(tmp_path))
    assert status == 1
    assert "missing: 1 × W" in out
    assert "too many: 1 × M" in out


def test_several_pictures_are_told_apart_and_a_bad_one_is_one_line(tmp_path, capsys, shuffled):
    good = picture(tmp_path / "a.png", placed(shuffled, 0, 5))
    bad = picture(tmp_path / "b.png", placed(["."] * 60 + shuffled[:40]))
    status, out, err = check(capsys, good, bad, str(tmp_path / "none.png"), "--data", str(tmp_path))
    assert status == 2
    assert f"{good}: the set is complete" in out
    assert f"{bad}: 40 tiles are seen, but in no known layout" in err
    assert "none.png: no such file" in err
    assert err.count("\n") == 2


def test_the_simulated_tables_camera_and_its_easy_set(tmp_path, capsys, simulated):
    status, out, err = check(capsys, *simulated, "--data", str(tmp_path))
    assert status == 0
    assert all(line.startswith("simulated table 8: ") for line in out.splitlines())
    assert "the set is complete" in out
    assert "nothing had to be learnt" in err
    assert not (tmp_path / "calibration" / "tiles.npz").exists()


@pytest.mark.parametrize(
    ("words", "page"), [(["calibrate", "--no-browser"], "calibration"), (["check-tiles"], "tiles")]
)
def test_a_camera_that_a_running_table_has_is_left_to_it(tmp_path, capsys, words, page):
    with EventLog(tmp_path / "tilewatch.db"):
        assert cli.main([*words, "--data", str(tmp_path)]) == 2
    assert f"/director/tables/1/setup/{page}" in capsys.readouterr().err


def test_what_was_learnt_can_be_forgotten(tmp_path, capsys):
    kept = tmp_path / "calibration" / "tiles.npz"
    kept.parent.mkdir()
    kept.write_bytes(b"x")
    assert check(capsys, "--forget", "--data", str(tmp_path))[0] == 0
    assert not kept.exists()
