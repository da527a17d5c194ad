"""Folder, log, port, configuration and reader."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from game.errors import TilewatchError
from record.log.event_log import EventLog
from table.cli import main
from table.config import Serve, TableConfig
from table.doctor.calibration import calibration
from table.doctor.check import Check, fine, guarded, wrong
from table.doctor.configuration import settings
from table.doctor.data_folder import folder
from table.doctor.event_log import records
from table.doctor.port import port
from table.doctor.reader import ROWS, drawn, reading
from table.readers import board_reader

ROOT = Path(__file__).resolve().parents[3]


def by_name(found) -> dict[str, Check]:
    return {check.name: check for check in found}


# --- one check ---


def test_a_remedy_is_for_what_is_amiss():
    with pytest.raises(ValueError, match="remedy"):
        Check("x", True, "well", "do this")
    with pytest.raises(ValueError, match="remedy"):
        Check("x", False, "not well")
    assert str(fine("disk", "fast")) == "ok  disk: fast"
    assert str(wrong("disk", "slow", "buy another")) == "NO  disk: slow → buy another"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (TilewatchError("table.db: is gone"), "table.db: is gone"),
        (PermissionError(13, "Permission denied", "/sys/x"), "/sys/x: Permission denied"),
        (ModuleNotFoundError("No module named 'cv2'", name="cv2"), "cv2 is not installed"),
        (KeyError("odd"), "could not be checked (KeyError: 'odd')"),
    ],
)
def test_a_check_that_fails_is_a_finding(error, says):
    def run():
        yield fine("one", "before")
        raise error

    (check,) = guarded("two", run)
    assert (check.name, check.ok) == ("two", False)
    assert check.says.startswith(says)


# --- folder ---


def test_a_folder_that_will_be_made(tmp_path):
    check = by_name(folder(tmp_path / "not" / "yet"))["data folder"]
    assert check.ok
    assert "will be made" in check.says


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "data").write_text("x")
    check = by_name(folder(tmp_path / "data"))["data folder"]
    assert "is a file" in check.says


def test_a_key_that_others_can_read(tmp_path):
    with EventLog(tmp_path / "tilewatch.db"):
        pass
    assert by_name(folder(tmp_path))["data folder"].ok
    (tmp_path / "table.key").chmod(0o644)
    check = by_name(folder(tmp_path))["data folder"]
    assert "can be read by others" in check.says


def test_a_folder_of_somebody_else(tmp_path, monkeypatch):
    monkeypatch.setattr("table.doctor.data_folder.os.access", lambda path, _: path != tmp_path)
    check = by_name(folder(tmp_path))["data folder"]
    assert "cannot be written by" in check.says
    assert "chown" in check.remedy


def test_a_log_of_somebody_else_in_a_folder_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "tilewatch.db").touch()
    monkeypatch.setattr(
        "table.doctor.data_folder.os.access", lambda path, _: path.name != "tilewatch.db"
    )
    assert "tilewatch.db belongs to" in by_name(folder(tmp_path))["data folder"].says


# --- log ---


def logged(folder_: Path, count: int = 3) -> None:
    with EventLog(folder_ / "tilewatch.db") as log:
        for number in range(count):
            log.append("g", {"type": "note", "n": number}, mono_ns=number, source="t")


def test_a_log_that_holds(tmp_path):
    assert by_name(records(tmp_path))["log"].figures["events"] == 0
    logged(tmp_path)
    check = by_name(records(tmp_path))["log"]
    assert check.ok
    assert check.figures == {"events": 3, "games": 1}


def test_a_log_that_was_changed(tmp_path):
    import sqlite3

    logged(tmp_path)
    with sqlite3.connect(tmp_path / "tilewatch.db") as connection:
        connection.execute("DROP TRIGGER IF EXISTS events_fixed")
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE events SET source = 'x' WHERE seq = 2")
    connection.close()
    check = by_name(records(tmp_path))["log"]
    assert not check.ok
    assert "2" in check.says
    assert "keep a copy" in check.remedy


def test_a_log_that_is_none(tmp_path):
    (tmp_path / "tilewatch.db").write_bytes(b"no database" * 100)
    assert not by_name(records(tmp_path))["log"].ok


# --- calibration ---


def calibrated(data: Path) -> Check:
    return by_name(guarded("calibration", lambda: calibration(data)))["calibration"]


def test_a_calibration_that_is_there_not_there_or_damaged(tmp_path, capsys):
    assert calibrated(tmp_path).says.startswith("none")
    import cv2

    picture = tmp_path / "board.png"
    cv2.imwrite(str(picture), drawn("english"))
    made = ["calibrate", "--image", str(picture), "--no-browser", "--empty"]
    assert main([*made, "--data", str(tmp_path)]) in {0, 1}
    capsys.readouterr()
    known = calibrated(tmp_path)
    assert known.ok, known
    height, width = drawn("english").shape[:2]
    assert (known.figures["width"], known.figures["height"]) == (width, height)
    (saved,) = (tmp_path / "calibration").glob("*.json")
    saved.write_text("{")
    damaged = calibrated(tmp_path)
    assert not damaged.ok
    assert "tilewatch calibrate" in damaged.says


# --- port ---


def test_a_port_in_use_and_a_free_one():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = by_name(port(Serve(port=other.getsockname()[1]), False))["port"]
        assert not taken.ok
        assert "ss -ltnp" in taken.remedy
        assert by_name(port(Serve(port=other.getsockname()[1]), True))["port"].ok
    assert by_name(port(Serve(port=0), False))["port"].ok
    assert by_name(port(Serve(on=False), False))["port"].ok


def test_an_address_that_this_machine_has_not_got():
    check = by_name(port(Serve(host="192.0.2.1"), False))["port"]
    assert not check.ok
    assert "0.0.0.0" in check.remedy


# --- configuration ---


def test_what_the_configuration_names_has_to_be_there(tmp_path):
    def named(**more):
        config = TableConfig()
        return by_name(
            guarded("configuration", lambda: settings(replace_in(config, **more), None))
        )["configuration"]

    def replace_in(config, **more):
        return config.model_copy(update=more)

    assert named().ok
    assert not named(word_list=tmp_path / "none.txt").ok
    simulated = TableConfig().simulated.model_copy(update={"gcg": tmp_path / "none.gcg"})
    assert "no such file" in named(simulated=simulated).says


# --- reader ---


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


@pytest.mark.parametrize("tile_set", ["english", "german", "french", "polish", "romanian"])
def test_the_drawn_board_is_read_with_every_set(tile_set):
    check = by_name(reading(tile_set, lambda: board_reader(tile_set)))["reader"]
    assert "read wrong" not in check.says
    assert check.figures["read_ms"] > 0


class Misled:
    """Reads like another, but for one square, or slowly."""

    def __init__(self, reader, **changes) -> None:
        self._reader, self._changes = reader, changes

    def read(self, image):
        return replace(self._reader.read(image), **self._changes)


def test_a_reader_that_reads_wrong_or_slowly(reader):
    image = drawn("english")
    astray = ("Q" * 4 + ROWS[0][4:], *ROWS[1:])
    wrongly = by_name(
        reading("english", lambda: Misled(reader, rows=astray), picture=lambda _: image)
    )["reader"]
    assert wrongly.says == "4 squares of a drawn board are read wrong"
    slowly = by_name(
        reading(
            "english",
            lambda: Misled(reader, ms={"locate": 90.0, "read": 2000.0}),
            picture=lambda _: image,
        )
    )["reader"]
    assert slowly.says.startswith("slow")
    assert np.asarray(image).shape[2] == 3
