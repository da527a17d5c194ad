"""A real table's loop with real drivers, of which only the very edge is pretended.

gpiozero's mock pins and a stand-in for picamera2 take the place of the devices, a script that of
the players, and the monotonic clock is moved by hand, so that a game takes seconds.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import ModuleType

import gpiozero
import numpy as np
from gpiozero.pins.mock import MockFactory

from game.board import Board
from game.events import (
    BlankDesignated,
    ButtonPressed,
    Event,
    GameEnded,
    TroubleNoted,
    from_payload,
)
from sensors.drivers import CAMERAS
from sensors.gpio import PINS
from sensors.watched_camera import WatchedCamera
from simulation import Script, ScriptTurn, generate
from table import real_devices, time_base
from table.config import Buttons, Camera, Serve, TableConfig
from table.desk import Ruling
from table.live import opened
from table.real_devices import run_real
from table.running import RunningTable
from tests.sensors.fake_picamera2 import FakePicamera2

from .conftest import FakeReader, draw

MS = 1_000_000
FRAME_MS = 100
_WAIT_S = 60.0
_STALLED_S = 600.0
"""Longer than any wait of a test: no picture comes meanwhile, and the camera is not to blame."""


game_of = cache(generate)
"""A made-up game by its number; to make one up takes a second."""


class Clock:
    """``time.monotonic_ns`` as the test has it."""

    def __init__(self) -> None:
        self.ns = time.monotonic_ns()

    def __call__(self) -> int:
        return self.ns

    def pass_ms(self, ms: float) -> None:
        self.ns += round(ms * MS)


class Stage:
    """The table, its camera and its buttons, in the hands of the test."""

    def __init__(self, folder, monkeypatch, factory: MockFactory) -> None:
        self.clock = Clock()
        self.reader = FakeReader()
        self.factory = factory
        self.output: list[str] = []
        self.cameras: list[FakePicamera2] = []
        self.pulled = threading.Event()
        """While it is set there is no camera, and the one that there was fails."""
        self._pictures: queue.Queue[np.ndarray] = queue.Queue()
        self._count = 0
        self._events: list[Event] = []
        module = ModuleType("picamera2")
        module.Picamera2 = self._camera  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "picamera2", module)
        monkeypatch.setattr(real_devices, "PATIENCE_S", (0.01,))
        # A camera is waited for in real time, of which a busy machine may take a lot.
        patient = replace(CAMERAS["pi"], first_s=_STALLED_S, stalled_s=_STALLED_S)
        monkeypatch.setitem(CAMERAS, "pi", patient)
        # Nor are pictures lost while the test moves the clock.
        monkeypatch.setattr(WatchedCamera, "_counted", lambda _, frame: frame)
        monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
        monkeypatch.setattr(time, "monotonic_ns", self.clock)
        # That the process runs is real, however fast the test has time pass.
        slept = time.clock_gettime_ns
        monkeypatch.setattr(time_base, "boottime_ns", lambda: slept(time.CLOCK_BOOTTIME))
        # The machine has slept for seven seconds since it was started.
        monkeypatch.setattr(time, "clock_gettime_ns", lambda _: self.clock() + 7_000 * MS)
        self.config = TableConfig(
            camera=Camera(kind="pi"),
            buttons=Buttons(kind="gpio", call=23),  # type: ignore[call-arg]
            serve=Serve(on=False),
        )
        self.folder = folder
        self.table: RunningTable

    @contextlib.contextmanager
    def open(self) -> Iterator[Stage]:
        """Run the table's own loop in a thread of its own."""
        with opened(self.config, self.folder, self.output.append, None, self.reader) as self.table:
            loop = threading.Thread(target=run_real, args=(self.table,), name="loop")
            loop.start()
            try:
                self.wait(lambda: len(self.factory.pins) == len(PINS) + 1)
                yield self
            finally:
                self.table.stop.set()
                loop.join(_WAIT_S)
            assert not loop.is_alive()
        self.wait(lambda: all(fake.closed for fake in self.cameras))

    def wait(self, what: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + _WAIT_S
        while not what():
            assert time.monotonic() < end, self.output
            time.sleep(0.0005)

    # --- what the table has made of it ---

    def events(self, kind=None):
        if len(self._events) != self.table.log.last_seq:
            # Those who wait ask a thousand times a second: only what is new is read.
            unread = self.table.log.events(after=len(self._events))
            self._events += [from_payload(event.payload) for event in unread]
        found = list(self._events)
        return found if kind is None else [event for event in found if isinstance(event, kind)]

    def troubles(self) -> list[tuple[str, str, str]]:
        return [(e.code, e.what, e.state) for e in self.events(TroubleNoted)]

    @property
    def state(self):
        return self.table.session.state

    # --- the camera ---

    def _camera(self, number: int) -> FakePicamera2:
        if self.pulled.is_set():
            raise RuntimeError("Camera __init__ sequence did not complete.")
        fake = FakePicamera2(number, picture=lambda *_: self._picture(fake), script=self._fail)
        self.cameras.append(fake)
        return fake

    def _fail(self, _: int) -> None:
        if self.pulled.is_set():
            raise RuntimeError("Camera frontend has timed out!")

    def _picture(self, fake: FakePicamera2) -> np.ndarray:
        while not fake.closed:
            with contextlib.suppress(queue.Empty):
                return self._pictures.get(timeout=0.02)
        raise RuntimeError("the camera was closed")

    def look(self, board: Board) -> np.ndarray:
        """A picture of the board, which the reader can read."""
        self._count += 1
        image = draw(board, seed=self._count)
        self.reader.teach(image, visible(board))
        return image

    def frame(self, image: np.ndarray, *, shown: bool = True) -> None:
        """One frame, until the table has dealt with it; else until the camera has delivered it."""
        self.clock.pass_ms(FRAME_MS)
        self._pictures.put(image)
        if shown:
            self.wait(lambda: self._shown() is image)
        else:
            self.wait(self._pictures.empty)
            time.sleep(0.005)

    def frame_lost(self, board: Board) -> None:
        """A frame that comes too late: the camera is gone when it would be handed over."""
        self._pictures.put(self.look(board))
        self.wait(lambda: self._pictures.empty() or self.cameras[-1].closed)
        with contextlib.suppress(queue.Empty):  # the camera failed before it took the picture
            self._pictures.get_nowait()

    def _shown(self) -> np.ndarray | None:
        shown = self.table.desk.shown()
        return None if shown is None else shown.frame.image

    def frames(self, board: Board, ms: int) -> None:
        """The board lies there for so long."""
        for _ in range(ms // FRAME_MS):
            self.frame(self.look(board))

    # --- the buttons ---

    def edge(self, number: int, closed: bool) -> None:
        pin = self.factory.pin(number)
        pin.drive_low() if closed else pin.drive_high()

    def press(self, button: str, *, held_ms: float = 120.0, bounces: int = 3) -> None:
        """Press a button, bouncing on the way down and up, until the table has dealt with it."""
        count = len(self.events(ButtonPressed))
        first_ns = self.touch(PINS[button], held_ms=held_ms, bounces=bounces)
        self.wait(lambda: len(self.events(ButtonPressed)) > count)
        logged = self.events(ButtonPressed)[-1]
        assert (logged.button, logged.t_ns) == (
            button,
            self.table.now_ns() - self.clock.ns + first_ns,
        )

    def touch(self, number: int, *, held_ms: float = 120.0, bounces: int = 3) -> int:
        """The edges of a press at a pin; when the first was."""
        self.clock.pass_ms(20)
        first_ns = self.clock.ns
        for closed in (True, False):
            for _ in range(bounces):
                self.edge(number, closed)
                self.clock.pass_ms(0.4)
                self.edge(number, not closed)
                self.clock.pass_ms(0.4)
            self.edge(number, closed)
            self.clock.pass_ms(held_ms if closed else 30)
        return first_ns

    # --- the players ---

    def begin(self) -> Board:
        """The board lies there empty, and right's press starts left's clock."""
        self.frames(Board.empty(), 600)
        self.press("right")
        return Board.empty()

    def turn(
        self,
        turn: ScriptTurn,
        before: Board,
        during: Callable[[Board, Board], None] | None = None,
        **press: float,
    ) -> Board:
        """A player lays the tiles, presses and says what the blanks are; the board after it.

        ``during`` is what happens once they lie there.
        """
        after = before.replace(turn.tiles)
        covered = before.replace(dict.fromkeys(turn.tiles, "~"))
        if turn.tiles:
            self.frames(covered, 200)
        if during is not None:
            during(before, after)
        self.frames(after, 600)
        turns = len(self.state.turns)
        self.press("neutral" if turn.out else turn.side, **press)
        self.wait(lambda: len(self.state.turns) == turns + 1)
        for square, symbol in turn.tiles.items():
            if symbol.islower():
                named = BlankDesignated(
                    square.name, symbol.upper(), "the player", "said", self.table.now_ns()
                )
                assert (
                    self.table.desk.post(Ruling(self.state.game_id, named, "players")).refused
                    is None
                )
        return after

    def end(self) -> None:
        """The players agree on the result."""
        ended = GameEnded(self.state.end_reason or "confirmed", self.table.now_ns())
        assert self.table.desk.post(Ruling(self.state.game_id, ended, "players")).refused is None


def visible(board: Board) -> Board:
    """A board as a camera can know it: a blank shows no letter."""
    return board.replace({s: "?" for s, symbol in board.tiles().items() if symbol.islower()})


def agrees(script: Script, state) -> None:
    """Every turn's tiles, score and total are those of the script; at the end the result, too."""
    assert len(state.turns) == len(script.turns)
    for due, got in zip(script.turns, state.turns, strict=True):
        assert got.tiles == {square.name: symbol for square, symbol in due.tiles.items()}
        assert (got.side, got.score, got.total) == (due.side, due.score, due.total), got
    if state.status == "ended":
        assert dict(state.scores) == dict(script.finals)
