"""A running table's calibration: its frames straightened, watched, and set up from its pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from calibration.tile_check import TileCheck
from game.errors import TilewatchError
from game.events import SetSeen
from game.state.fold import GameState
from sensors.errors import SensorError
from sensors.interfaces import Frame
from table.config import TableConfig
from table.desk import Attribution, Desk, NoteAction
from table.health.monitor import HealthMonitor
from table.new_games import NewGames
from table.setup.calibrated_reader import Calibrated
from table.setup.calibration_monitor import CalibrationWatch
from table.setup.calibration_session import CalibrationSession
from table.setup.capture import PICTURES, Capture, name_of
from vision.linear_head import LinearHead
from vision.rectify import Image
from vision.tracking.observer import Observation

_PATIENCE_S: Final = 5.0
_PAUSE_S: Final = 0.02


class LiveCalibration:
    """Between a table's camera and its session.

    Args:
        calibrated: reads the table's boards.
        config: the table's.
        folder: of its data.
        monitor: takes the alert that the calibration no longer holds.
        say: told one line about it.
        desk: where what is seen of the set of tiles is posted.
        state: the game on the table.
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
        self.calibrated = calibrated
        self._config, self._folder, self._desk = config, folder, desk
        self._state, self._say = state, say
        self._watch = CalibrationWatch(calibrated, monitor, say, desk.now_ns)
        self.settings: Callable[[], dict[str, float]] = dict
        """What exposure and white balance of the running camera are locked to."""
        self._raw: Image | None = None
        self._bench: CalibrationSession | None = None

    def frame(self, frame: Frame) -> Frame:
        """The next frame as the camera gives it; as the table takes it. From any one thread."""
        self._raw = frame.image
        return self.calibrated.straightened(frame)

    def look(self, look: Observation | None) -> None:
        """Once a round of the table's loop, with its newest look at the board at rest."""
        self._watch.look(self._raw, look)

    def bench(self) -> CalibrationSession:
        """What the set-up pages work with."""
        self._bench = CalibrationSession(
            self._config.tile_set,
            self._folder,
            self._taken,
            adopt=self.calibrated.take_up,
            checked=self._counted,
            done=self._done,
            learnt=self._learnt,
            newest=self._newest,
            examine=self._examined,
            game=NewGames(
                self._desk, self._state, self._folder, self._config.word_list, self._use_set
            ),
            reads=self.calibrated.parts,
        )
        return self._bench

    def _examined(self) -> list[dict[str, Any]]:
        from table.doctor import checks  # noqa: PLC0415 - looks at everything, and loads it

        config = self._config.model_copy(update={"data": self._folder})
        return [check.as_json() for check in checks(config, desk=self._desk)]

    def _newest(self) -> Image:
        if self._raw is None:
            raise SensorError("the camera has given no picture yet")
        return self._raw

    def _taken(self) -> Capture:
        """Its next pictures, one after another."""
        pictures: list[Image] = []
        give_up = time.monotonic() + _PATIENCE_S
        while len(pictures) < PICTURES and time.monotonic() < give_up:
            if self._raw is not None and (not pictures or pictures[-1] is not self._raw):
                pictures.append(self._raw)
            time.sleep(_PAUSE_S)
        return Capture(tuple(pictures), name_of(self._config), self.settings())

    def _counted(self, found: TileCheck, who: Attribution) -> None:
        """Tell the game on the table: by whose word the set is whole, if not by the camera's."""
        by = (who.by or who.source) if found.by_hand else "camera"
        why = who.why if found.by_hand or not who.by else f"{who.why} ({who.by})"
        event = SetSeen(found.seen, by, self._desk.now_ns(), why)
        answer = self._desk.rule(self._state().game_id, event, who.source)
        if not answer.done:
            raise TilewatchError(f"the set was counted but not recorded: {answer.refused}")

    def _done(self, action: str, message: str, who: Attribution) -> None:
        answer = self._desk.post(NoteAction(action, message, who.source, who.by, who.why))
        if not answer.done:
            raise TilewatchError(f"{message}, but not recorded: {answer.refused}")

    def _use_set(self, tile_set: str) -> None:
        self.calibrated.use_set(tile_set)
        if self._bench is not None:
            self._bench.use_set(tile_set, self.calibrated.parts)

    def _learnt(self, head: LinearHead | None) -> None:
        self.calibrated.sharpen(head)
        if head is not None:
            self._say("the tiles are counted, and the reader has learnt what they look like")
