"""Checks of the machine itself, over a file system and commands made up for the purpose."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from table.doctor.check import Check
from table.doctor.clocks import clocks
from table.doctor.configuration import found
from table.doctor.machine import Machine, ask
from table.doctor.power import power
from table.doctor.temperature import heat
from table.doctor.time_sync import kernel_synchronised, timesync
from tests.machine import PATIENCE_S

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


def by_name(checks) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_bare_machine_is_not_blamed_for_what_it_cannot_tell(tmp_path):
    bare = machine(tmp_path, {})
    reported = [*heat(bare), *power(bare)]
    assert [check.name for check in reported] == ["temperature", "throttling", "power"]
    assert all(check.ok for check in reported)


def test_the_hottest_zone_counts_and_nonsense_does_not(tmp_path):
    warm = machine(
        tmp_path,
        {
            "/sys/class/thermal/thermal_zone0/temp": "48312\n",
            "/sys/class/thermal/thermal_zone1/temp": "61000\n",
            "/sys/class/thermal/thermal_zone2/temp": "-274000\n",
            "/sys/class/thermal/thermal_zone3/temp": "broken\n",
        },
    )
    check = by_name(heat(warm))["temperature"]
    assert (check.ok, check.figures["celsius"]) == (True, 61.0)


def test_a_hot_machine_gets_a_fan(tmp_path):
    hot = machine(tmp_path, {"/sys/class/thermal/thermal_zone0/temp": "78000"})
    check = by_name(heat(hot))["temperature"]
    assert not check.ok
    assert "78 °C" in check.says
    assert "fan" in check.remedy


def test_an_unreadable_sensor_is_no_sensor(tmp_path):
    blind = machine(tmp_path, {})
    (tmp_path / "sys/class/thermal/thermal_zone0/temp").mkdir(parents=True)  # read: EISDIR
    assert by_name(heat(blind))["temperature"].ok
    assert by_name(heat(blind))["temperature"].figures["celsius"] is None


@pytest.mark.parametrize(
    ("bits", "throttling", "power_ok"),
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
def test_what_the_firmware_says(tmp_path, bits, throttling, power_ok):
    for pi in (
        machine(tmp_path / "sysfs", {THROTTLED: f"{bits}\n"}),
        machine(tmp_path / "command", {}, {"vcgencmd": f"throttled=0x{bits}\n"}),
    ):
        assert by_name(heat(pi))["throttling"].ok is throttling
        assert by_name(heat(pi))["throttling"].figures["bits"] == int(bits, 16)
        assert by_name(power(pi))["power"].ok is power_ok


def test_nonsense_from_the_firmware_is_no_answer(tmp_path):
    odd = machine(tmp_path, {THROTTLED: "VCHI initialization failed"})
    assert by_name(heat(odd))["throttling"].figures["bits"] is None


def test_the_kernels_own_alarm_counts_where_the_firmware_says_nothing(tmp_path):
    hwmon = "/sys/class/hwmon/hwmon1"
    low = machine(tmp_path, {f"{hwmon}/name": "rpi_volt\n", f"{hwmon}/in0_lcrit_alarm": "1\n"})
    check = by_name(power(low))["power"]
    assert not check.ok
    assert "power supply" in check.remedy


@pytest.mark.parametrize(
    ("status", "left", "ok"),
    [("Discharging", 12, False), ("Discharging", 80, True), ("Charging", 12, True)],
)
def test_a_battery(tmp_path, status, left, ok):
    files = {
        "/sys/class/power_supply/BAT0/type": "Battery\n",
        "/sys/class/power_supply/BAT0/capacity": f"{left}\n",
        "/sys/class/power_supply/BAT0/status": f"{status}\n",
        "/sys/class/power_supply/AC/type": "Mains\n",
        "/sys/class/power_supply/mouse/type": "Battery\n",
        "/sys/class/power_supply/mouse/scope": "Device\n",
        "/sys/class/power_supply/mouse/capacity": "1\n",
        "/sys/class/power_supply/mouse/status": "Discharging\n",
    }
    batteries = [one for one in power(machine(tmp_path, files)) if one.name == "battery"]
    assert [one.ok for one in batteries] == [ok]


def test_clocks_on_one_base_and_after_a_sleep(tmp_path):
    bare = machine(tmp_path, {})
    assert by_name(clocks(bare))["clocks"].ok  # this very machine
    slept = by_name(clocks(bare, ahead_ns=lambda: 90_000_000_000))["clocks"]
    assert slept.ok
    assert "slept for 90.0 s" in slept.says


def test_clocks_that_run_apart_are_caught(tmp_path):
    bare = machine(tmp_path, {})
    readings = iter([0, 4_000_000])
    apart = by_name(clocks(bare, ahead_ns=lambda: next(readings)))["clocks"]
    assert not apart.ok
    assert "4.0 ms" in apart.says
    behind = by_name(clocks(bare, ahead_ns=lambda: -20_000_000))["clocks"]
    assert not behind.ok
    coarse = by_name(clocks(bare, resolution_ns=lambda: 15.6e6))["clocks"]
    assert not coarse.ok
    assert "16 ms" in coarse.says


def timed(root, files=(), answers=None, kernel=None, wall=1_800_000_000.0) -> Check:
    where = machine(root, dict.fromkeys(files, ""), answers)
    return by_name(timesync(where, lambda: wall, lambda: kernel))["time"]


def test_who_keeps_the_time(tmp_path):
    assert timed(tmp_path / "1", ["/run/systemd/timesync/synchronized"]).ok
    assert timed(tmp_path / "2", answers={"timedatectl": "yes\n"}).ok
    assert not timed(tmp_path / "3", answers={"timedatectl": "no\n"}, kernel=True).ok
    chrony = "C0A80001,192.168.0.1,3,1700000000.1,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,64.2,{}\n"
    good = {"timedatectl": "no\n", "chronyc": chrony.format("Normal")}
    assert timed(tmp_path / "4", answers=good).ok
    bad = {"chronyc": chrony.format("Not synchronised")}
    assert not timed(tmp_path / "5", answers=bad).ok
    assert timed(tmp_path / "6", kernel=True).ok
    assert not timed(tmp_path / "7", kernel=False).ok
    unknown = timed(tmp_path / "8", kernel=None)
    assert unknown.ok
    assert "nothing here tells" in unknown.says


def test_a_machine_that_forgot_the_time(tmp_path):
    lost = timed(tmp_path, kernel=True, wall=3600.0)
    assert not lost.ok
    assert "1970-01-01" in lost.says


def test_the_kernel_can_be_asked_on_linux():
    assert kernel_synchronised() in {True, False, None}


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
