"""Watches a running table's calibration, and serves the set-up pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from calibration.model import Calibration
from calibration.recheck import RecheckResult
from calibration.tile_check import TileCheck
from game.errors import TilewatchError
from game.events import SetSeen
from game.state.fold import GameState
from game.troubles import make_trouble
from sensors.interfaces import SensorError
from table.calibrated_reader import Calibrated
from table.config import TableConfig
from table.desk import Attribution, Desk, NoteAction, Ruling
from table.health.monitor import HealthMonitor
from table.new_games import NewGames
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import PICTURES, Capture, name_of
from vision.classifier import LinearHead
from vision.rectify import Corners, Image, nearest_order, shift
from vision.tracking.sighting import Observation

BUMPED: Final = 0.3
"""A board at rest that has moved by this many squares counts as bumped or turned."""


class BumpDetector:
    """Detects that a board at rest has moved since the calibration was checked."""

    def __init__(self) -> None:
        self._at: Corners | None = None

    def moved(self, corners: Corners) -> bool:
        """Return True at the first call, and if the board has moved since the last True."""
        here = corners if self._at is None else nearest_order(corners, self._at)
        if self._at is not None and shift(self._at, here) < BUMPED:
            return False
        self._at = here
        return True


class CalibrationWatch:
    """Rechecks the calibration when a board at rest has moved. Each check runs in its own thread.

    Args:
        calibrated: the reader with the table's calibration.
        monitor: takes the trouble that the calibration is no longer valid.
        say: prints one line after every check with a new result.
        now_ns: returns the table's time.
    """

    def __init__(
        self,
        calibrated: Calibrated,
        monitor: HealthMonitor,
        say: Callable[[str], None],
        now_ns: Callable[[], int],
    ) -> None:
        self._calibrated, self._monitor = calibrated, monitor
        self._say, self._now_ns = say, now_ns
        self._bumps = BumpDetector()
        self._thread: threading.Thread | None = None
        self._verdict: RecheckResult | None = None
        self._reported = ""
        self._about: object = None

    def look(self, raw: Image | None, look: Observation | None) -> None:
        """Take the newest picture and the newest view of the board at rest, once a round."""
        self._report()
        if self._about is not self._calibrated.calibration:
            self._about, self._bumps = self._calibrated.calibration, BumpDetector()
        if raw is None or look is None or self._calibrated.calibration is None:
            return
        if self._thread is not None and self._thread.is_alive():
            return
        if self._bumps.moved(look.reading.corners):
            self._thread = threading.Thread(
                target=self._check, args=(raw,), name="calibration", daemon=True
            )
            self._thread.start()

    def finish(self, timeout_s: float = 5.0) -> None:
        """Wait for a check that is running, and report its result."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        self._report()

    def _check(self, raw: Image) -> None:
        self._verdict = self._calibrated.recheck(raw)

    def _report(self) -> None:
        verdict, self._verdict = self._verdict, None
        if verdict is None:
            return
        if not verdict.holds:
            self._monitor.take(make_trouble("calibration", verdict.line, self._now_ns()))
        else:
            self._monitor.end("calibration", message=verdict.line)
            if verdict.line != self._reported:
                self._say(verdict.line)
        self._reported = verdict.line


_PATIENCE_S: Final = 5.0
_PAUSE_S: Final = 0.02


class LiveCalibration(CalibrationSession):
    """Watches the calibration of a running table, and serves its set-up.

    Args:
        calibrated: the reader with the table's calibration.
        config: the configuration of the table.
        folder: the table's data folder.
        monitor: takes the trouble that the calibration is no longer valid.
        say: prints one line.
        desk: the desk to which the result of a count is posted.
        state: returns the game on the table.
    """

    def __init__(
        self,
        calibrated: Calibrated,
        config: TableConfig,
        folder: Path,
        monitor: HealthMonitor,
        say: Callable[[str], None],
        desk: Desk,
        state: Callable[[], GameState],
    ) -> None:
        super().__init__(
            state().tile_set.id, folder, self._capture, newest=self._latest, reads=calibrated.parts
        )
        self.calibrated = calibrated
        self._config, self._desk = config, desk
        self._state, self._say = state, say
        self._watch = CalibrationWatch(calibrated, monitor, say, desk.now_ns)
        self.settings: Callable[[], dict[str, float]] = dict
        """The exposure and white balance that the running camera is locked to."""
        self._games = NewGames(desk, state, folder, config.word_list)

    def recheck(self, look: Observation | None) -> None:
        """Check the calibration by the newest view of the board, once a round of the loop."""
        self._watch.look(self.calibrated.raw, look)

    def _adopt(self, calibration: Calibration) -> None:
        """Use a calibration that was saved."""
        self.calibrated.adopt(calibration)

    def _tiles_counted(self, found: TileCheck, who: Attribution) -> bool:
        """Record that the set is complete, as a person or else the camera has found.

        Return False if that is not on the disk yet.
        """
        by = (who.by or who.source) if found.by_hand else "camera"
        why = who.why if found.by_hand or not who.by else f"{who.why} ({who.by})".strip()
        event = SetSeen(found.seen, by, self._desk.now_ns(), why)
        answer = self._desk.post(Ruling(self._state().game_id, event, who.source))
        if not answer.done:
            raise TilewatchError(f"the set was counted but not recorded: {answer.refused}")
        return answer.on_disk

    def _tiles_learnt(self, head: LinearHead | None) -> None:
        """Read with the appearance of the set that was counted; None: as the weights do."""
        self.calibrated.sharpen(head)
        if head is not None:
            self._say("the tiles are counted, and the reader has learnt what they look like")

    def _note(self, action: str, message: str, who: Attribution) -> bool:
        """Record an action; return False if it is not on the disk yet."""
        answer = self._desk.post(NoteAction(action, message, who.source, who.by, who.why))
        if not answer.done:
            raise TilewatchError(f"{message}, but not recorded: {answer.refused}")
        return answer.on_disk

    def examine(self) -> list[dict[str, Any]]:
        """Return the doctor's checks."""
        from table.doctor.run import checked  # noqa: PLC0415 - looks at everything, and loads it

        config = self._config.model_copy(update={"data": self._data})
        return [check.as_json() for check in checked(config, desk=self._desk)]

    def choices(self) -> dict[str, Any]:
        """Return the rules that a new game can have."""
        return self._games.choices()

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> dict[str, Any]:
        """Set up a game; return the choices. Raises ``TilewatchError``."""
        return self._games.new_game(wishes, who)

    def _latest(self) -> Image:
        if self.calibrated.raw is None:
            raise SensorError("the camera has given no picture yet")
        return self.calibrated.raw

    def _capture(self) -> Capture:
        """Return the camera's next pictures."""
        pictures: list[Image] = []
        give_up = time.monotonic() + _PATIENCE_S
        while len(pictures) < PICTURES and time.monotonic() < give_up:
            raw = self.calibrated.raw
            if raw is not None and (not pictures or pictures[-1] is not raw):
                pictures.append(raw)
            time.sleep(_PAUSE_S)
        return Capture(tuple(pictures), name_of(self._config), self.settings())

    def read_set(self, tile_set: str) -> None:
        """Read the letters of this tile set, which the game on the table uses, from now on."""
        self.calibrated.use_set(tile_set)
        self.use_set(tile_set, self.calibrated.parts)
