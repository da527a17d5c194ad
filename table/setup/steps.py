"""The steps of the set-up; ``table.setup.walk`` has their order.

Some use the camera: for itself, its position, the light, the board, the tiles. The others ask about
the game, the clock, the players and the pages. A step is a function of the ``Context`` (answers,
camera, pictures to draw into) and returns an ``Outcome``.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from calibration.calibrate import Proposal
from calibration.storage import encode
from dashboard.accounts.store import Accounts, random_password
from dashboard.qr_code import qr_picture, qr_text
from dashboard.server import Server
from dashboard.setup.standalone import alone
from dashboard.web_db import WebDb
from game.board import SIZE, Square
from game.errors import TilewatchError
from game.files import os_error_as, write_file
from game.options import one_line
from game.rulebooks.loading import DEFAULT_RULEBOOK, rulebook_ids
from game.tileset import tile_set_ids
from sensors.drivers import BUTTONS, CAMERAS, SIMULATED
from sensors.v4l2 import DEVICES, video_devices
from table.address import in_the_network
from table.config import Camera, TableConfig
from table.devices import open_camera
from table.doctor.check import Check, wrong
from table.doctor.configuration import port
from table.doctor.devices import (
    ANSWER_S,
    IN_VIEW,
    LOOK_S,
    buttons,
    delay,
    judged,
    locked,
    look,
    pixels_a_square,
    sized,
)
from table.doctor.machine import Machine
from table.doctor.run import bare_checks
from table.setup.answers import (
    ALL_ADDRESSES,
    THIS_MACHINE,
    AnswerError,
    Asker,
    Parse,
    Question,
    SetupState,
    a_name,
    a_port,
    camera_section,
    config_of,
    one_of,
    other_than,
    yes_or_no,
)
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import Capture, LiveCapture, take
from vision.rectify import Corners, Image, homography, project

PICTURES = "setup"
"""The folder of the pictures, in the table's data."""


