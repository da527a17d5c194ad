"""The machine that is checked: its clocks, its temperature and its power.

Tests replace its root folder and the answers of its commands.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sensors.picamera import boottime_ahead_ns
from table.doctor.check import Check, fine, unknown, wrong

_PATIENCE_S: Final = 5.0

Ask = Callable[[Sequence[str]], str | None]


def ask(command: Sequence[str]) -> str | None:
    """Return the output of a command; None if it is missing, fails or takes too long."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands, no shell
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class Machine:
    """The machine that is checked: its files, its commands and its clock."""

    root: Path = Path("/")
    ask: Ask = ask
    sleep: Callable[[float], None] = time.sleep

    def path(self, absolute: str) -> Path:
        """Return the path of a system file or folder, such as ``/sys/class/thermal``."""
        return self.root / absolute.lstrip("/")

    def text(self, path: Path) -> str | None:
        """Return a file's text, stripped; None if it is missing or cannot be read."""
        try:
            return path.read_text("utf-8", errors="replace").strip("\0 \n\t")
        except OSError:
            return None

    def number(self, path: Path) -> int | None:
        """Return the whole number in a file; None if it is missing or holds something else."""
        try:
            return int(self.text(path) or "")
        except ValueError:
            return None

    @property
    def model(self) -> str | None:
        """The board's model, such as "Raspberry Pi 5 Model B Rev 1.0"; None if unknown."""
        return self.text(self.path("/proc/device-tree/model")) or None

    @property
    def is_pi(self) -> bool:
        """True if it is a Raspberry Pi."""
        return "Raspberry Pi" in (self.model or "")


LOOSE_NS: Final = 1_000_000
"""The most by which two readings of the difference may differ on a busy machine."""
COARSE_NS: Final = 1_000_000
"""A clock with a coarser tick cannot order two presses."""
_APART_S: Final = 0.2


def clocks(
    machine: Machine,
    ahead_ns: Callable[[], int] = boottime_ahead_ns,
    resolution_ns: Callable[[], float] = lambda: time.get_clock_info("monotonic").resolution * 1e9,
) -> Check:
    """Compare ``CLOCK_BOOTTIME``, by which the Pi's camera stamps, with ``CLOCK_MONOTONIC``."""
    tick = resolution_ns()
    if tick > COARSE_NS:
        return wrong(
            "clocks",
            f"the monotonic clock ticks only every {tick / 1e6:.0f} ms",
            "use a kernel with high-resolution timers (Raspberry Pi OS has one)",
            tick_ns=tick,
        )
    first = ahead_ns()
    machine.sleep(_APART_S)
    second = ahead_ns()
    figures: dict[str, float] = {"ahead_ns": second, "apart_ns": abs(second - first)}
    if abs(second - first) > LOOSE_NS:
        return wrong(
            "clocks",
            f"the boot clock and the monotonic clock moved {abs(second - first) / 1e6:.1f} ms "
            "against each other while looked at",
            "stop the machine from sleeping, and close programs that load its processor",
            **figures,
        )
    if second < -LOOSE_NS:
        return wrong(
            "clocks",
            f"the boot clock is {-second / 1e6:.1f} ms behind the monotonic one, which cannot be",
            "restart the machine; in a container, run on the machine itself",
            **figures,
        )
    if second > LOOSE_NS:
        return fine(
            "clocks",
            f"the machine has slept for {second / 1e9:.1f} s since its start; frames are moved by "
            "that onto the buttons' clock",
            **figures,
        )
    return fine("clocks", "camera and buttons share a base of time", **figures)


_EARLIEST_S: Final = 1_767_225_600
"""2026-01-01: a machine with an earlier date has neither a hardware clock nor a network."""
_TIME_ERROR: Final = 5
"""``adjtimex(2)``'s answer for a clock that is not synchronised."""
_TIMEX_BYTES: Final = 1024
"""More bytes than a ``struct timex`` has anywhere; if all are zero, ``adjtimex`` only reads."""


