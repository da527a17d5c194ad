"""Opens a table's camera and clock buttons by their configuration.

Their drivers are imported only here and only when a table needs them, because their libraries are
heavy or are there on a Raspberry Pi alone.
"""

from __future__ import annotations

import importlib
from typing import Any, Final, cast

from sensors.errors import SensorError
from sensors.interfaces import Buttons, Camera
from table import config

CAMERAS: Final = "sensors.cameras"
BUTTONS: Final = "sensors.clock_buttons"


def require(camera: config.Camera, buttons: config.Buttons) -> None:
    """See that there are drivers. Raises ``SensorError`` with one line."""
    _driver(CAMERAS, camera.kind)
    if buttons.kind != "web":
        _driver(BUTTONS, buttons.kind)


def open_camera(camera: config.Camera) -> Camera:
    """The camera. Raises ``SensorError`` with one line."""
    module = _driver(CAMERAS, camera.kind)
    return cast("Camera", module.open_camera(camera.kind, camera.options))


def open_buttons(buttons: config.Buttons) -> Buttons:
    """The clock buttons. Raises ``SensorError`` with one line."""
    module = _driver(BUTTONS, buttons.kind)
    return cast("Buttons", module.open_buttons(buttons.kind, buttons.options))


def _driver(name: str, kind: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise SensorError(
            f"{kind}: its driver needs {error.name}, which is not installed"
        ) from error
