"""A drawn board and a reader that knows what was drawn, for tests without weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import cv2
import numpy as np
import pytest

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square
from game.events import Finding, GameStarted, TurnSeen
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Press
from table.recorder import Recorder, RecorderStores
from tests.machine import made_once
from tests.readerkit import OneLook, reading_of
from tests.table.sessionkit import Sitting
from tools.film.hands import Hand, cut_hands
from vision.errors import NoBoardFoundError
from vision.reading import Reading

MS = 1_000_000
_SIDE = 24
_EDGE = 20
CORNERS = np.float32([[0, 0], [360, 0], [360, 360], [0, 360]]) + _EDGE


def word(place: str, letters: str, board: Board | None = None) -> Board:
    """A board with a word added: ``8D`` across, ``D8`` down; ``.`` leaves a square alone."""
    board = board or Board.empty()
    square = Square.parse(place)
    return board.replace(
        {
            square.step(place[0].isdigit(), at): symbol
            for at, symbol in enumerate(letters)
            if symbol != "."
        }
    )


_SHAPE = (400, 400, 3)
_VALUES = 400 * 400 * 3


@cache
def _noise() -> tuple[np.ndarray, np.ndarray]:
    """The parts that noise adds and takes away, each twice in a row."""
    noise = np.floor(np.random.default_rng(0).normal(0, 2, _VALUES))
    parts = np.maximum(noise, 0), np.maximum(-noise, 0)
    more, less = (np.tile(part.astype(np.uint8), 2) for part in parts)
    return more, less


@lru_cache(maxsize=64)
def _scene(board: Board, shift: int, light: float) -> np.ndarray:
    image = np.full(_SHAPE, 90, np.uint8)
    image[_EDGE : _EDGE + 360, _EDGE : _EDGE + 360] = (70, 110, 60)
    for row in range(SIZE):
        for col in range(SIZE):
            x, y = _EDGE + col * _SIDE + shift, _EDGE + row * _SIDE + shift
            cv2.rectangle(image, (x, y), (x + _SIDE - 1, y + _SIDE - 1), (60, 95, 50), 1)
            symbol = board[Square(row, col)]
            if symbol == UNREADABLE:
                cv2.rectangle(image, (x, y), (x + _SIDE - 1, y + _SIDE - 1), (90, 120, 190), -1)
            elif symbol != EMPTY:
                cv2.rectangle(
                    image, (x + 1, y + 1), (x + _SIDE - 2, y + _SIDE - 2), (170, 215, 230), -1
                )
                if symbol.isupper():
                    cv2.putText(image, symbol, (x + 4, y + 19), 0, 0.65, (20, 20, 20), 2)
    return cv2.convertScaleAbs(image, alpha=light)


def draw(board: Board, light: float = 1.0, seed: int = 0, shift: int = 0) -> np.ndarray:
    """A picture of a board, with a little noise; ``~`` is drawn as something dark over it.

    Every seed has the same noise in another place: to draw new noise would take longer than to
    read the picture.
    """
    begin = -seed * 7919 % _VALUES
    more, less = (part[begin : begin + _VALUES].reshape(_SHAPE) for part in _noise())
    return cv2.subtract(cv2.add(_scene(board, shift, light), more), less)


@dataclass
class FakeReader(OneLook):
    """Answers with what it was taught about a very picture."""

    taught: dict[bytes, Reading | None] = field(default_factory=dict)
    reads: int = 0

    def teach(
        self,
        image: np.ndarray,
        board: Board,
        sure: float | Mapping[str, float] = 0.99,
        guesses: Mapping[str, Sequence[tuple[str, float]]] | None = None,
        findings: Iterable[Finding] = (),
        corners: np.ndarray = CORNERS,
    ) -> None:
        confidence = np.full((SIZE, SIZE), sure if isinstance(sure, float) else 0.99, np.float32)
        for name, value in (sure if isinstance(sure, Mapping) else {}).items():
            confidence[Square.parse(name)] = value
        self.taught[self._key(image)] = reading_of(
            board.rows,
            corners,
            confidence=confidence,
            guesses={Square.parse(n): tuple(g) for n, g in (guesses or {}).items()},
            findings=tuple(findings),
        )

    def blind(self, image: np.ndarray) -> None:
        self.taught[self._key(image)] = None

    def read(self, image, corners=None, known=None):
        self.reads += 1
        reading = self.taught[self._key(image)]
        if reading is None:
            raise NoBoardFoundError("no board found")
        return reading

    @staticmethod
    def _key(image: np.ndarray) -> bytes:
        """Every third pixel: pictures differ in their noise, and a tile is many pixels wide."""
        return image[::3, ::3].tobytes()


class Bench:
    """A recorder with a fake reader on a fresh log, and short words to drive it."""

    def __init__(
        self, folder, stills: bool, rulebook="wespa-2007", files: bool = False, hands=None
    ) -> None:
        self.files = files
        """True if pictures are kept as readable files, which takes longer than a name."""
        self.reader = FakeReader()
        self.log = EventLog(folder / "tilewatch.db")
        self.evidence = EvidenceStore(folder / "evidence")
        names = {"left": "Ann", "right": "Bob"}
        start = GameStarted("g", names, rulebook, "english", None, 0, hands=hands)
        self.stores = RecorderStores(self.log, self.evidence)
        self.recorder = Recorder(start, self.reader, self.stores, stills=stills)
        self.seq = 0

    def frame(
        self, t_ms: int, board: Board, *, light=1.0, blind=False, reads=None, **taught
    ) -> np.ndarray:
        """Show a picture of a board; ``reads`` is what is read in it, where that is wrong."""
        image = draw(board, light, seed=self.seq)
        if blind:
            self.reader.blind(image)
        else:
            self.reader.teach(image, reads or board, **taught)
        kept = b"jpeg %d" % self.seq
        if self.files:
            kept = cv2.imencode(".png", image)[1].tobytes()
        self.recorder.frame(Frame(image, t_ms * MS, self.seq, kept))
        self.seq += 1
        return image

    def video(self, t_ms: int, until_ms: int, board: Board, **taught) -> None:
        for t in range(t_ms, until_ms, 100):
            self.frame(t, board, **taught)

    def press(self, button, t_ms: int) -> None:
        self.recorder.press(Press(button, t_ms * MS))

    @property
    def state(self):
        return self.recorder.state

    @property
    def turns(self):
        return self.recorder.state.turns

    def seen(self) -> list[TurnSeen]:
        return [turn.seen for turn in self.turns]

    def logged(self) -> list[str]:
        """Types of the events, but for what the table notes of its own work."""
        notes = ("TableDescribed", "PicturesKept")
        return [e.type for e in self.log.events() if e.type not in notes]

    def codes(self, number: int) -> list[str]:
        return [flag.code for flag in self.turns[number - 1].flags]


@pytest.fixture
def bench(tmp_path):
    """A bench for a recording of stills."""
    one = Bench(tmp_path, stills=True)
    yield one
    one.log.close()


@pytest.fixture
def live(tmp_path):
    """A bench for video."""
    one = Bench(tmp_path, stills=False)
    yield one
    one.log.close()


@pytest.fixture
def put():
    """``put("8D", "CAT", board)``: a board with a word added."""
    return word


@pytest.fixture
def drawn():
    """``drawn(board, light=, seed=, shift=)``: a picture of a board."""
    return draw


@pytest.fixture
def grid():
    """The corners of the playing grid in what ``drawn`` draws."""
    return CORNERS


@pytest.fixture(scope="session")
def hands(shared_dir, tmp_path_factory) -> tuple[Hand, ...]:
    """The hands in the photographs beside the checkout, cut out once for all workers."""
    photographs = shared_dir / "hands"
    if not photographs.is_dir():
        pytest.skip("no photographs of hands beside the checkout")
    return made_once(tmp_path_factory, "hands", lambda: tuple(cut_hands(photographs)))


@pytest.fixture
def sit(tmp_path, drawn, grid):
    made = []

    def sitting(**options) -> Sitting:
        made.append(Sitting(tmp_path, drawn, grid, **options))
        return made[-1]

    yield sitting
    for one in made:
        one.log.close()


@pytest.fixture
def built(monkeypatch) -> list:
    """The tables that programs build, as they are at work."""
    from table.live import build_table

    tables = []

    def known(*args):
        tables.append(build_table(*args))
        return tables[-1]

    monkeypatch.setattr("table.live.build_table", known)
    return tables
