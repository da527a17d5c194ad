"""The context of a set-up step: answers, the camera and pictures to draw into."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from calibration.storage import encode
from dashboard.server import Server
from dashboard.setup.standalone import alone
from game.board import Square
from game.errors import TilewatchError
from game.events import Edge
from game.files import write_file
from table.address import in_the_network
from table.config import TableConfig
from table.doctor.check import Check
from table.doctor.machine import Machine
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import Capture, LiveCapture, take
from table.setup.walk.asking import Asker, Fault, Question
from table.setup.walk.configuration import SetupState, config_of
from vision.rectify import Corners, Image

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


@dataclass(frozen=True)
class Outcome:
    """What a step found.

    Attributes:
        says: the result in one line.
        fault: what is amiss, if anything is.
        picture: the file that shows it.
        finish: does what the step is for; called once the step counts as done, and returns more
            lines to be printed.
    """

    says: str
    fault: Fault | None = None
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

    def ask(
        self, key: str, text: str, parse: Callable[[str], str], default: str | None = None
    ) -> str:
        """Ask, with the answer that was given before as the default; store the answer."""
        before = self.state.answers.get(key, default)
        answer = self.asker.answer(Question(key, text, parse, before))
        self.state.answers[key] = answer
        return answer

    def picture(self, name: str, image: Image) -> Path:
        """Write a step's picture; return its path. Raises ``TilewatchError``."""
        return save_picture(self.data, name, image)


@dataclass(frozen=True)
class Step:
    """A step: its name on the command line, its title, its function, and the steps after it."""

    name: str
    title: str
    run: Callable[[Context], Outcome]
    before: tuple[str, ...] = ()
    """The steps that have to be done again after it."""


def first_fault(checks: list[Check], *, grave: bool = False) -> Fault | None:
    """Return the first check that is not well, with how many more there are."""
    amiss = [check for check in checks if not check.ok]
    if not amiss:
        return None
    more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
    return Fault(f"{amiss[0].name}: {amiss[0].says}{more}", amiss[0].remedy, grave)


_LINE: Final = (60, 220, 60)
_MARK: Final = (40, 40, 230)
_SIDE: Final = 15


def with_grid(image: Image, corners: Corners, marked: Iterable[Square] = ()) -> Image:
    """Return the picture with the grid's lines, and a frame around some of its squares."""
    drawn, width = image.copy(), max(1, image.shape[1] // 800)
    grid = _to_picture(corners)
    for at in range(_SIDE + 1):
        for ends in (((at, 0), (at, _SIDE)), ((0, at), (_SIDE, at))):
            a, b = (_point(grid, *end) for end in ends)
            cv2.line(drawn, a, b, _LINE, width, cv2.LINE_AA)
    for square in marked:
        x, y = square.col, square.row
        outline = [_point(grid, x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
        cv2.polylines(drawn, [np.array(outline)], True, _MARK, 3 * width, cv2.LINE_AA)
    return drawn


def with_hands(image: Image, names: Mapping[Edge, str]) -> Image:
    """Return the picture with a name at each edge from which a player's hand comes."""
    drawn = image.copy()
    height, width = image.shape[:2]
    scale = width / 900
    places: Mapping[Edge, tuple[int, int]] = {
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


def _to_picture(corners: Corners) -> Corners:
    board = np.array([(0, 0), (_SIDE, 0), (_SIDE, _SIDE), (0, _SIDE)], np.float32)
    return np.asarray(
        cv2.getPerspectiveTransform(board, np.asarray(corners, np.float32)), np.float32
    )


def _point(grid: Corners, x: float, y: float) -> tuple[int, int]:
    u, v, w = grid @ np.array((x, y, 1.0), np.float32)
    return round(float(u / w)), round(float(v / w))
