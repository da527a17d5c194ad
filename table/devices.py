"""Opens a table's camera and clock buttons by their configuration."""

from __future__ import annotations

from pathlib import Path

from record.raw_edges import EDGES
from sensors.interfaces import Buttons, OnTrouble
from sensors.options import ContactOptions
from sensors.phone import PhoneInbox
from sensors.watched_camera import CameraHealth, WatchedCamera
from table import config


def open_camera(
    camera: config.Camera,
    on_trouble: OnTrouble | None = None,
    inbox: PhoneInbox | None = None,
    health: CameraHealth | None = None,
) -> WatchedCamera:
    """Open the camera and watch it. Raises ``SensorError`` with one line.

    ``inbox`` receives the pictures if a web page of the table sends them. ``health`` judges the
    pictures; it may know the last one from before the camera was reopened.
    """
    from vision.images import decode_picture  # noqa: PLC0415 - heavy

    driver = camera.entry.open(camera.options, on_trouble, inbox, decode_picture)
    return camera.entry.watched(driver, camera.options.name, on_trouble, health)


def open_buttons(
    buttons: config.Buttons, on_trouble: OnTrouble | None = None, folder: Path | None = None
) -> Buttons:
    """Open the clock buttons. Raises ``SensorError`` with one line.

    The raw edges of contacts are written into ``folder`` unless the options name a file.
    """
    options = buttons.options
    if folder is not None and (edges := edges_file(buttons, folder)) is not None:
        options = options.model_copy(update={"edges": edges})
    return buttons.entry.open(options, on_trouble)


def edges_file(buttons: config.Buttons, folder: Path) -> Path | None:
    """Return the file for the contacts' raw edges; None if the buttons are no contacts.

    It is in ``folder`` unless the options name another.
    """
    options = buttons.options
    return options.edges or folder / EDGES if isinstance(options, ContactOptions) else None
