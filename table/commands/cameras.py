"""``tilewatch cameras``: the webcams of this machine, and how to name them in ``table.toml``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from table.commands import uses
from table.commands.terminal import answer, answer_json, say

if TYPE_CHECKING:
    from sensors.v4l2 import VideoDevice

NAME = "cameras"
HELP = "list the webcams, with paths that last"
DESCRIPTION = (
    "Lists the webcams of this machine: the line for table.toml with a path that stays the same, "
    "the mode that a table would choose, and what can be locked. Exit status 1 when there is none. "
    "With --delay it flashes this terminal and measures how late the table's camera shows it: let "
    "the camera see the terminal's window, large and in a dim room."
)

DEVICES: Final = Path("/dev")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--delay", action="store_true", help="measure the delay of the table's camera"
    )
    uses.add_config(parser, uses.TABLE)


def run(args: argparse.Namespace) -> int:
    """List them; 1 when there is none."""
    from sensors.v4l2 import video_devices

    if args.delay:
        return _measure(args)
    found = video_devices(DEVICES)
    if args.json:
        answer_json({"cameras": [_as_json(one) for one in found]})
        return 0 if found else 1
    if not found:
        answer("no webcam found: plug one in, and see that this user is in the group video")
        return 1
    for one in found:
        for line in _lines(one):
            answer(line)
    controllers = Counter(one.bus.rpartition("-")[0] for one in found)
    if any(count > 1 for bus, count in controllers.items() if bus):
        answer(
            "some of them share a USB controller: if one gives no pictures while another runs, "
            "plug them into ports of different controllers, or lower width, height or fps"
        )
    return 0


def _measure(args: argparse.Namespace) -> int:
    """Measure the delay of a table's camera, its ``delay_ms`` not counted; 1 if it sees nothing."""
    from game.errors import TilewatchError
    from table.devices import open_camera
    from table.setup.camera_delay import MEASURED_S, measured_delay_ms

    config = uses.camera_of(args)
    if config.camera.simulated:
        raise TilewatchError("this table is simulated: it has no camera to be measured")
    if not sys.stderr.isatty():
        raise TilewatchError("--delay flashes the terminal that it is run in; run it in one")
    say(f"this terminal flashes for {MEASURED_S:.0f} seconds: let the camera see it")
    given = getattr(config.camera.options, "delay_ms", 0) or 0
    try:
        found = measured_delay_ms(open_camera(config.camera), _flash)
    finally:
        _screen(_PLAIN)
    if found is None:
        answer("the camera did not see the flashes: bring it nearer, or make the room dimmer")
        return 1
    answer(f"{found + given:.0f} ms, the screen's own delay (20 to 50 ms) among them")
    if config.camera.kind == "url":
        answer(f"in [camera]: delay_ms = {max(0, min(1000, round(found + given - 35)))}")
    return 0


_PLAIN: Final = "\x1b[0m\x1b[2J\x1b[H"


def _flash(bright: bool) -> None:
    _screen(f"\x1b[{'107' if bright else '40'}m\x1b[2J")


def _screen(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _lines(one: VideoDevice) -> list[str]:
    from sensors.v4l2 import best_mode
    from sensors.webcam import WebcamOptions

    options = WebcamOptions()
    mode = best_mode(one.modes, options.width, options.height, options.fps)
    controls = ", ".join(name.replace("_", " ") for name in _controls(one.path))
    return [
        f"{one.name} ({one.path}, {one.bus})",
        f'  device = "{one.stable}"',
        f"  a table uses {mode or 'what the camera begins with'}",
        f"  can be set: {controls or 'nothing'}",
    ]


def _controls(path: Path) -> dict[str, Any]:
    from sensors.v4l2 import controls_of

    controls = controls_of(path)
    if controls is None:
        return {}
    try:
        return {name: asdict(known) for name, known in controls.ranges().items()}
    finally:
        controls.close()


def _as_json(one: VideoDevice) -> dict[str, Any]:
    return {
        "name": one.name,
        "path": str(one.path),
        "device": str(one.stable),
        "bus": one.bus,
        "modes": [asdict(mode) for mode in one.modes],
        "controls": _controls(one.path),
    }