def kernel_synchronised() -> bool | None:
    """Return the kernel's answer whether its clock is synchronised; None if it gives none."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        state = libc.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else state != _TIME_ERROR


def synchronised(
    machine: Machine, kernel: Callable[[], bool | None] = kernel_synchronised
) -> bool | None:
    """Return True if a time service keeps the clock correct, False if not, None if unknown."""
    if machine.path("/run/systemd/timesync/synchronized").exists():
        return True
    answer = machine.ask(("timedatectl", "show", "--property=NTPSynchronized", "--value"))
    if answer is not None and answer.strip() in {"yes", "no"}:
        if answer.strip() == "yes":
            return True
    else:
        answer = None
    chrony = machine.ask(("chronyc", "-c", "tracking"))
    if chrony is not None:
        # The last field is the leap status, "Not synchronised" while it has no source.
        return not chrony.strip().endswith("Not synchronised")
    return False if answer is not None else kernel()


def timesync(
    machine: Machine,
    wall_s: Callable[[], float] = time.time,
    kernel: Callable[[], bool | None] = kernel_synchronised,
) -> Check:
    """Check that the wall clock is plausible and synchronised."""
    now = wall_s()
    day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    known = synchronised(machine, kernel)
    if now < _EARLIEST_S:
        return wrong(
            "time",
            f"it is not {day}",
            "connect the network until the clock is set (a Raspberry Pi forgets the time without "
            "power), or fit a clock with a battery",
            synchronised=known,
        )
    if known is None:
        return unknown(
            "time", f"{day}; nothing here tells whether it is kept right", synchronised=None
        )
    if not known:
        return wrong(
            "time",
            f"{day}, not synchronised with any time server",
            "connect the network, and see that timedatectl says: System clock synchronized: yes; "
            "where there is none, set it by hand",
            synchronised=False,
        )
    return fine("time", f"{day}, synchronised", synchronised=True)


SOFT_C: Final = 80.0
"""The temperature at which a Raspberry Pi begins to slow down."""
WARM_C: Final = 72.0
"""A machine warmer than this has no margin for a hot hall and a long day."""

UNDER_VOLTAGE_NOW: Final = 1 << 0
CAPPED_NOW: Final = 1 << 1 | 1 << 2 | 1 << 3
"""Frequency capped, throttled, soft temperature limit."""
UNDER_VOLTAGE_WAS: Final = 1 << 16
CAPPED_WAS: Final = 1 << 17 | 1 << 18 | 1 << 19

_THROTTLED: Final = (
    "/sys/devices/platform/soc/soc:firmware/get_throttled",
    "/sys/devices/platform/soc@0/soc@0:firmware/get_throttled",
)


def throttled(machine: Machine) -> int | None:
    """Return the firmware's bits for throttling and its reasons; None on other machines."""
    bits = next((text for name in _THROTTLED if (text := machine.text(machine.path(name)))), None)
    if bits is None:
        bits = (machine.ask(("vcgencmd", "get_throttled")) or "").strip().partition("=")[2]
    try:
        return int(bits, 16)
    except ValueError:
        return None


def temperature_c(machine: Machine) -> float | None:
    """Return the temperature of the hottest zone; None if none is known."""
    zones = machine.path("/sys/class/thermal").glob("thermal_zone*/temp")
    zones_c = [number / 1000 for zone in zones if (number := machine.number(zone)) is not None]
    # A zone that is not connected reads nonsense, such as -40 or 0.
    return max((one for one in zones_c if 1 < one < 150), default=None)


def temperature(machine: Machine) -> Check:
    """Check that the machine is cool enough for a long day."""
    hot = temperature_c(machine)
    if hot is None:
        return unknown("temperature", "no sensor here to tell", celsius=None)
    if hot >= WARM_C:
        return wrong(
            "temperature",
            f"{hot:.0f} °C, and a Raspberry Pi slows down at {SOFT_C:.0f}",
            "fit a fan or a heat sink, and keep it out of the sun",
            celsius=hot,
        )
    return fine("temperature", f"{hot:.0f} °C", celsius=hot)


def throttling(machine: Machine) -> Check:
    """Check that the firmware has not slowed the processor down."""
    bits = throttled(machine)
    if bits is None:
        return unknown("throttling", "nothing here tells (no Raspberry Pi firmware)", bits=None)
    if bits & CAPPED_NOW:
        return wrong(
            "throttling",
            "the firmware is slowing the processor down now",
            "cool it, or give it a power supply of its own",
            bits=bits,
        )
    if bits & CAPPED_WAS:
        return wrong(
            "throttling",
            "the firmware has slowed the processor down since the start",
            "cool it or give it a better power supply, and restart it to clear this",
            bits=bits,
        )
    return fine("throttling", "never slowed down since the start", bits=bits)


_LOW: Final = 30
"""Per cent; a battery below this that is not being charged is reported."""
_SUPPLY: Final = (
    "use the official power supply with its own cable, and no hub or power bank between"
)


def power(machine: Machine) -> Check:
    """Check that the supply's voltage has held."""
    bits = throttled(machine)
    if bits is None:
        bits = _alarm(machine)
    if bits is None:
        return unknown("power", "nothing here tells the voltage", under_voltage=None)
    if bits & UNDER_VOLTAGE_NOW:
        return wrong("power", "the voltage is too low now", _SUPPLY, under_voltage=True)
    if bits & UNDER_VOLTAGE_WAS:
        says, remedy = "the voltage has been too low since the start", "restart to clear this"
        return wrong("power", says, f"{_SUPPLY}; {remedy}", under_voltage=True)
    return fine("power", "the voltage has held since the start", under_voltage=False)


def batteries(machine: Machine) -> Iterator[Check]:
    """Check the charge of each of the machine's own batteries."""
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
    """Return the kernel's under-voltage alarm (hwmon ``rpi_volt``) as bits of the firmware.

    None if this machine has no such alarm.
    """
    for chip in sorted(machine.path("/sys/class/hwmon").glob("hwmon*")):
        if machine.text(chip / "name") == "rpi_volt":
            alarm = machine.number(chip / "in0_lcrit_alarm")
            return None if alarm is None else UNDER_VOLTAGE_WAS * bool(alarm)
    return None
