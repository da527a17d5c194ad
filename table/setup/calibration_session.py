"""Setting a table up, from its pages and from commands. Thread-safe; one step at a time.

A proposal stays until it is saved or the next pictures are taken.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration import storage
from calibration.calibrate import Proposal, median_picture, nudged, propose
from calibration.fine_tune import fine_tuned, needs_fine_tuning
from calibration.model import AROUND, Calibration, CalibrationError
from calibration.picture_quality import worst
from calibration.storage import encode, forget_head, load, save, save_head
from calibration.tile_check import TileCheck, check_tiles
from game.errors import TilewatchError
from game.tileset import TileSet, load_tile_set
from models import weights
from table.calibrated_reader import FOLDER, Calibrated, Parts, parts
from table.desk import Attribution
from table.setup.capture import Capture
from vision.classifier import LinearHead
from vision.errors import NoBoardFoundError
from vision.reading import Reading
from vision.rectify import Image

NOBODY: Final = Attribution("camera")
"""The attribution of a command, which has no user account."""

_WIDEST: Final = 1600
"""The greatest width of a picture on a page, in pixels."""


class CalibrationSession:
    """A table being set up. It is a ``dashboard.interfaces.SetupBackend``.

    Args:
        tile_set: the id of the table's tile set.
        data: the table's data folder.
        take: takes pictures, as the camera gives them.
        newest: returns the camera's newest picture; None: one is taken.
        reads: the models to read with, if they are loaded already.
    """

    def __init__(
        self,
        tile_set: str,
        data: Path,
        take: Callable[[], Capture],
        *,
        newest: Callable[[], Image] | None = None,
        reads: Parts | None = None,
    ) -> None:
        self.tiles: TileSet = load_tile_set(tile_set)
        self._data = data
        self._take = take
        self._newest = newest or (lambda: take().pictures[-1])
        self._parts = reads or parts(tile_set)
        self._reader = self._parts.reader()
        self._busy = threading.Lock()
        self.was_saved = threading.Event()
        self.proposal: Proposal | None = None
        self.trouble = ""
        """The reason why there is no proposal, in one line; empty if there is one."""
        self._jpeg: bytes | None = None
        self._counted: tuple[TileCheck, Reading, Image] | None = None
        self._on_disk = True
        """False while the record of the counted tiles is only in memory."""
        self._size: tuple[int, int] | None = None

    @property
    def saved(self) -> Calibration | None:
        """The calibration on disk. Raises ``CalibrationError`` when it cannot be used."""
        return load(self._data / FOLDER)

    def use_set(self, tile_set: str, reads: Parts) -> None:
        """Use another tile set."""
        with self._busy:
            self.tiles = load_tile_set(tile_set)
            self._parts, self._reader = reads, reads.reader()
            self._counted = None

    def look(self, taken: Capture | None = None) -> Proposal | None:
        """Take pictures and find the board; None if there is none (see :attr:`trouble`).

        Raises ``TilewatchError`` when no picture can be had.
        """
        with self._busy:
            taken = taken or self._take()
            picture = median_picture(taken.pictures)
            self.proposal, self.trouble = None, ""
            self._jpeg = _page_jpeg(picture)
            self._size = picture.shape[1], picture.shape[0]
            try:
                self.proposal = propose(
                    picture,
                    self._parts.locator,
                    self._reader,
                    camera=taken.camera,
                    settings=taken.settings,
                )
            except CalibrationError as error:
                self.trouble = str(error)
                self._unfound = picture, taken
                return None
            calibration = self.proposal.calibration
            self._jpeg = _page_jpeg(calibration.straight(calibration.picture))
            return self.proposal

    def nudge(self, corners: Sequence[Sequence[float]]) -> Proposal:
        """Move the corners, in pixels of the picture shown. Raises ``TilewatchError``."""
        with self._busy:
            points = np.asarray(corners, np.float32)
            if self.proposal is not None:
                self.proposal = nudged(self.proposal, points, self._parts.locator, self._reader)
            elif self.trouble:
                picture, taken = self._unfound
                self.proposal = propose(
                    picture, self._parts.locator, self._reader, camera=taken.camera,
                    settings=taken.settings, corners=points,
                )  # fmt: skip
                self.trouble = ""
            else:
                raise CalibrationError("there is no picture yet; take one first")
            return self.proposal

    def save(self, empty: bool | None = None, *, board_only: bool = False) -> Path:
        """Save the proposal; return its path.

        ``empty``: whether the board is empty, if a person said so; None keeps what was read.
        ``board_only``: keep nothing but the board and its surroundings of any picture.

        Raises:
            CalibrationError: there is no proposal, or it cannot be written.
        """
        with self._busy:
            if self.proposal is None:
                raise CalibrationError(self.trouble or "there is no picture yet; take one first")
            calibration = self.proposal.calibration
            if empty is not None:
                calibration = replace(calibration, empty=empty)
            if board_only:
                calibration = calibration.of_board_only()
            path = save(calibration, self._data / FOLDER)
            self._adopt(calibration)
            self.was_saved.set()
            return path

    def check_tiles(
        self, taken: Capture | None = None, *, sure: bool = False, who: Attribution = NOBODY
    ) -> TileCheck:
        """Count the tiles set out on the board.

        With ``sure`` a person vouches that all are there.

        Raises:
            TilewatchError: there is no picture, no board, or no layout.
        """
        with self._busy:
            taken = taken or self._take()
            calibrated = Calibrated(self._parts, self._saved_or_none())
            image = calibrated.straight(median_picture(taken.pictures))
            learnt = self._parts.classifier.head
            try:
                # As the weights alone see it: it may be another set than the last one.
                calibrated.sharpen(None)
                reading = calibrated.read(image)
            except NoBoardFoundError as error:
                raise TilewatchError(str(error)) from error
            finally:
                calibrated.sharpen(learnt)
            self._jpeg = _page_jpeg(image)
            found = check_tiles(reading, self.tiles, sure=sure)
            self._counted = found, reading, image
            self._on_disk = self._tiles_counted(found, who)
            return found

    def learn(self) -> Path | None:
        """Learn and save the appearance of the tiles counted last; return the file.

        None if the weights read the set well without.

        Raises:
            TilewatchError: no whole set was counted, or it cannot be written.
        """
        if self._counted is None or not self._counted[0].complete:
            raise TilewatchError("no whole set was counted; check the tiles first")
        found, reading, image = self._counted
        folder = self._data / FOLDER
        head = None
        if needs_fine_tuning(found, reading):
            head = fine_tuned(self._parts.classifier, image, reading.corners, found, self.tiles)
        self._tiles_learnt(head)
        if head is None:
            forget_head(folder)
            return None
        return save_head(head, self.tiles.id, weights.path("tiles.onnx"), folder)

    # --- for pages: dashboard.interfaces.SetupBackend ---

    def state(self) -> dict[str, Any]:
        """Return the state of the calibration."""
        saved: dict[str, Any] | None = None
        saved_trouble = ""
        try:
            kept = self.saved
            if kept is not None:
                saved = {
                    "made": kept.made,
                    "camera": kept.camera,
                    "board_only": kept.board_only,
                }
        except CalibrationError as error:
            saved_trouble = str(error)
        proposal = self.proposal
        return {
            "around": AROUND,
            "size": None if self._size is None else list(self._size),
            "trouble": self.trouble,
            "saved": saved,
            "saved_trouble": saved_trouble,
            "found": None if proposal is None else as_json(proposal),
        }

    def look_again(self) -> dict[str, Any]:
        """Take pictures and find the board; return the state. Raises ``TilewatchError``."""
        self.look()
        return self.state()

    def move(self, corners: Sequence[Sequence[float]]) -> dict[str, Any]:
        """Move the corners by hand; return the state. Raises ``TilewatchError``."""
        self.nudge(corners)
        return self.state()

    def accept(
        self, empty: bool | None, who: Attribution, *, board_only: bool = False
    ) -> dict[str, Any]:
        """Save the proposal; return the state. Raises ``TilewatchError``."""
        self.save(empty, board_only=board_only)
        on_disk = self._note("calibrated", "the calibration was saved", who)
        return self.state() | {"on_disk": on_disk}

    def judged(self) -> bytes | None:
        """Return the judged picture, straightened, as a JPEG; None if there is none."""
        return self._jpeg

    def live(self) -> bytes | None:
        """Return the newest picture, straightened like the judged one, as a JPEG."""
        try:
            picture = self._newest()
        except TilewatchError:
            return None
        proposal = self.proposal
        return _page_jpeg(picture if proposal is None else proposal.calibration.straight(picture))

    def count_tiles(self, by_hand: bool, who: Attribution) -> dict[str, Any]:
        """Count the tiles laid out on the board and, if the set is complete, learn their look.

        ``by_hand``: a person has counted and vouches that all are there. Returns the state. Raises
        ``TilewatchError``.
        """
        found = self.check_tiles(sure=by_hand, who=who)
        learnt = found.complete and self.learn() is not None
        if learnt:
            message = "the reader has learnt what the tiles look like"
            self._on_disk = self._note("tiles_learnt", message, who)
        return found.as_json() | {"learnt": learnt, "on_disk": self._on_disk}

    # --- what a running table does besides (``live_calibration``) ---

    def examine(self) -> list[dict[str, Any]]:
        """Return the doctor's checks."""
        return []

    def choices(self) -> dict[str, Any]:
        """Return the rules that a new game can have; empty if none can be set up here."""
        return {}

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> dict[str, Any]:  # noqa: ARG002
        """Set up a game; return the choices. Raises ``TilewatchError``."""
        raise TilewatchError("no game is made here; start the table with `tilewatch run`")

    def _adopt(self, calibration: Calibration) -> None:
        """Use a calibration that was saved."""

    def _tiles_counted(self, found: TileCheck, who: Attribution) -> bool:  # noqa: ARG002
        """Record that a set of tiles was counted; return False if that is not on the disk yet."""
        return True

    def _tiles_learnt(self, head: LinearHead | None) -> None:
        """Use the appearance of a whole set; None if the weights read it well without."""

    def _note(self, action: str, message: str, who: Attribution) -> bool:  # noqa: ARG002
        """Record an action; return False if it is not on the disk yet."""
        return True

    def _saved_or_none(self) -> Calibration | None:
        try:
            return self.saved
        except CalibrationError:
            return None


def as_json(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal for a page or ``--json``; corners in pixels of the straightened picture."""
    known = storage.as_json(proposal.calibration)
    left_out = ("version", "picture", "board_only")
    return {
        **{name: value for name, value in known.items() if name not in left_out},
        "lying": list(proposal.occupied),
        "stickers": [one.number for one in proposal.calibration.stickers],
        "grade": worst(proposal.judgements),
        "judgements": [
            {"name": one.name, "grade": one.grade, "says": one.says, "advice": one.advice}
            for one in proposal.judgements
        ],
    }


def _page_jpeg(picture: Image) -> bytes:
    width = picture.shape[1]
    if width > _WIDEST:
        height = round(picture.shape[0] * _WIDEST / width)
        small = cv2.resize(picture, (_WIDEST, height), interpolation=cv2.INTER_AREA)
        picture = np.asarray(small, np.uint8)
    return encode(picture)
