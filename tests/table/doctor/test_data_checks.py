"""Disk, folder, log, port, configuration, reader, and the command that has them all."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from game.errors import TilewatchError
from record.log.event_log import EventLog
from table.cli import main
from table.config import Serve, TableConfig
from table.doctor import checks
from table.doctor import disk as disk_checks
from table.doctor.calibration import calibration
from table.doctor.check import Check, fine, guarded, wrong
from table.doctor.configuration import settings
from table.doctor.data_folder import folder
from table.doctor.disk import mount_of, space, speed
from table.doctor.event_log import records
from table.doctor.machine import Machine
from table.doctor.port import port
from table.doctor.reader import ROWS, drawn, reading
from table.doctor.run import at_work
from table.readers import board_reader

ROOT = Path(__file__).resolve().parents[3]


def by_name(found) -> dict[str, Check]:
    return {check.name: check for check in found}


def machine_with(root: Path, mounts: str, cmdline: str = "") -> Machine:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mounts").write_text(mounts)
    (root / "proc/cmdline").write_text(cmdline)
    return Machine(root, lambda _: None, lambda _: None)


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


# --- disk ---


def test_the_mount_of_a_folder_is_the_innermost(tmp_path):
    machine = machine_with(
        tmp_path,
        "/dev/root / ext4 rw 0 0\n/dev/sda1 /media/usb\\040stick vfat rw 0 0\nodd line\n",
    )
    assert mount_of(machine, Path("/media/usb stick/table"))[0] == "/dev/sda1"
    assert mount_of(machine, Path("/media/usbx"))[0] == "/dev/root"


@pytest.mark.parametrize(
    ("mounts", "cmdline", "says"),
    [
        ("tmpfs / tmpfs rw 0 0\n", "", "in the machine's memory"),
        ("overlayroot / overlay rw,upperdir=/upper 0 0\n", "", "overlay in memory"),
        ("overlay / overlay rw 0 0\n", "console=tty1 boot=overlay", "overlay in memory"),
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n", "", "mounted read-only"),
    ],
)
def test_a_disk_that_does_not_keep_what_is_written(tmp_path, mounts, cmdline, says):
    check = by_name(space(machine_with(tmp_path, mounts, cmdline), tmp_path / "data"))["storage"]
    assert not check.ok
    assert says in check.says


def test_an_overlay_of_a_container_is_a_disk(tmp_path):
    machine = machine_with(tmp_path, "overlay / overlay rw,lowerdir=x 0 0\n")
    assert by_name(space(machine, tmp_path))["storage"].ok


def test_a_full_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_checks, "free_bytes", lambda _: 300_000_000)
    check = by_name(space(Machine(), tmp_path))["space"]
    assert not check.ok
    assert "room for 5 games" in check.says
    monkeypatch.setattr(disk_checks, "free_bytes", lambda _: 10_000_000)
    assert by_name(space(Machine(), tmp_path))["space"].figures["games"] == 0
    monkeypatch.setattr(disk_checks, "free_bytes", lambda _: 30_000_000_000)
    assert by_name(space(Machine(), tmp_path))["space"].ok


def test_a_disk_without_room_for_another_file(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_checks, "free_bytes", lambda _: 30_000_000_000)
    monkeypatch.setattr(
        disk_checks.os, "statvfs", lambda _: SimpleNamespace(f_files=100_000, f_favail=12)
    )
    check = by_name(space(Machine(), tmp_path))["space"]
    assert "only 12 more files" in check.says


def test_the_disk_here_is_measured_and_left_clean(tmp_path):
    check = by_name(speed(tmp_path / "data"))["card"]
    assert check.figures["sync_ms"] > 0
    assert check.figures["mb_s"] > 0
    assert list(tmp_path.iterdir()) == []


class Slow:
    """A clock on which every look takes longer."""

    def __init__(self, step_s: float) -> None:
        self.now, self.step = 0.0, step_s

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.parametrize(("step_s", "ok"), [(0.001, True), (0.08, False), (3.0, False)])
def test_a_slow_card_is_said(tmp_path, step_s, ok):
    check = by_name(speed(tmp_path, Slow(step_s)))["card"]
    assert check.ok is ok
    if not ok:
        assert check.says.startswith("too slow")
        assert "card" in check.remedy


def test_a_folder_that_cannot_be_written_has_no_speed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(disk_checks.os, "open", refuse)
    check = by_name(speed(tmp_path))["card"]
    assert "Read-only file system" in check.says


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


# --- all of them ---


def test_whether_a_table_is_at_work_there(tmp_path):
    assert not at_work(tmp_path)
    with EventLog(tmp_path / "tilewatch.db"):
        assert at_work(tmp_path)
    assert not at_work(tmp_path)


def test_all_checks_of_a_simulated_table(tmp_path):
    config = TableConfig(data=tmp_path, serve=Serve(port=0))
    found = checks(config)
    names = [check.name for check in found]
    assert names[:3] == ["configuration", "camera", "buttons"]
    assert {"reader", "data folder", "space", "card", "log", "port", "clocks", "time"} <= set(names)
    assert all(check.as_json()["name"] == check.name for check in found)


def test_the_command_says_of_each_whether_it_will_do(tmp_path, capsys):
    (tmp_path / "table.toml").write_text('word_list = "none.txt"\n[serve]\nport = 0\n')
    arguments = ["doctor", "--config", str(tmp_path / "table.toml"), "--data", str(tmp_path / "d")]
    assert main(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("ok  ", "NO  ")) for line in lines[:-1])
    assert lines[0].startswith("NO  configuration:")
    assert "none.txt" in lines[0]
    assert main([*arguments, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["checks"][0]["remedy"]


def test_a_configuration_that_cannot_be_used_hides_nothing_else(tmp_path, capsys):
    (tmp_path / "table.toml").write_text("nmae = 1\n")
    assert main(["doctor", "--config", str(tmp_path / "table.toml")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "unknown key 'nmae'" in lines[0]
    assert any(line.startswith("ok  clocks") for line in lines)


def test_an_installation_that_this_user_may_not_read_hides_nothing_else(
    tmp_path, capsys, monkeypatch
):
    def refuse():
        raise PermissionError(13, "Permission denied", "/srv/tilewatch/game/data/tilesets")

    monkeypatch.setattr("table.config.tile_set_ids", refuse)
    assert main(["doctor", "--data", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    (configuration,) = (line for line in lines if "configuration" in line)
    assert configuration.startswith("NO  configuration: /srv/tilewatch/game/data/tilesets: Perm")
    assert any(line.startswith("ok  data folder") for line in lines)
    assert any(line.startswith("ok  clocks") for line in lines)


def test_a_folder_in_which_this_user_may_not_look_is_not_taken_for_a_missing_one(
    tmp_path, monkeypatch
):
    stat = Path.stat

    def refuse(path, **options):
        if path.is_relative_to(tmp_path / "shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
    monkeypatch.setattr(Path, "exists", os.path.exists)  # as from Python 3.14 on: never raises
    (check,) = guarded("data folder", lambda: folder(tmp_path / "shut" / "data"))
    assert not check.ok
    assert "Permission denied" in check.says


def test_an_ordinary_user_with_no_rights_gets_lines_and_no_traceback(tmp_path):
    """Not even the right to read this program, where root has put it into a folder of its own."""
    data = tmp_path / "data"
    data.mkdir(mode=0)
    become = "os.setgroups([]); os.setgid(65534); os.setuid(65534); " if os.geteuid() == 0 else ""
    # Once with all rights before, so that all modules are loaded: nobody may not read Python here.
    code = (
        "import os, sys; from table.cli import main; "
        f"main(['doctor', '--json', '--data', {str(tmp_path)!r}]); print(); "
        f"{become}sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--data", str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=250,
    )
    data.chmod(0o700)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1, done
    assert any(line.startswith("NO  data folder") for line in done.stdout.splitlines()), done
