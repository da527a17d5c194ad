"""Opens a table's camera and clock buttons by their configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from record.raw_edges import EDGES
from sensors import camera_health, debounce
from sensors.interfaces import Buttons, Camera
from sensors.options import ContactOptions
from table import config
from table.health.alerts import Alert, Code

Tell = Callable[[Alert], None]


def open_camera(camera: config.Camera, tell: Tell | None = None) -> Camera:
    """The camera; ``tell`` hears of its troubles. Raises ``SensorError`` with one line."""

    def changed(change: camera_health.CameraStatusChange) -> None:
        for alert in camera_alerts(change):
            assert tell is not None
            tell(alert)

    return camera.driver.open(camera.options, None if tell is None else changed)


def open_buttons(
    buttons: config.Buttons, tell: Tell | None = None, folder: Path | None = None
) -> Buttons:
    """The clock buttons; ``tell`` hears of their troubles and of calls of the director.

    ``folder`` is where raw edges of contacts are written to unless the options say so. Raises
    ``SensorError`` with one line.
    """
    options = buttons.options
    if folder is not None and (edges := edges_file(buttons, folder)) is not None:
        options = options.model_copy(update={"edges": edges})
    if tell is None:
        return buttons.driver.open(options)

    def fault(trouble: debounce.ButtonFault) -> None:
        tell(button_alert(trouble))

    def called(t_ns: int) -> None:
        tell(Alert("director_called", "the director is called", t_ns, stands=False))

    return buttons.driver.open(options, fault, called)


def edges_file(buttons: config.Buttons, folder: Path) -> Path | None:
    """The file of the contacts' raw edges, in ``folder`` by default; None without contacts."""
    options = buttons.options
    return options.edges or folder / EDGES if isinstance(options, ContactOptions) else None


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
