"""The doctor on the disk."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from table.doctor import disk as disk_checks
from table.doctor.check import Check
from table.doctor.disk import mount_of, space, speed
from table.doctor.machine import Machine

ROOT = Path(__file__).resolve().parents[3]


def by_name(found) -> dict[str, Check]:
    return {check.name: check for check in found}


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
