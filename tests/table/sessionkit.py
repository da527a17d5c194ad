"""A table that somebody sits at: a session, fed with pictures that a reader was taught."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from game.board import Board, Square
from game.events import GameEnded
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Press
from table.coming_games import ComingGames
from table.desk import NewGame, PendingPost, Ruling
from table.game_setup import GameSetup
from table.recorder import RecorderStores
from table.session import TableSession
from tests.readerkit import OneLook, reading_of
from vision.errors import NoBoardFoundError

MS = 1_000_000
EMPTY = Board.empty()


@dataclass
class NearReader(OneLook):
    """Reads a picture as the one most like it that it was taught: kept pictures too."""

    corners: np.ndarray
    taught: list[tuple[np.ndarray, Board]] = field(default_factory=list)
    reads: int = 0

    def teach(self, image: np.ndarray, board: Board) -> None:
        """Remember a picture of a board, of the last forty."""
        self.taught = [*self.taught[-39:], (self._small(image), board)]

    def read(self, image, corners=None, known=None):
        self.reads += 1
        small = self._small(image)
        apart, board = min(
            ((cv2.norm(small, one, cv2.NORM_L1) / small.size, b) for one, b in self.taught),
            key=lambda p: p[0],
        )
        if apart > 10:
            raise NoBoardFoundError("no board found")
        return reading_of(board.rows, self.corners)

    @staticmethod
    def _small(image: np.ndarray) -> np.ndarray:
        return cv2.resize(image, (200, 200), interpolation=cv2.INTER_AREA)


class Sitting:
    """A session with a fake reader, which can be killed and started again."""

    def __init__(self, folder, drawn, grid, **options) -> None:
        self.folder, self.drawn = folder, drawn
        self.reader = NearReader(grid)
        self.setup = options.pop("setup", GameSetup("english", "wespa-2007"))
        self.schedule = options.pop("schedule", None)
        self.options = options
        self.now_ms = 0
        self.seq = 0
        self.log = EventLog(folder / "tilewatch.db")
        self.open()

    def open(self) -> None:
        self.session = TableSession(
            self.reader,
            RecorderStores(
                self.log,
                EvidenceStore(self.folder / "evidence"),
                CrashSnapshot(self.folder / "spool"),
            ),
            ComingGames("Table 1", self.setup, lambda: self.now_ms * MS, self.schedule),
            lambda: self.now_ms * MS,
            **self.options,
        )

    def killed(self) -> None:
        """Nothing is finished or flushed; another process takes up the game."""
        self.log.close()
        self.log = EventLog(self.folder / "tilewatch.db")
        self.open()

    def video(self, seconds: float, board: Board) -> None:
        if not self.reader.taught or self.reader.taught[-1][1] != board:
            self.reader.teach(self.drawn(board), board)
        for _ in range(round(seconds * 10)):
            self.now_ms += 100
            image = self.drawn(board, seed=self.seq)
            self.session.frame(Frame(image, self.now_ms * MS, self.seq))
            self.seq += 1

    def press(self, button) -> None:
        self.session.press(Press(button, self.now_ms * MS))

    def post(self, post):
        posted = PendingPost(post)
        self.session.serve(posted)
        return posted.wait(0)

    def rule(self, event, game=None):
        return self.post(Ruling(game or self.state.game_id, event, "director"))

    @property
    def state(self):
        return self.session.state

    @property
    def turns(self):
        return self.state.turns

    @property
    def recorder(self):
        return self.session.recorder

    def seen(self):
        return [turn.seen for turn in self.turns]

    def codes(self, number: int) -> list[str]:
        return [flag.code for flag in self.turns[number - 1].flags]

    def logged(self) -> list[str]:
        return [event.type for event in self.log.events()]

    @property
    def phase(self):
        return self.session.phase


def hand(board: Board) -> Board:
    return board.replace({Square(row, col): "~" for row in range(6, 12) for col in range(3, 12)})


def opened(sat: Sitting, put) -> Board:
    """Ann opens with CAT; it is Bob's turn."""
    first = put("8G", "CAT")
    sat.video(1, EMPTY)
    sat.press("right")
    sat.video(0.3, hand(first))
    sat.video(1, first)
    sat.press("left")
    sat.video(0.2, first)
    return first


def new_game(source: str, why: str) -> NewGame:
    """The wish for a game under other rules."""
    setup = GameSetup("english", "psa", announced={"clock.minutes": 22})
    return NewGame(setup=setup, source=source, by="TD", why=why)


def end(sat: Sitting) -> str:
    """Have the director end the game; return its id."""
    game = sat.state.game_id
    assert sat.rule(GameEnded("director", sat.now_ms * MS)).done
    assert sat.phase == "ended"
    return game
