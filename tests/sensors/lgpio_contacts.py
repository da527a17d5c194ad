"""Real lgpio and gpiozero over the pretended chip of ``gpiochip.c``; prints what came, as JSON.

Started by ``test_lgpio.py`` in a process of its own, in the folder that ``GPIOCHIP`` names: lgpio
keeps a pipe in the folder that it is started in.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
import time
from pathlib import Path

import gpiozero.pins.local
from gpiozero.pins.lgpio import LGPIOFactory

from sensors.gpio import GpioButtons, GpioOptions

FOLDER = Path(os.environ["GPIOCHIP"])
PI_4 = 0xC03111
RISING, FALLING = 1, 2
MS = 1_000_000


class Contact:
    """One that closes a line to ground."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._pipe = os.open(FOLDER / str(line), os.O_RDWR)

    def set(self, closed: bool) -> int:
        """Change its state; return the kernel's stamp of the edge."""
        with (FOLDER / "levels").open("r+b") as levels:
            levels.seek(self._line)
            levels.write(bytes([not closed]))
        t_ns = time.monotonic_ns()
        event = struct.pack("=QIIII24x", t_ns, FALLING if closed else RISING, self._line, 0, 0)
        os.write(self._pipe, event)
        return t_ns

    def press(self) -> int:
        """Close it, which bounces, and open it again; return the stamp of the first edge."""
        first = self.set(True)
        for closed in (False, True, False, True):
            time.sleep(0.0004)
            self.set(closed)
        time.sleep(0.05)
        self.set(False)
        return first


def main() -> None:
    """Press each button, and tell what was heard."""
    os.chdir(FOLDER)
    gpiozero.pins.local.get_pi_revision = lambda: PI_4
    options = GpioOptions(edges=FOLDER / "edges.csv")
    factory = LGPIOFactory(chip=0)
    buttons = GpioButtons(options, factory=factory)
    pulls = {name: factory.pin(line).pull for name, line in options.pins.items()}
    presses = []
    reader = threading.Thread(
        target=lambda: presses.extend([one.button, one.t_ns] for one in buttons.presses())
    )
    reader.start()
    made = []
    for name, line in options.pins.items():
        made.append([name, Contact(line).press()])
        time.sleep(0.5)
    result = {"pulls": pulls, "exact": buttons.exact, "closed": buttons.closed(), "made": made}
    buttons.close()
    reader.join()
    factory.close()
    try:
        again = GpioButtons(options, factory=LGPIOFactory(chip=0))
        again.close()
        result["again"] = True
    finally:
        json.dump(result | {"presses": presses}, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # lgpio's threads end with the process


if __name__ == "__main__":
    main()