class SetupView:
    """A camera that stays open, and the calibration of its table. Use as a context manager.

    A file in place of a camera is played from its start for each picture, so that a repeated step
    gives the same result. ``page`` is the host on which the live picture is served; None: it is not
    served.
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
        live = self._config.camera.entry.live
        taken = self._opened().taken() if live else take(self._config)
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
    """The result of a step.

    Attributes:
        says: the result in one line.
        fault: the first failed check; None if all passed.
        grave: True if the set-up cannot go on with the fault.
        picture: the file that shows it.
        finish: called once the step counts as done, for its lasting effects; returns more lines
            to be printed.
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
        state: the answers and finished steps.
        asker: the source of the answers.
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
        """Return the configuration from the answers so far. Raises ``TilewatchError``."""
        return config_of(self.state.answers, self.data)

    @property
    def view(self) -> SetupView:
        """Return the camera, opened at the first call. Raises ``TilewatchError``."""
        if self._view is None:
            self._view = SetupView(self.config, self.data, self._page, self.say)
        return self._view

    def close_view(self) -> None:
        """Close the camera, because another is chosen or another part of the program needs it."""
        view, self._view = self._view, None
        if view is not None:
            view.close()

    def ask(self, key: str, text: str, parse: Parse, default: str | None = None) -> str:
        """Ask, with the previous answer as the default; store and return the answer."""
        before = self.state.answers.get(key, default)
        answer = self.asker.answer(Question(key, text, parse, before))
        self.state.answers[key] = answer
        return answer

    def picture(self, name: str, image: Image) -> Path:
        """Write a step's picture; return its path. Raises ``TilewatchError``."""
        path = self.data / PICTURES / f"{name}.jpg"
        with os_error_as(TilewatchError, f"{path}: cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, encode(image), durable=False)
        return path


def first_fault(*checks: Check) -> Check | None:
    """Return the first failed check, with the number of others in its text; None if all passed."""
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


ELSE: Final = "the address of a network camera, or a video file or folder of pictures"


@dataclass(frozen=True)
class KnownCamera:
    """A camera of this machine: its name, and the answer that selects it."""

    name: str
    answer: str


def known_cameras(machine: Machine, devices: Path = DEVICES) -> list[KnownCamera]:
    """Return the Raspberry Pi's camera, if this is one, and the webcams."""
    found = [KnownCamera("the Raspberry Pi's camera", "pi")] if machine.is_pi else []
    return found + [KnownCamera(one.name, str(one.stable)) for one in video_devices(devices)]


def camera_parser(known: Sequence[KnownCamera], folder: Path) -> Callable[[str], str]:
    """Return the parser of the camera question: a number of the list, an address or a file."""

    def parse(text: str) -> str:
        answer = _meant(text.strip(), known, folder)
        try:
            Camera.model_validate(camera_section(answer))
        except ValidationError as error:
            raise AnswerError(one_line(error)) from None
        return answer

    return parse


def _meant(text: str, known: Sequence[KnownCamera], folder: Path) -> str:
    if text.isascii() and text.isdigit():
        if not 1 <= int(text) <= len(known):
            have = f"1 to {len(known)}" if known else "none is listed"
            raise AnswerError(f"there is no camera {text} in the list ({have}); or give {ELSE}")
        return known[int(text) - 1].answer
    if CAMERAS[camera_section(text)["kind"]].live:
        return text
    path = _path(text, folder)
    if path is None:
        raise AnswerError(f"{text!r}: no such file; give a number of the list, {ELSE}")
    return str(path)


def _path(text: str, folder: Path) -> Path | None:
    """Return the existing path that a text means, as typed or as in a shell; None without one."""
    for name in (text, _unquoted(text)):
        path = (folder / Path(name).expanduser()).resolve()
        if name and path.exists():
            return path
    return None


def _unquoted(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark without its fellow
        return text
    return words[0] if len(words) == 1 else text


def camera(context: Context) -> Outcome:
    """Choose the camera, and check that it gives pictures."""
    context.close_view()
    known = known_cameras(context.machine)
    for number, one in enumerate(known, 1):
        context.say(f"  {number}  {one.name} ({one.answer})")
    context.ask(
        "camera",
        f"the camera: a number of the list, {ELSE}"
        if known
        else f"the camera (none found): {ELSE}",
        camera_parser(known, context.asker.folder),
        known[0].answer if known else None,
    )
    chosen = context.config.camera
    sample = look(lambda: open_camera(chosen), LOOK_S, ANSWER_S)
    seen = judged(sample, chosen)
    fault = first_fault(seen, *locked(sample), *delay(chosen))
    picture = None if sample.last is None else context.picture("camera", sample.last.image)
    return Outcome(seen.says, fault, sample.last is None, picture)


def place(context: Context) -> Outcome:
    """Check that the whole board is in the picture, large and sharp enough."""
    found = context.view.bench.look()
    if found is None:
        picture = context.picture("place", context.view.capture().pictures[-1])
        return _no_board(context.view.bench, picture)
    size = sized(pixels_a_square(found.calibration.corners), context.config.camera.entry.remedies)
    fault = first_fault(size) or _worst(found, ("grid", "focus"))
    shown = context.picture("place", with_grid(_straight(found), found.calibration.corners))
    return Outcome(size.says, fault, picture=shown)


def light(context: Context) -> Outcome:
    """Check that the light is bright and even, without glare."""
    found = context.view.bench.look()
    if found is None:
        return _no_board(context.view.bench)
    glare = found.calibration.measures.glare
    drawn = with_grid(_straight(found), found.calibration.corners, glare)
    names = ("brightness", "evenness", "glare")
    says = "; ".join(one.says for one in found.judgements if one.name in names)
    return Outcome(says, _worst(found, names), picture=context.picture("light", drawn))


def board(context: Context) -> Outcome:
    """Save the place of the board and its appearance when empty."""
    empty = context.ask("empty", "clear the board; is it empty now", yes_or_no, "yes") == "yes"
    text = "keep all of each picture, or only the board and what is close to it (all, board)"
    board_only = context.ask("pictures", text, one_of("all", "board"), "all") == "board"
    bench = context.view.bench
    found = bench.look()
    if found is None:
        return _no_board(bench)
    fault = None
    if empty and found.occupied:
        squares = ", ".join(found.occupied[:6]) + (" …" if len(found.occupied) > 6 else "")
        fault = wrong(
            "board",
            f"something seems to lie at {squares}",
            "clear the board; if nothing lies there, leave it as it is",
        )
    picture = context.picture("board", with_grid(_straight(found), found.calibration.corners))

    def finish() -> list[str]:
        return [f"saved: {bench.save(empty, board_only=board_only)}"]

    says = "the board is known, and how it looks empty" if empty else "the board is known"
    return Outcome(says, fault, picture=picture, finish=finish)


def tiles(context: Context) -> Outcome:
    """Count the hundred tiles."""
    how = context.ask(
        "tiles",
        "lay the whole set on the board in rows of ten; check (or counted: they are all there, or "
        "skip)",
        one_of("check", "counted", "skip"),
        "check" if context.config.camera.entry.live else "skip",
    )
    if how == "skip":
        return Outcome("not counted; `tilewatch check-tiles` does it later")
    bench = context.view.bench
    try:
        found = bench.check_tiles(sure=how == "counted")
    except TilewatchError as error:
        remedy = "lay the tiles face up in rows of ten without gaps, and take the hands away"
        return Outcome("not counted", wrong("tiles", str(error), remedy))
    picture = context.picture("tiles", context.view.capture().pictures[-1])
    lines = found.lines()
    if not found.complete:
        remedy = "find the tiles that are missing, or answer counted if they are all there"
        return Outcome(lines[0], wrong("tiles", "; ".join(lines), remedy), picture=picture)

    def finish() -> list[str]:
        return [] if bench.learn() is None else ["the reader has learnt what the tiles look like"]

    return Outcome("; ".join(lines[:2]), picture=picture, finish=finish)


def _straight(found: Proposal) -> Image:
    return found.calibration.straight(found.calibration.picture)


def _no_board(bench: CalibrationSession, picture: Path | None = None) -> Outcome:
    return Outcome("no board", wrong("board", bench.trouble, IN_VIEW), grave=True, picture=picture)


def _worst(found: Proposal, names: Sequence[str]) -> Check | None:
    """Return the first poor judgement as a failed check; None if all are at least fair."""
    for one in found.judgements:
        if one.grade == "poor" and one.name in names:
            return wrong(one.name, one.says, one.advice)
    return None


EDGES: Final = ("bottom", "top", "left", "right")


def machine(context: Context) -> Outcome:
    """Check the disk, the clocks, the temperature and the power."""
    done = list(bare_checks(context.machine, context.data))
    well = sum(check.ok for check in done)
    return Outcome(f"{well} of {len(done)} checks are well", first_fault(*done))


def game(context: Context) -> Outcome:
    """Ask for the table's name, its tiles and the rules."""
    context.close_view()  # another set has other letters
    name = context.ask("name", "the table's name", a_name, "Table 1")
    sets, books = tile_set_ids(), rulebook_ids()
    tile_set = context.ask(
        "tile_set", f"the tile set ({', '.join(sets)})", one_of(*sets), "english"
    )
    rulebook = context.ask(
        "rulebook", f"the rulebook ({', '.join(books)})", one_of(*books), DEFAULT_RULEBOOK
    )
    return Outcome(f"{name}, {tile_set} tiles, {rulebook}")


def clock(context: Context) -> Outcome:
    """Ask about the clock, and check that its buttons can be read."""
    kinds = [kind for kind in BUTTONS if kind != SIMULATED]
    kinds = kinds if context.machine.is_pi else [kind for kind in kinds if kind != "gpio"]
    about = "; ".join(f"{kind}: {BUTTONS[kind].title}" for kind in kinds)
    kind = context.ask("clock", f"the clock ({about})", one_of(*kinds), "none")
    if kind == "none":
        return _without_clock(context)
    check = buttons(context.machine, context.config.buttons, running=False)
    return Outcome(check.says, first_fault(check))


def _without_clock(context: Context) -> Outcome:
    """Ask where the players sit."""
    edges = f"edge of the picture across which the {{}} player's hand comes ({', '.join(EDGES)})"
    left = context.ask("left_hand", edges.format("left"), one_of(*EDGES), "bottom")
    opposite = {"bottom": "top", "top": "bottom", "left": "right", "right": "left"}[left]
    right = context.ask("right_hand", edges.format("right"), one_of(*EDGES), opposite)
    if left == right:
        fault = wrong("clock", f"both hands come across the {left} edge", "give each an edge")
        return Outcome("no clock", fault, grave=True)
    image = with_hands(context.view.capture().pictures[-1], {left: "left", right: "right"})
    says = f"no clock; the left player's hand comes from the {left}, the right's from the {right}"
    return Outcome(says, picture=context.picture("clock", image))


def players(context: Context) -> Outcome:
    """Ask for the players' names."""
    left = context.ask("left", "the left player's name", a_name, "Left")
    right = context.ask("right", "the right player's name", other_than(left, a_name), "Right")
    return Outcome(f"{left} and {right}")


def pages(context: Context) -> Outcome:
    """Ask who may reach the pages, show their address, and make the director's account."""
    where = context.ask(
        "pages",
        "the pages (network: phones in this network reach them; here: only this machine)",
        one_of("network", "here"),
        "network",
    )
    number = context.ask("port", "their port", a_port, "8000")
    director = context.ask("director", "the director's name, to log in with", a_name, "director")
    taken = first_fault(port(context.config.serve, running=False))
    if taken is not None:
        remedy = "press Enter and give another port, or stop what listens there"
        taken = replace(taken, remedy=remedy)
    host = ALL_ADDRESSES if where == "network" else THIS_MACHINE
    url = in_the_network(f"http://{THIS_MACHINE}:{number}", host)
    picture = context.picture("pages", qr_picture(url))

    def finish() -> list[str]:
        shown = [*qr_text(url).splitlines(), f"phones open {url}"] if where == "network" else []
        return [*shown, *_director_account(context, director, url)]

    return Outcome(url, taken, picture=picture, finish=finish)


def _director_account(context: Context, name: str, url: str) -> list[str]:
    """Make the director's account if there is none; return the line that says how to log in."""
    with closing(WebDb(context.data)) as db:
        accounts = Accounts(db)
        if accounts.all():
            return []
        password = random_password()
        accounts.add(name, "director", password)
    return [f"the director's desk is at {url}/director: log in as {name}, password {password}"]
