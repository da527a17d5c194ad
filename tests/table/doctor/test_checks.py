"""The doctor on folder, log, port, configuration and reader, on the machine and its disk."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from game.errors import TilewatchError
from record.log.event_log import EventLog
from table.calibrated_reader import board_reader
from table.cli import main
from table.config import Serve, TableConfig
from table.doctor import data as disk_checks
from table.doctor.check import Check, fine, guarded, wrong
from table.doctor.configuration import found, port, settings
from table.doctor.data import folder, mount_of, records, space, speed, storage
from table.doctor.machine import (
    Machine,
    ask,
    batteries,
    clocks,
    kernel_synchronised,
    power,
    temperature,
    throttling,
    timesync,
)
from table.doctor.reader import ROWS, calibration, drawn, reading
from tests.machine import PATIENCE_S

from .doctorkit import amiss, by_name

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


def test_a_folder_that_will_be_made_a_file_in_its_place_and_a_key_that_others_can_read(tmp_path):
    check = folder(tmp_path / "not" / "yet")
    assert (check.ok, "will be made" in check.says) == (True, True)
    (tmp_path / "data").write_text("x")
    amiss(folder(tmp_path / "data"), "is a file")
    with EventLog(tmp_path / "tilewatch.db"):
        pass
    assert folder(tmp_path).ok
    (tmp_path / "table.key").chmod(0o644)
    amiss(folder(tmp_path), "can be read by others")


@pytest.mark.parametrize(
    ("name", "says"), [("", "cannot be written by"), ("tilewatch.db", "tilewatch.db belongs to")]
)
def test_a_folder_or_a_log_of_somebody_else(tmp_path, monkeypatch, name, says):
    (tmp_path / "tilewatch.db").touch()
    monkeypatch.setattr("table.doctor.data.os.access", lambda path, _: path != tmp_path / name)
    amiss(folder(tmp_path), says, "chown")


# --- log ---


def logged(folder_: Path, count: int = 3) -> None:
    with EventLog(folder_ / "tilewatch.db") as log:
        for number in range(count):
            log.append("g", {"type": "note", "n": number}, mono_ns=number, source="t")


def test_a_log_that_holds_and_one_that_is_none(tmp_path):
    assert records(tmp_path).figures["events"] == 0
    logged(tmp_path)
    check = records(tmp_path)
    assert check.ok
    assert check.figures == {"events": 3, "games": 1}
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "tilewatch.db").write_bytes(b"no database" * 100)
    assert not records(tmp_path / "none").ok


def test_a_log_that_was_changed(tmp_path):
    import sqlite3

    logged(tmp_path)
    with sqlite3.connect(tmp_path / "tilewatch.db") as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE events SET source = 'x' WHERE seq = 2")
    connection.close()
    amiss(records(tmp_path), "2", "keep a copy")


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
    amiss(damaged, "tilewatch calibrate")


# --- port ---


def test_a_port_in_use_and_a_free_one_and_an_address_that_this_machine_has_not_got():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = Serve(port=other.getsockname()[1])
        amiss(port(taken, False), "", "ss -ltnp")
        assert port(taken, True).ok
    for free in (Serve(port=0), Serve(on=False)):
        assert port(free, False).ok
    amiss(port(Serve(host="192.0.2.1"), False), "", "0.0.0.0")


# --- configuration ---


def test_what_the_configuration_names_has_to_be_there(tmp_path):
    def named(**more):
        config = TableConfig().model_copy(update=more)
        return by_name(guarded("configuration", lambda: settings(config, None)))["configuration"]

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


THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"


def machine(
    root: Path, files: Mapping[str, str], answers: Mapping[str, str] | None = None
) -> Machine:
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def answer(command: Sequence[str]) -> str | None:
        return (answers or {}).get(command[0])

    return Machine(root, answer, lambda _: None)


def battery(status: str, left: int) -> dict[str, str]:
    """A machine's own battery, its mains, and the battery of a mouse."""
    supplies = {
        "BAT0": {"type": "Battery", "capacity": f"{left}", "status": status},
        "AC": {"type": "Mains"},
        "mouse": {"type": "Battery", "scope": "Device", "capacity": "1", "status": "Discharging"},
    }
    return {
        f"/sys/class/power_supply/{supply}/{name}": f"{text}\n"
        for supply, files in supplies.items()
        for name, text in files.items()
    }


