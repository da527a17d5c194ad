"""Opens a table's camera and clock buttons by their configuration.

Their drivers are imported only here and only when a table needs them, because their libraries are
heavy or are there on a Raspberry Pi alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from sensors import camera_health, debounce
from sensors.errors import SensorError
from sensors.interfaces import Buttons, Camera
from table import config
from table.health.alerts import Alert, Code

Tell = Callable[[Alert], None]

CAMERAS: Final = "sensors.cameras"
BUTTONS: Final = "sensors.clock_buttons"


def require(camera: config.Camera, buttons: config.Buttons) -> None:
    """See that there are drivers, and that they understand the options given them.

    A device that is not there is waited for; a configuration that is wrong stays wrong. Raises
    ``SensorError`` with one line.
    """
    _driver(CAMERAS, camera.kind).check(camera.kind, camera.options)
    if buttons.kind != "web":
        _driver(BUTTONS, buttons.kind).check(buttons.kind, buttons.options)
    elif buttons.options:
        name = next(iter(buttons.options))
        raise SensorError(f"buttons: unknown option {name!r}; web buttons have none")


def open_camera(camera: config.Camera, tell: Tell | None = None) -> Camera:
    """The camera; ``tell`` hears of its troubles. Raises ``SensorError`` with one line."""
    module = _driver(CAMERAS, camera.kind)

    def said(condition: camera_health.CameraStatusChange) -> None:
        for alert in camera_alerts(condition):
            assert tell is not None
            tell(alert)

    heard = None if tell is None else said
    return cast("Camera", module.open_camera(camera.kind, camera.options, heard))


def open_buttons(
    buttons: config.Buttons, tell: Tell | None = None, edges: Path | None = None
) -> Buttons:
    """The clock buttons; ``tell`` hears of their troubles and of calls of the director.

    ``edges`` is where raw edges of pins are written to unless the options say so. Raises
    ``SensorError`` with one line.
    """
    module = _driver(BUTTONS, buttons.kind)
    options = buttons.options
    if edges is not None and buttons.kind == "gpio":
        options = {"edges": str(edges), **options}
    if tell is None:
        return cast("Buttons", module.open_buttons(buttons.kind, options))

    def said(trouble: debounce.ButtonFault) -> None:
        tell(button_alert(trouble))

    def called(t_ns: int) -> None:
        tell(Alert("director_called", "the director is called", t_ns, stands=False))

    return cast("Buttons", module.open_buttons(buttons.kind, options, said, called))


def camera_alerts(condition: camera_health.CameraStatusChange) -> list[Alert]:
    """What a camera's change of condition is to the table.

    Another size is left to the loop, which sees it also when the camera was replaced.
    """
    known: dict[str, Code] = {"dark": "camera_dark", "frozen": "camera_frozen"}
    if condition.code in known:
        return [Alert(known[condition.code], condition.message, condition.t_ns)]
    if condition.code == "well":
        return [
            Alert(code, condition.message, condition.t_ns, over=True) for code in known.values()
        ]
    return []


def button_alert(trouble: debounce.ButtonFault) -> Alert:
    """What a trouble with a button is to the table."""
    known: dict[str, Code] = {
        "double": "button_double",
        "both": "button_both",
        "same_side": "button_same_side",
    }
    code, happened = known.get(trouble.code, "button_stuck"), trouble.code in known
    return Alert(
        code,
        trouble.message,
        trouble.t_ns,
        str(trouble.button),
        stands=not happened,
        over=trouble.code == "freed",
    )


def _driver(name: str, kind: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise SensorError(
            f"{kind}: its driver needs {error.name}, which is not installed"
        ) from error
