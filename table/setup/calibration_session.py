"""Setting a table up: what its pages and commands do. One at a time; safe from any thread.

Pictures come from wherever the table's come from; what is found is kept until it is saved, or
taken anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from calibration.calibrate import Proposal, median_picture, nudged, propose
from calibration.errors import CalibrationError
from calibration.fine_tune import fine_tuned, needs_fine_tuning
from calibration.head_storage import forget_head, save_head
from calibration.model import Calibration
from calibration.picture_quality import worst
from calibration.storage import encode, load, save
from calibration.tile_check import TileCheck, check_tiles
from game.errors import TilewatchError
from game.tileset import TileSet, load_tile_set
from models import weights
from table.desk import Attribution
from table.readers import Parts, parts
from table.setup.calibrated_reader import FOLDER, Calibrated
from table.setup.capture import Capture
from vision.errors import NoBoardFoundError
from vision.linear_head import LinearHead
from vision.reading import Reading
from vision.rectify import Image

NOBODY: Final = Attribution("camera")
"""Where nobody is asked: a command."""

_WIDEST: Final = 1600
"""Pixels of a picture on a page."""


class MakesGames(Protocol):
    """What makes a table ready for a game."""

    def choices(self) -> dict[str, Any]:
        """What a new game can be."""
        ...

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> dict[str, Any]:
        """Make ready for it; the choices. Raises ``TilewatchError``."""
        ...


class CalibrationSession:
    """A table being set up. It is a ``dashboard.setup.Bench``.

    Args:
        tile_set: the set on it.
        data: the table's data folder.
        take: takes pictures, as the camera gives them.
        adopt: told a calibration that was saved.
        checked: told of a set that was counted, and by whom.
        done: told of what was done, in one line, and by whom.
        learnt: told what was learnt of a whole set; None: nothing had to be.
        newest: the camera's newest picture; None to take one.
        examine: what the doctor says.
        game: makes games.
        reads: what to read with, where it is loaded already.
    """

    def __init__(
        self,
        tile_set: str,
        data: Path,
        take: Callable[[], Capture],
        *,
        adopt: Callable[[Calibration], None] | None = None,
        checked: Callable[[TileCheck, Attribution], None] | None = None,
        done: Callable[[str, str, Attribution], None] | None = None,
        learnt: Callable[[LinearHead | None], None] | None = None,
        newest: Callable[[], Image] | None = None,
        examine: Callable[[], list[dict[str, Any]]] | None = None,
        game: MakesGames | None = None,
        reads: Parts | None = None,
    ) -> None:
        self.tiles: TileSet = load_tile_set(tile_set)
        self._data = data
        self._take = take
        self._adopt, self._checked, self._done, self._learnt = adopt, checked, done, learnt
        self._newest = newest or (lambda: take().pictures[-1])
        self._examine, self._game = examine, game
        self._parts = reads or parts(tile_set)
        self._reader = self._parts.reader()
        self._busy = threading.Lock()
        self.proposal: Proposal | None = None
        self.trouble = ""
        """Why nothing is proposed, in one line."""
        self._jpeg: bytes | None = None
        self._counted: tuple[TileCheck, Reading, Image] | None = None
        self._size: tuple[int, int] | None = None

    @property
    def saved(self) -> Calibration | None:
        """The calibration on disk. Raises ``CalibrationError`` when it cannot be used."""
        return load(self._data / FOLDER)

    def use_set(self, tile_set: str, reads: Parts) -> None:
        """Another set lies on the table."""
        with self._busy:
            self.tiles = load_tile_set(tile_set)
            self._parts, self._reader = reads, reads.reader()
            self._counted = None

    def look(self, taken: Capture | None = None) -> Proposal | None:
        """Take pictures and find the board; None where there is none (see :attr:`trouble`).

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
            self._show()
            return self.proposal

    def nudge(self, corners: Sequence[Sequence[float]]) -> Proposal:
        """Corners moved by hand, in pixels of the picture shown. Raises ``TilewatchError``."""
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

    def save(self, empty: bool | None = None) -> Path:
        """Keep what was found; ``empty`` is what somebody says of the board.

        Raises:
            CalibrationError: nothing was found, or it cannot be written.
        """
        with self._busy:
            if self.proposal is None:
                raise CalibrationError(self.trouble or "there is no picture yet; take one first")
            calibration = self.proposal.calibration
            if empty is not None:
                calibration = replace(calibration, empty=empty)
            path = save(calibration, self._data / FOLDER)
            if self._adopt is not None:
                self._adopt(calibration)
            return path

    def check_tiles(
        self, taken: Capture | None = None, *, sure: bool = False, who: Attribution = NOBODY
    ) -> TileCheck:
        """Count the tiles laid out on the board.

        ``sure``: somebody has counted them, and all are there.

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
            if self._checked is not None:
                self._checked(found, who)
            return found

    def learn(self) -> Path | None:
        """Keep what the tiles look like that were counted last; None where nothing need be learnt.

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
        if self._learnt is not None:
            self._learnt(head)
        if head is None:
            forget_head(folder)
            return None
        return save_head(head, self.tiles.id, weights.path("tiles.onnx"), folder)

    # --- for pages: dashboard.setup.Bench ---

    def state(self) -> dict[str, Any]:
        """The calibration as it stands."""
        saved: dict[str, Any] | None = None
        saved_trouble = ""
        try:
            kept = self.saved
            saved = None if kept is None else {"made": kept.made, "camera": kept.camera}
        except CalibrationError as error:
            saved_trouble = str(error)
        proposal = self.proposal
        return {
            "size": None if self._size is None else list(self._size),
            "trouble": self.trouble,
            "saved": saved,
            "saved_trouble": saved_trouble,
            "found": None if proposal is None else as_json(proposal),
        }

    def look_again(self) -> dict[str, Any]:
        """Take pictures, find the board, judge; the state. Raises ``TilewatchError``."""
        self.look()
        return self.state()

    def move(self, corners: Sequence[Sequence[float]]) -> dict[str, Any]:
        """Corners as somebody put them; the state. Raises ``TilewatchError``."""
        self.nudge(corners)
        return self.state()

    def keep(self, empty: bool | None, who: Attribution) -> dict[str, Any]:
        """Save; the state. Raises ``TilewatchError``."""
        self.save(empty)
        self._tell("calibrated", "the calibration was saved", who)
        return self.state()

    def judged(self) -> bytes | None:
        """The picture that is judged, straightened, a JPEG."""
        return self._jpeg

    def live(self) -> bytes | None:
        """The newest picture, straightened like the judged one."""
        try:
            picture = self._newest()
        except TilewatchError:
            return None
        proposal = self.proposal
        straighten = None if proposal is None else proposal.calibration.straighten
        return _page_jpeg(picture if straighten is None else straighten(picture))

    def count_tiles(self, by_hand: bool, who: Attribution) -> dict[str, Any]:
        """Check the tiles laid out on the board, and learn their look; ``TilewatchError``."""
        found = self.check_tiles(sure=by_hand, who=who)
        learnt = found.complete and self.learn() is not None
        if learnt:
            self._tell("tiles_learnt", "the reader has learnt what the tiles look like", who)
        return found.as_json() | {"learnt": learnt}

    def examine(self) -> list[dict[str, Any]]:
        """What the doctor says."""
        return self._examine() if self._examine is not None else []

    def choices(self) -> dict[str, Any]:
        """What a new game can be; empty where none can be made here."""
        return self._game.choices() if self._game is not None else {}

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> dict[str, Any]:
        """Make ready for a game; the choices. Raises ``TilewatchError``."""
        if self._game is None:
            raise TilewatchError("no game is made here; start the table with `tilewatch run`")
        return self._game.new_game(wishes, who)

    def _tell(self, action: str, message: str, who: Attribution) -> None:
        if self._done is not None:
            self._done(action, message, who)

    def _saved_or_none(self) -> Calibration | None:
        try:
            return self.saved
        except CalibrationError:
            return None

    def _show(self) -> None:
        assert self.proposal is not None
        calibration = self.proposal.calibration
        straighten = calibration.straighten
        picture = calibration.picture
        self._jpeg = _page_jpeg(picture if straighten is None else straighten(picture))


def as_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal for a page or for ``--json``. Corners are pixels of the straightened picture."""
    calibration = proposal.calibration
    seen = calibration.measures
    lens = calibration.lens
    return {
        "made": calibration.made,
        "camera": calibration.camera,
        "size": list(calibration.size),
        "corners": [[round(float(x), 2), round(float(y), 2)] for x, y in calibration.corners],
        "lens": None if lens is None else {"k1": round(lens.k1, 4), "k2": round(lens.k2, 4)},
        "empty": calibration.empty,
        "lying": list(proposal.occupied),
        "by_hand": calibration.by_hand,
        "stickers": [one.number for one in calibration.stickers],
        "settings": dict(calibration.settings),
        "measures": {
            "pixels": round(seen.pixels, 1),
            "blur": None if seen.blur is None else round(seen.blur, 4),
            "glare": [square.name for square in seen.glare],
            "level": round(seen.level, 1),
            "evenness": round(seen.evenness, 3),
        },
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