def zones(*texts: str) -> dict[str, str]:
    """The machine's sensors of temperature."""
    return {
        f"/sys/class/thermal/thermal_zone{at}/temp": f"{text}\n" for at, text in enumerate(texts)
    }


HWMON = "/sys/class/hwmon/hwmon1"


@pytest.mark.parametrize(
    ("files", "due"),
    [
        # A bare machine is not blamed for what it cannot tell.
        ({}, dict.fromkeys(("temperature", "throttling", "power"), (True, None))),
        # The hottest zone counts, and nonsense does not.
        (zones("48312", "61000", "-274000", "broken"), {"temperature": (True, 61.0)}),
        (zones("78000"), {"temperature": (False, 78.0)}),
        # A sensor that cannot be read is none.
        ({f"{next(iter(zones('')))}/is a folder": ""}, {"temperature": (True, None)}),
        ({THROTTLED: "VCHI initialization failed"}, {"throttling": (True, None)}),
        # The kernel's own alarm counts where the firmware says nothing.
        (
            {f"{HWMON}/name": "rpi_volt\n", f"{HWMON}/in0_lcrit_alarm": "1\n"},
            {"power": (False, True)},
        ),
        (battery("Discharging", 12), {"battery": (False, 12)}),
        (battery("Discharging", 80), {"battery": (True, 80)}),
        (battery("Charging", 12), {"battery": (True, 12)}),
    ],
)
def test_what_the_sensors_tell_of_heat_and_power(tmp_path, files, due):
    where = machine(tmp_path, files)
    checks = [temperature(where), throttling(where), power(where), *batteries(where)]
    assert len(by_name(checks)) == len(checks)
    found = {check.name: (check.ok, *check.figures.values()) for check in checks}
    assert found == {**found, **due}


@pytest.mark.parametrize(
    ("bits", "unslowed", "power_ok"),
    [
        ("0", True, True),
        ("50005", False, False),
        ("50000", False, False),
        ("10000", True, False),
        ("1", True, False),
        ("e0000", False, True),
        ("8", False, True),
    ],
)
def test_what_the_firmware_says(tmp_path, bits, unslowed, power_ok):
    for pi in (
        machine(tmp_path / "sysfs", {THROTTLED: f"{bits}\n"}),
        machine(tmp_path / "command", {}, {"vcgencmd": f"throttled=0x{bits}\n"}),
    ):
        assert throttling(pi).ok is unslowed
        assert throttling(pi).figures["bits"] == int(bits, 16)
        assert power(pi).ok is power_ok


def test_clocks_on_one_base_after_a_sleep_and_run_apart(tmp_path):
    bare, readings = machine(tmp_path, {}), iter([0, 4_000_000])
    assert clocks(bare).ok  # this very machine
    slept = clocks(bare, ahead_ns=lambda: 90_000_000_000)
    assert (slept.ok, "slept for 90.0 s" in slept.says) == (True, True)
    amiss(clocks(bare, ahead_ns=lambda: next(readings)), "4.0 ms")
    assert not clocks(bare, ahead_ns=lambda: -20_000_000).ok
    amiss(clocks(bare, resolution_ns=lambda: 15.6e6), "16 ms")


def timed(root, files=(), answers=None, kernel=None, wall=1_800_000_000.0) -> Check:
    where = machine(root, dict.fromkeys(files, ""), answers)
    return timesync(where, lambda: wall, lambda: kernel)


CHRONY = "C0A80001,192.168.0.1,3,1700000000.1,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,64.2,{}\n"


