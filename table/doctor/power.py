"""Checks the power supply, and the battery if there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table.doctor.check import Check, fine, unknown, wrong
from table.doctor.machine import Machine
from table.doctor.temperature import UNDER_VOLTAGE_NOW, UNDER_VOLTAGE_WAS, throttled

_LOW: Final = 30
"""Per cent; a battery below this that is not being charged is reported."""
_SUPPLY: Final = (
    "use the official power supply with its own cable, and no hub or power bank between"
)


def power(machine: Machine) -> Iterator[Check]:
    """The supply's voltage, and a battery where there is one."""
    bits = throttled(machine)
    if bits is None:
        bits = _alarm(machine)
    if bits is None:
        yield unknown("power", "nothing here tells the voltage", under_voltage=None)
    elif bits & UNDER_VOLTAGE_NOW:
        yield wrong("power", "the voltage is too low now", _SUPPLY, under_voltage=True)
    elif bits & UNDER_VOLTAGE_WAS:
        yield wrong(
            "power",
            "the voltage has been too low since the start",
            f"{_SUPPLY}; restart to clear this",
            under_voltage=True,
        )
    else:
        yield fine("power", "the voltage has held since the start", under_voltage=False)
    for supply in sorted(machine.path("/sys/class/power_supply").glob("*")):
        if machine.text(supply / "type") != "Battery":
            continue
        if machine.text(supply / "scope") == "Device":  # of a mouse or a headset
            continue
        left = machine.number(supply / "capacity")
        status = machine.text(supply / "status") or "Unknown"
        if left is None:
            yield fine("battery", f"{supply.name} tells no charge", percent=None)
        elif status == "Discharging" and left < _LOW:
            yield wrong(
                "battery", f"{left} % left", "plug its supply in, the game goes on", percent=left
            )
        else:
            yield fine("battery", f"{left} %, {status.lower()}", percent=left)


def _alarm(machine: Machine) -> int | None:
    """The kernel's own under-voltage alarm (hwmon ``rpi_volt``), as the firmware's bits."""
    for chip in sorted(machine.path("/sys/class/hwmon").glob("hwmon*")):
        if machine.text(chip / "name") == "rpi_volt":
            alarm = machine.number(chip / "in0_lcrit_alarm")
            return None if alarm is None else UNDER_VOLTAGE_WAS * bool(alarm)
    return None
