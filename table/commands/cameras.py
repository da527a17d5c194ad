"""``tilewatch cameras``: the webcams of this machine, and how to name them in ``table.toml``."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from table.commands.terminal import answer, answer_json

if TYPE_CHECKING:
    from sensors.v4l2 import VideoDevice

NAME = "cameras"
HELP = "list the webcams, with paths that last"
DESCRIPTION = (
    "Lists the webcams of this machine: the line for table.toml with a path that stays the same, "
    "the mode that a table would choose, and what can be locked. Exit status 1 when there is none."
)
PASSES = False

DEVICES: Final = Path("/dev")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """List them; 1 when there is none."""
    from sensors.v4l2 import video_devices

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
