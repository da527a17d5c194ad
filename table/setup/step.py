"""What a step of the set-up is given, and what it gives: answers, a camera, pictures, a result."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.storage import encode
from dashboard.server import Server
from dashboard.setup.standalone import alone
from game.board import SIZE, Square
from game.errors import TilewatchError
from game.files import write_file
from table.address import in_the_network
from table.config import TableConfig
from table.doctor.check import Check
from table.doctor.machine import Machine
from table.setup.answers import Asker, Parse, Question, SetupState, config_of
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import Capture, LiveCapture, take
from vision.rectify import Corners, Image, homography, project

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


@dataclass(frozen=True)
class Outcome:
    """What a step found.

    Attributes:
        says: the result in one line.
        fault: the check that is not well, if one is not.
        grave: True if the set-up cannot go on with the fault.
        picture: the file that shows it.
        finish: does what the step is for; called once the step counts as done, and returns more
            lines to be printed.
    """

    says: str
    fault: Check | None = None
    grave: bool = False
    picture: Path | None = None
    finish: Callable[[], list[str]] = field(default=lambda: [])


class Context:
    """A table being set up.

    Args:
        data: the table's data folder.
        state: what has been answered and done.
        asker: who answers.
        say: prints a line.
        page: the host of the page with the live picture; None: there is none.
        machine: the machine that is set up.
    """

    def __init__(
        self,
        data: Path,
        state: SetupState,
        asker: Asker,
        say: Callable[[str], None],
        page: str | None,
        machine: Machine,
    ) -> None:
        self.data, self.state, self.asker = data, state, asker
        self.say, self.machine, self._page = say, machine, page
        self._view: SetupView | None = None

    @property
    def config(self) -> TableConfig:
        """The configuration by the answers so far. Raises ``TilewatchError``."""
        return config_of(self.state.answers, self.data)

    @property
    def view(self) -> SetupView:
        """The camera, opened when it is first wanted. Raises ``TilewatchError``."""
        if self._view is None:
            self._view = SetupView(self.config, self.data, self._page, self.say)
        return self._view

    def close_view(self) -> None:
        """Give the camera back: it may be another, or is to be opened by somebody else."""
        view, self._view = self._view, None
        if view is not None:
            view.close()

    def ask(self, key: str, text: str, parse: Parse, default: str | None = None) -> str:
        """Ask, with the answer that was given before as the default; store the answer."""
        before = self.state.answers.get(key, default)
        answer = self.asker.answer(Question(key, text, parse, before))
        self.state.answers[key] = answer
        return answer

    def picture(self, name: str, image: Image) -> Path:
        """Write a step's picture; return its path. Raises ``TilewatchError``."""
        path = self.data / PICTURES / f"{name}.jpg"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, encode(image), durable=False)
        except OSError as error:
            raise TilewatchError(f"{path}: cannot be written ({error.strerror})") from error
        return path


def first_fault(*checks: Check) -> Check | None:
    """Return the first check that is not well, with how many more there are."""
    amiss = [check for check in checks if not check.ok]
    if not amiss:
        return None
    more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
    return replace(amiss[0], says=amiss[0].says + more)


_LINE: Final = (60, 220, 60)
_MARK: Final = (40, 40, 230)


def with_grid(image: Image, corners: Corners, marked: Iterable[Square] = ()) -> Image:
    """Return the picture with the grid's lines, and a frame around some of its squares."""
    drawn, width = image.copy(), max(1, image.shape[1] // 800)
    grid = homography(corners)

    def at(*points: tuple[int, int]) -> NDArray[np.int32]:
        return np.rint(project(grid, np.array(points))).astype(np.int32)

    for line in range(SIZE + 1):
        ends = [at((line, 0), (line, SIZE)), at((0, line), (SIZE, line))]
        cv2.polylines(drawn, ends, False, _LINE, width, cv2.LINE_AA)
    for square in marked:
        x, y = square.col, square.row
        outline = at((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
        cv2.polylines(drawn, [outline], True, _MARK, 3 * width, cv2.LINE_AA)
    return drawn


def with_hands(image: Image, names: Mapping[str, str]) -> Image:
    """Return the picture with a name at each edge from which a player's hand comes."""
    drawn = image.copy()
    height, width = image.shape[:2]
    scale = width / 900
    places = {
        "top": (width // 2, round(40 * scale)),
        "bottom": (width // 2, height - round(20 * scale)),
        "left": (round(10 * scale), height // 2),
        "right": (width - round(200 * scale), height // 2),
    }
    for edge, name in names.items():
        for colour, thickness in (((0, 0, 0), 6), ((255, 255, 255), 2)):
            weight = max(1, round(thickness * scale))
            font = cv2.FONT_HERSHEY_SIMPLEX
            cv2.putText(drawn, name, places[edge], font, scale, colour, weight, cv2.LINE_AA)
    return drawn
