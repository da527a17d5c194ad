"""A calibration on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest

from calibration.lens import Lens
from calibration.model import Calibration, CalibrationError, Marker
from calibration.picture_quality import Measures
from calibration.storage import NAME, load, save
from game.board import Square


def made(**changes) -> Calibration:
    picture = np.random.default_rng(2).integers(0, 256, (48, 64, 3)).astype(np.uint8)
    picture = np.repeat(np.repeat(picture, 10, 0), 10, 1)
    given = {
        "made": "2026-01-02T03:04:05Z",
        "camera": "webcam camera 0",
        "picture": picture,
        "corners": np.array([[60, 50], [560, 60], [570, 430], [50, 420]], np.float32),
        "lens": Lens(-0.11, 0.02, (640, 480)),
        "empty": True,
        "measures": Measures(33.4, 0.021, (Square.parse("8H"),), 0.004, 201.0, 0.61),
        "settings": {"exposure_us": 8000.0, "gain": 2.0, "red": 1.6, "blue": 1.9},
        "stickers": (Marker(3, np.arange(8, dtype=np.float32).reshape(4, 2)),),
        "by_hand": True,
    }
    return Calibration(**(given | changes))


def test_what_is_saved_is_loaded(tmp_path):
    calibration = made()
    path = save(calibration, tmp_path / "deep" / "folder")
    found = load(path.parent)
    names = ("made", "camera", "lens", "empty", "measures", "settings", "by_hand", "board_only")
    for name in (*names, "size"):
        assert getattr(found, name) == getattr(calibration, name), name
    assert np.allclose(found.corners, calibration.corners)
    assert np.allclose(found.stickers[0].corners, calibration.stickers[0].corners)
    assert np.abs(found.picture.astype(int) - calibration.picture).mean() < 12
    assert found.empty_board is not None


@pytest.mark.parametrize("lens", [None, Lens(-0.11, 0.02, (640, 480))])
def test_of_a_board_only_calibration_no_picture_shows_more_than_the_board_and_its_rim(
    tmp_path, lens
):
    corners = np.array([[220, 150], [420, 160], [430, 330], [210, 320]], np.float32)
    whole = made(corners=corners, lens=lens, picture=np.full((480, 640, 3), 200, np.uint8))
    picture = np.full((480, 640, 3), 200, np.uint8)
    assert whole.near_board(picture) is picture
    path = save(whole.of_board_only(), tmp_path)
    found = load(path.parent)
    assert found.board_only
    assert found.empty_board is not None
    for kept in (found.near_board(picture), found.picture):
        assert (kept[150:330, 215:425] > 180).all()  # the grid
        assert (kept[:90] < 20).all()  # 4 squares and more above it
        assert (kept[:, 520:] < 20).all()


def test_a_new_one_takes_the_old_ones_place_and_leaves_no_picture_behind(tmp_path):
    assert load(tmp_path) is None
    save(made(), tmp_path)
    save(made(picture=np.full((480, 640, 3), 77, np.uint8), empty=False), tmp_path)
    assert load(tmp_path).empty is False
    assert len(list(tmp_path.glob("*.jpg"))) == 1
    assert load(tmp_path).empty_board is None


@pytest.mark.parametrize(
    ("changes", "output"),
    [
        ({"version": 99}, "made by a newer tilewatch"),
        ({"version": 0}, "version 0 is no longer known"),
        ({"version": None}, "is no calibration"),
        ({"corners": [[0, 0], [1, 1], [2, 2], [3, 3]]}, "corners"),
        ({"corners": [[0, 0]]}, "corners"),
        ({"surprise": 1}, "surprise"),
        ({"size": [1000, 1000]}, "another size"),
        ({"picture": "../../etc/passwd"}, "picture"),
        ({"measures": None}, "measures"),
        ({"lens": {"k1": 5, "k2": 0}}, "lens.k1"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line_with_the_remedy(tmp_path, changes, output):
    save(made(), tmp_path)
    path = tmp_path / NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CalibrationError, match=output) as raised:
        load(tmp_path)
    assert "\n" not in str(raised.value)
    assert "tilewatch calibrate" in str(raised.value)
    assert str(tmp_path) in str(raised.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b'"x"', b"null", b"\xed\xa0\x80"])
def test_what_is_no_calibration_is_refused(tmp_path, data):
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(CalibrationError):
        load(tmp_path)


def test_a_picture_that_was_changed_or_is_gone_is_refused(tmp_path):
    save(made(), tmp_path)
    (picture,) = tmp_path.glob("*.jpg")
    picture.write_bytes(picture.read_bytes()[:-10])
    with pytest.raises(CalibrationError, match="picture was changed"):
        load(tmp_path)
    picture.unlink()
    with pytest.raises(CalibrationError, match="cannot be read"):
        load(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CalibrationError, match="cannot be written"):
        save(made(), tmp_path / "file" / "under")
