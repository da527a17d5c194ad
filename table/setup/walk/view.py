"""The table's camera while it is set up: its pictures, what is found in them, and a live page."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from calibration.storage import encode
from dashboard.server import Server
from dashboard.setup.standalone import alone
from game.errors import TilewatchError
from game.files import write_file
from table.address import in_the_network
from table.config import TableConfig
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import Capture, LiveCapture, take
from vision.rectify import Image

PICTURES = "setup"
"""The folder of the pictures, in the table's data."""


class SetupView:
    """A camera that stays open, and the calibration of its table. Use as a context manager.

    A file that stands for a camera is played anew for each picture, so that what is done again
    gives the same. ``page`` is the host on which its live picture is served; None: on none.
    """

    def __init__(
        self, config: TableConfig, data: Path, page: str | None, say: Callable[[str], None]
    ) -> None:
        self._config, self._stack = config, contextlib.ExitStack()
        self._live: LiveCapture | None = None
        self._newest: Image | None = None
        try:
            self.bench = CalibrationSession(
                config.tile_set, data, self.capture, newest=self._newest_picture
            )
            if page is not None:
                self._serve(page, say)
        except BaseException:
            self.close()
            raise

    def capture(self) -> Capture:
        """Take pictures. Raises ``TilewatchError``."""
        anew = self._config.camera.kind == "file"
        taken = take(self._config) if anew else self._opened().taken()
        self._newest = taken.pictures[-1]
        return taken

    def close(self) -> None:
        """Give the camera back, and end the page."""
        self._stack.close()

    def _opened(self) -> LiveCapture:
        if self._live is None:
            self._live = self._stack.enter_context(contextlib.closing(LiveCapture(self._config)))
        return self._live

    def _newest_picture(self) -> Image:
        if self._live is not None:
            return self._live.newest()
        if self._newest is None:
            raise TilewatchError("there is no picture yet")
        return self._newest

    def _serve(self, host: str, say: Callable[[str], None]) -> None:
        app, key = alone(self.bench)
        server = Server(app, host, 0)
        self._stack.callback(server.stop)
        server.start()
        url = in_the_network(server.url, host)
        say(f"the camera's live picture is at {url}/setup?key={key}")


def save_picture(data: Path, name: str, image: Image) -> Path:
    """Write a step's picture; return its path. Raises ``TilewatchError``."""
    path = data / PICTURES / f"{name}.jpg"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, encode(image), durable=False)
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be written ({error.strerror})") from error
    return path
