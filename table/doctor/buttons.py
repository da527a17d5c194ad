"""Whether the clock buttons can be read, and whether one is stuck."""

from __future__ import annotations

import getpass
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

from game.errors import TilewatchError
from table.config import Buttons
from table.desk import Desk
from table.devices import open_buttons
from table.doctor.check import Check, fine, wrong
from table.doctor.machine import Machine

LOOKS: Final = 50
"""Levels of the pins that are read, ``EVERY_S`` apart: a press by hand is shorter than that."""
EVERY_S: Final = 0.02


class Pins(Protocol):
    """What ``sensors.gpio.GpioButtons`` has."""

    @property
    def pins(self) -> Mapping[str, int]:
        """BCM numbers."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the kernel stamps the edges."""
        ...

    def closed(self) -> Mapping[str, bool]:
        """Which are held down."""
        ...

    def close(self) -> None:
        """Give them back."""
        ...


def buttons(
    machine: Machine,
    config: Buttons,
    running: bool,
    desk: Desk | None = None,
    opened: Callable[[Buttons], object] = open_buttons,
) -> Iterator[Check]:
    """The buttons of the configuration; those of a running table are asked of its desk."""
    if config.kind == "simulated":
        yield fine("buttons", "simulated, none are needed", kind=config.kind)
    elif config.kind == "web":
        yield fine("buttons", "on a page, none are needed", kind=config.kind)
    elif running:
        yield _of_a_running_table(config, desk)
    elif config.kind == "keyboard":
        if sys.stdin.isatty():
            yield fine("buttons", "the keys of this terminal", kind=config.kind)
        else:
            yield wrong(
                "buttons",
                "a keyboard needs a terminal, and there is none",
                'run tilewatch in one, or choose kind = "web" or "gpio" in [buttons]',
                kind=config.kind,
            )
    else:
        yield _pins(machine, config, opened)


def _of_a_running_table(config: Buttons, desk: Desk | None) -> Check:
    if desk is None:
        return fine("buttons", "in use by the running table, not tested", kind=config.kind)
    wrongs = [one for one in desk.trouble() if one.code in {"buttons_lost", "button_stuck"}]
    if wrongs:
        return wrong("buttons", wrongs[0].message, _WIRES, kind=config.kind)
    return fine("buttons", "in use by the running table, which has no complaint", kind=config.kind)


_WIRES: Final = "check that button's wires: one to its pin, one to ground, open until pressed"


def _pins(machine: Machine, config: Buttons, opened: Callable[[Buttons], object]) -> Check:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gpiozero's, of each library that it goes without
        try:
            device = opened(config)
        except TilewatchError as error:
            return wrong("buttons", str(error), _remedy(machine), kind=config.kind)
    pins: Pins = device  # type: ignore[assignment]
    try:
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
                f"if nobody holds it, {_WIRES}",
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
    finally:
        pins.close()


def _remedy(machine: Machine) -> str:
    """The likeliest reason why pins cannot be had, from what can be seen of the machine."""
    chips = sorted(machine.path("/dev").glob("gpiochip*"))
    if not chips:
        return (
            "this machine shows no pins (no /dev/gpiochip0): run it on a Raspberry Pi, or choose "
            'kind = "web" in [buttons]'
        )
    if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
        return f"sudo usermod -aG gpio {_me()}, then log in again: the pins belong to that group"
    if not os.access(Path.cwd(), os.W_OK):
        return f"start it in a folder that it may write: lgpio keeps a pipe in {Path.cwd()}"
    return "sudo apt install python3-lgpio; see that no other program holds the pins (gpioinfo)"


def _me() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "$USER"
