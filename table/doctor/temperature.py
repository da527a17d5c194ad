"""The temperature of the processor, and whether the firmware slows it down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from table.doctor.check import Check, fine, unknown, wrong
from table.doctor.machine import Machine

SOFT_C: Final = 80.0
"""Where a Raspberry Pi begins to slow down."""
WARM_C: Final = 72.0
"""Warmer than this now leaves no margin for a hot hall and a long day."""

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
    """The firmware's bits of what it did to the clock rate, and why; None off a Pi."""
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


def heat(machine: Machine) -> Iterator[Check]:
    """The temperature, and the clock rate."""
    hot = temperature_c(machine)
    if hot is None:
        yield unknown("temperature", "no sensor here to tell", celsius=None)
    elif hot >= WARM_C:
        yield wrong(
            "temperature",
            f"{hot:.0f} °C, and a Raspberry Pi slows down at {SOFT_C:.0f}",
            "fit a fan or a heat sink, and keep it out of the sun",
            celsius=hot,
        )
    else:
        yield fine("temperature", f"{hot:.0f} °C", celsius=hot)
    bits = throttled(machine)
    if bits is None:
        yield unknown("throttling", "nothing here tells (no Raspberry Pi firmware)", bits=None)
    elif bits & CAPPED_NOW:
        yield wrong(
            "throttling",
            "the firmware is slowing the processor down now",
            "cool it, or give it a power supply of its own",
            bits=bits,
        )
    elif bits & CAPPED_WAS:
        yield wrong(
            "throttling",
            "the firmware has slowed the processor down since the start",
            "cool it or give it a better power supply, and restart it to clear this",
            bits=bits,
        )
    else:
        yield fine("throttling", "never slowed down since the start", bits=bits)
