"""Checks that the clock buttons can be read and that none is stuck."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol, runtime_checkable

from game.errors import TilewatchError
from sensors.interfaces import Buttons
from table.config import Buttons as Config
from table.desk import Desk
from table.devices import open_buttons
from table.doctor.check import Check, fine, wrong
from table.doctor.machine import Machine

LOOKS: Final = 50
"""The number of times each pin is read, ``EVERY_S`` apart: longer than any press by hand."""
EVERY_S: Final = 0.02


@runtime_checkable
class Pins(Protocol):
    """Buttons whose contacts can be looked at, such as ``sensors.gpio.GpioButtons``."""

    @property
    def pins(self) -> Mapping[str, int]:
        """BCM numbers."""
        ...

    @property
    def exact(self) -> bool:
        """True if the kernel stamps the edges."""
        ...

    def closed(self) -> Mapping[str, bool]:
        """Return for each button whether it is held down."""
        ...


def buttons(
    machine: Machine,
    config: Config,
    running: bool,
    desk: Desk | None = None,
    opened: Callable[[Config], Buttons] = open_buttons,
) -> Iterator[Check]:
    """Yield the check of the configured buttons; those of a running table are asked of its desk."""
    if config.entry.driver is None:
        yield fine("buttons", f"{config.entry.title}, none are needed", kind=config.kind)
    elif running:
        yield _of_a_running_table(config, desk)
    else:
        yield _opened(machine, config, opened)


def _of_a_running_table(config: Config, desk: Desk | None) -> Check:
    if desk is None:
        return fine("buttons", "in use by the running table, not tested", kind=config.kind)
    remedies = config.entry.remedies
    for one in desk.trouble():
        if one.code == "buttons_lost":
            return wrong("buttons", one.message, remedies.lost, kind=config.kind)
        if one.code == "button_stuck":
            return wrong("buttons", one.message, remedies.stuck, kind=config.kind)
    return fine("buttons", "in use by the running table, which has no complaint", kind=config.kind)


def _opened(machine: Machine, config: Config, opened: Callable[[Config], Buttons]) -> Check:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gpiozero's, of each library that it goes without
        try:
            device = opened(config)
        except TilewatchError as error:
            remedy = config.entry.diagnose(machine.root) or config.entry.remedies.lost
            return wrong("buttons", str(error), remedy, kind=config.kind)
    try:
        if isinstance(device, Pins):
            return _pins(machine, device, config.entry.remedies.stuck)
        return fine("buttons", config.entry.title, kind=config.kind)
    finally:
        device.close()


def _pins(machine: Machine, pins: Pins, wires: str) -> Check:
    held = dict.fromkeys(pins.pins, 0)
    for look in range(LOOKS):
        if look:
            machine.sleep(EVERY_S)
        for name, closed in pins.closed().items():
            held[name] += closed
    wired = ", ".join(f"{name} at GPIO {number}" for name, number in pins.pins.items())
    stuck = [name for name, count in held.items() if count == LOOKS]
    figures = {f"{name}_closed": count / LOOKS for name, count in held.items()}
    if stuck:
        return wrong(
            "buttons",
            f"{' and '.join(stuck)} closed for the whole {LOOKS * EVERY_S:.0f} s ({wired})",
            f"if nobody holds it, {wires}",
            **figures,
        )
    if not pins.exact:
        return wrong(
            "buttons",
            f"{wired}, but their edges are not stamped by the kernel",
            "sudo apt install python3-lgpio (or pip install lgpio), so that gpiozero uses it",
            **figures,
        )
    pressed = [name for name, count in held.items() if count]
    says = f"; {' and '.join(pressed)} pressed just now" if pressed else ", all open"
    return fine("buttons", wired + says, **figures)