@pytest.mark.parametrize(
    ("sources", "synchronised"),
    [
        ({"files": ["/run/systemd/timesync/synchronized"]}, True),
        ({"answers": {"timedatectl": "yes\n"}}, True),
        ({"answers": {"timedatectl": "no\n"}, "kernel": True}, False),
        ({"answers": {"timedatectl": "no\n", "chronyc": CHRONY.format("Normal")}}, True),
        ({"answers": {"chronyc": CHRONY.format("Not synchronised")}}, False),
        ({"kernel": True}, True),
        ({"kernel": False}, False),
        ({}, None),
    ],
)
def test_who_keeps_the_time(tmp_path, sources, synchronised):
    check = timed(tmp_path, **sources)
    assert (check.ok, check.known) == (synchronised is not False, synchronised is not None)
    assert check.figures == {"synchronised": synchronised}


def test_a_machine_that_forgot_the_time(tmp_path):
    lost = timed(tmp_path, kernel=True, wall=3600.0)
    amiss(lost, "1970-01-01")
    assert kernel_synchronised() in {True, False, None}  # of this very machine


def test_a_command_that_is_not_there_fails_or_hangs_has_no_answer(monkeypatch):
    monkeypatch.setattr("table.doctor.machine._PATIENCE_S", PATIENCE_S)
    assert ask(["no-such-command-at-all"]) is None
    assert ask([sys.executable, "-c", "raise SystemExit(3)"]) is None
    assert ask([sys.executable, "-c", "print('yes')"]) == "yes\n"
    monkeypatch.setattr("table.doctor.machine._PATIENCE_S", 0.2)
    assert ask([sys.executable, "-c", "import time; time.sleep(3600)"]) is None


def test_what_a_machine_has_is_looked_at_where_nobody_configured_it(tmp_path):
    pi = machine(tmp_path / "pi", {"/proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0"})
    assert (found(pi).camera.kind, found(pi).buttons.kind) == ("pi", "gpio")
    laptop = machine(tmp_path / "laptop", {"/dev/video0": ""})
    assert (found(laptop).camera.kind, found(laptop).buttons.kind) == ("webcam", "web")
    assert found(machine(tmp_path / "none", {})) is None


def machine_with(root: Path, mounts: str, cmdline: str = "") -> Machine:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mounts").write_text(mounts)
    (root / "proc/cmdline").write_text(cmdline)
    return Machine(root, lambda _: None, lambda _: None)


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
        ("overlay / overlay rw,lowerdir=x 0 0\n", "", None),  # of a container
    ],
)
def test_a_disk_that_does_not_keep_what_is_written(tmp_path, mounts, cmdline, says):
    check = storage(machine_with(tmp_path, mounts, cmdline), tmp_path / "data")
    assert check.ok if says is None else (not check.ok and says in check.says)


@pytest.mark.parametrize(
    ("free", "files", "says"),
    [
        (300_000_000, 100_000, "room for 5 games"),
        (10_000_000, 100_000, "room for 0 games"),
        (30_000_000_000, 100_000, None),
        (30_000_000_000, 12, "only 12 more files"),
    ],
)
def test_a_disk_without_room(tmp_path, monkeypatch, free, files, says):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    inodes = SimpleNamespace(f_files=100_000, f_favail=files)
    monkeypatch.setattr(disk_checks.os, "statvfs", lambda _: inodes)
    check = space(tmp_path)
    assert check.ok if says is None else (not check.ok and says in check.says)


def test_the_disk_here_is_measured_and_left_clean(tmp_path):
    check = speed(tmp_path / "data")
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
    check = speed(tmp_path, Slow(step_s))
    assert check.ok is ok
    if not ok:
        assert check.says.startswith("too slow")
        assert "card" in check.remedy


def test_a_folder_that_cannot_be_written_has_no_speed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(disk_checks.os, "open", refuse)
    check = speed(tmp_path)
    assert "Read-only file system" in check.says
