"""``tilewatch cameras`` and ``doctor``: lists webcams, and checks all that a table needs."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from game.errors import TilewatchError
from game.files import require_replaceable
from table.commands.options import PATH, TABLE, Given, ReadsPictures, as_json, given
from table.commands.terminal import answer, answer_json, say

if TYPE_CHECKING:
    from sensors.v4l2 import VideoDevice
    from table.doctor.check import Check

DEVICES: Final = Path("/dev")


@click.command()
@as_json
@click.option("--delay", is_flag=True, help="measure the delay of the table's camera")
@given(TABLE, data=False)
def cameras(given: Given, as_json: bool, delay: bool) -> int:
    """List the webcams, with paths that last.

    Lists the webcams of this machine: the line for table.toml with a path that stays the same, the
    mode that a table would choose, and what can be locked. Exit status 1 when there is none. With
    --delay it flashes this terminal and measures how late the table's camera shows it: let the
    camera see the terminal's window, large and in a dim room.
    """
    from sensors.v4l2 import video_devices

    if delay:
        return _measure(given)
    found = video_devices(DEVICES)
    if as_json:
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


def _measure(given: Given) -> int:
    """Measure a camera's delay without its ``delay_ms``; return the exit status.

    It is 1 if the camera does not see the flashes.
    """
    from table.devices import open_camera
    from table.setup.capture import MEASURED_S, measured_delay_ms

    config = given.camera()
    if config.camera.simulated:
        raise TilewatchError("this table is simulated: it has no camera to be measured")
    if not sys.stderr.isatty():
        raise TilewatchError("--delay flashes the terminal that it is run in; run it in one")
    say(f"this terminal flashes for {MEASURED_S:.0f} seconds: let the camera see it")
    delay_ms = getattr(config.camera.options, "delay_ms", 0) or 0
    try:
        found = measured_delay_ms(open_camera(config.camera), _flash)
    finally:
        _screen(_PLAIN)
    if found is None:
        answer("the camera did not see the flashes: bring it nearer, or make the room dimmer")
        return 1
    answer(f"{found + delay_ms:.0f} ms, the screen's own delay (20 to 50 ms) among them")
    if "delay_ms" in type(config.camera.options).model_fields:
        answer(f"in [camera]: delay_ms = {max(0, min(1000, round(found + delay_ms - 35)))}")
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


@click.command(cls=ReadsPictures)
@given(TABLE)
@click.option(
    "--report", metavar="FILE", type=PATH,
    help="write all that was found into this ZIP file, without secrets, for whoever helps",
)  # fmt: skip
@click.option("--picture", is_flag=True, help="add the newest picture of the board to the report")
@as_json
def doctor(given: Given, report: Path | None, picture: bool, as_json: bool) -> int:
    """Check camera, buttons, disk, clocks and all else a table needs.

    Looks at everything that a table needs and says of each whether it will do, or what to do.
    Without a configuration it looks at what this machine has. Camera and pins of a table that is
    running are left alone. Exit status 1 when something has to be done.
    """
    from table.doctor.run import checked_file

    if picture and report is None:
        raise TilewatchError("--picture goes into a report; add --report FILE")
    if report is not None:
        require_replaceable(report)
    path = given.file()
    with contextlib.suppress(TilewatchError, OSError):  # the checks say what is wrong with it
        given.table()
    done = []
    for check in checked_file(path, given.data, _hub):
        done.append(check)
        if not as_json:
            answer(str(check))
    if report is not None:
        from table.doctor.report import write_report

        write_report(report, done, path, given.data, picture=picture)
        say(f"written: {report}; look into it before you send it")
    amiss = sum(not check.ok for check in done)
    if as_json:
        answer_json({"ok": not amiss, "checks": [check.as_json() for check in done]})
    elif amiss:
        need = "needs" if amiss == 1 else "need"
        answer(f"{amiss} of {len(done)} {need} fixing: the lines that begin with NO")
    else:
        answer(f"all {len(done)} are well")
    return 1 if amiss else 0


def _hub(folder: Path, running: bool) -> Iterable[Check]:
    from record.paths import HUB_FILE

    if not (folder / HUB_FILE).exists():
        return ()
    from hub.table_side.joining import hub_checks

    return hub_checks(folder, running=running)
