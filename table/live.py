"""``tilewatch run``: one table at work, from its devices to its pages, until it is stopped.

One loop owns the recorder. Cameras and buttons are read by threads of their own, which put what
they get into its inbox; a device that fails is opened again, ever more patiently, and the game goes
on by the clock meanwhile. Frames that the loop has no time for are dropped, oldest first; presses
never.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from dashboard.app import create_app
from dashboard.serve import Server
from dashboard.site import Site, table_over
from game.errors import TilewatchError
from game.events import SIDES, Side, from_payload
from game.tileset import load_tile_set
from sensors.errors import SensorError
from sensors.interfaces import Buttons, Camera, Frame, Press
from sensors.simulated import Said
from table.config import TableConfig
from table.demo_clock import DemoClock
from table.desk import Desk
from table.devices import open_buttons, open_camera, require
from table.evidence import EvidenceStore
from table.log import EventLog
from table.notify import Notify
from table.paths import DATABASE, EVIDENCE, data_dir
from table.readers import board_reader
from table.recording_out import RecordingOut
from table.retention import sweep
from table.roster import load_roster
from table.session import TableSession
from table.sighting import Reads
from table.sim_source import Named, SimulatedSource
from table.simulation import Hearsay
from table.spool import Spool
from table.timebase import LastEvent, open_time_base
from table.troubles import Troubles
from table.vitals import Pulse, Vitals
from table.word_list import load_word_list

_LOG = logging.getLogger(__name__)

STALLED_S: Final = 2.0
"""A camera that delivers nothing for so long is lost."""

_FRAMES: Final = 3
"""Frames that wait for the loop; a slow machine sees fewer, never older ones."""

_PATIENCE_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0)

Say = Callable[[str], None]


class Inbox:
    """What the devices bring, for the loop. Thread-safe."""

    def __init__(self) -> None:
        self._presses: deque[Press] = deque()
        self._frames: deque[Frame] = deque(maxlen=_FRAMES)
        self._news = threading.Condition()
        self._woken = False

    def put(self, item: Frame | Press) -> None:
        """One more; of too many frames the oldest is dropped."""
        with self._news:
            if isinstance(item, Press):
                self._presses.append(item)
            else:
                self._frames.append(item)
            self._news.notify()

    def wake(self) -> None:
        """Let the loop look at something else."""
        with self._news:
            self._woken = True
            self._news.notify()

    def get(self, timeout_s: float) -> Frame | Press | None:
        """The oldest item; None after the timeout or when woken."""
        with self._news:
            self._news.wait_for(
                lambda: bool(self._presses or self._frames or self._woken), timeout_s
            )
            self._woken = False
            if self._presses and (not self._frames or self._presses[0].t_ns < self._frames[0].t_ns):
                return self._presses.popleft()
            if self._frames:
                return self._frames.popleft()
            return self._presses.popleft() if self._presses else None


def run_table(config: TableConfig, record: Path | None, say: Say) -> int:
    """Run a table until it is stopped, or a simulated one until its games are over."""
    if config.camera.kind != "simulated":
        require(config.camera, config.buttons)
    with contextlib.ExitStack() as stack:
        folder = config.data or data_dir()
        log = stack.enter_context(EventLog(folder / DATABASE, live=True))
        for line in (*log.opening, *sweep(log, EvidenceStore(folder / EVIDENCE))):
            say(line)
        if log.trouble is not None:
            say(log.trouble)
        reader = board_reader(config.tile_set)
        newest = log.events(after=max(0, log.last_seq - 1))
        last = LastEvent(newest[-1].mono_ns, newest[-1].wall_ns) if newest else None
        table = _Running(config, folder, log, reader, last, say, stack)
        if record is not None:
            table.recording = stack.enter_context(RecordingOut(record, config))
        if config.camera.kind == "simulated":
            return table.simulated()
        return table.real()


class _Running:
    """The parts of a running table."""

    def __init__(
        self,
        config: TableConfig,
        folder: Path,
        log: EventLog,
        reader: Reads,
        last: LastEvent | None,
        say: Say,
        stack: contextlib.ExitStack,
    ) -> None:
        self._config, self._say, self._stack = config, say, stack
        self._log = log
        simulated = config.camera.kind == "simulated"
        self.recording: RecordingOut | None = None
        self._source: SimulatedSource | None = None
        self._rate = 1.0
        if simulated:
            clock = DemoClock(config.simulated.speed)
            base = open_time_base(folder, last if config.simulated.speed else None)
            clock.shift(base.offset_ns)
            self._clock, self._rate = clock, clock.rate
            stack.callback(clock.stop)
            source = SimulatedSource(config.simulated, folder, clock.now_ns)
            self._source = stack.enter_context(source)
            if not config.simulated.speed:
                clock.set(source.reached_ns)
            self._now_ns: Callable[[], int] = clock.now_ns
        else:
            base = open_time_base(folder, last)
            self._now_ns = base.now_ns
        self._base = base
        self.inbox = Inbox()
        self.stop = threading.Event()
        self._evidence = EvidenceStore(folder / EVIDENCE)
        self._desk = Desk(self._now_ns, self.inbox.wake)
        stack.callback(self._desk.close)
        players = config.players
        tiles = load_tile_set(config.tile_set)
        words = load_word_list(config.word_list, tiles) if config.word_list else None
        self.session = TableSession(
            config.name,
            reader,
            log,
            self._evidence,
            tile_set=config.tile_set,
            rulebook=config.rulebook,
            now_ns=self._now_ns,
            roster=load_roster(players.file, players.table) if players.file else None,
            first_round=players.round,
            names=_names(players.left, players.right),
            spool=Spool(folder / "spool"),
            word_list=words.named() if words else None,
            settings=config.model_dump(mode="json", exclude={"data"}),
        )
        if base.lost and self.session.state.clocks.running is not None:
            # Nobody is charged for time that nobody can tell.
            self.session.press(Press("neutral", self._now_ns()))
        self._hearsay = Hearsay()
        self._troubles = Troubles(log, say)
        self._notify = Notify()
        if config.serve.on:
            self._serve()
        say(f"{config.name}: {self.session.phase}, {self.session.state.game_id}")

    def _serve(self) -> None:
        table = table_over(
            self._log,
            id="1",
            name=self._config.name,
            clock=self._now_ns,
            rate=self._rate,
            desk=self._desk,
            evidence=self._evidence,
        )
        server = Server(
            create_app(Site((table,))), self._config.serve.host, self._config.serve.port
        )
        self._stack.callback(server.stop)
        server.start()
        self._say(f"open {server.url} in a browser (Ctrl-C stops the table)")

    # --- a simulated table ---

    def simulated(self) -> int:
        """Everything that happens at it, in its time."""
        source = self._source
        assert source is not None
        events = [from_payload(e.payload) for e in self._log.events(self.session.state.game_id)]
        pressed = max(
            (e.mono_ns for e in self._log.events() if e.type == "ButtonPressed"), default=-1
        )
        clock = self._clock
        self._notify.ready()
        for item in source.items(pressed, events):
            if not clock.wait_until(item.t_ns):
                break
            self._hand(item)
            self._desk_and_words()
            self._notify.alive()
        self.session.recorder.finish()
        self._desk_and_words()
        return 0

    # --- a real one ---

    def real(self) -> int:
        """Whatever its devices bring, until it is interrupted."""
        camera, buttons = self._config.camera, self._config.buttons
        stop = self.stop
        self._stack.callback(stop.set)
        devices: list[tuple[Callable[[], Camera | Buttons], Pulse]] = [
            (lambda: open_camera(camera), Pulse("camera", steady=True))
        ]
        if buttons.kind != "web":
            devices.append((lambda: open_buttons(buttons), Pulse("buttons", steady=False)))
        vitals = Vitals(*(pulse for _, pulse in devices))
        threads = [
            threading.Thread(
                target=_read_forever,
                args=(opened, self._put, stop, pulse),
                name=pulse.name,
                daemon=True,
            )
            for opened, pulse in devices
        ]
        for thread in threads:
            thread.start()
        self._stack.callback(self._notify.stopping)
        self._notify.ready()
        hungry = False
        seen_s = time.monotonic()
        while not self.stop.is_set():
            item = self.inbox.get(0.5)
            now_s = time.monotonic()
            if isinstance(item, Frame):
                seen_s = now_s
            lost = now_s - seen_s > STALLED_S
            if lost and self.session.camera_lost is None:
                self.session.camera_lost = "no picture from the camera"
                self._say("the camera delivers no pictures; the game goes on by the clock")
            if item is not None:
                self._hand(item)
            self._desk_and_words()
            trouble = vitals.trouble()
            if trouble is None and all(thread.is_alive() for thread in threads):
                self._notify.alive()
            if trouble is not None and not hungry:
                self._say(
                    f"{trouble}; systemd's watchdog, where there is one, starts the table anew"
                )
            hungry = trouble is not None
            self._notify.status(trouble or self._stands())
        return 0

    def _stands(self) -> str:
        session = self.session
        state = session.state
        scores = ", ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES)
        told = (session.camera_lost, self._log.trouble, session.recorder.pictures.trouble)
        return "; ".join((f"{session.phase}: {scores}", *(line for line in told if line)))

    def _put(self, item: Frame | Press) -> None:
        self.inbox.put(replace(item, t_ns=self._base.of(item.t_ns)))

    # --- both ---

    def _hand(self, item: Frame | Press | Said | Named) -> None:
        session = self.session
        if isinstance(item, Frame):
            session.frame(item)
        elif isinstance(item, Press):
            session.press(item)
        elif isinstance(item, Said):
            self._hearsay.say(item.event, "players")
        else:
            session.sit_down(*item.players)
        if self.recording is not None and isinstance(item, Frame | Press):
            self.recording.add(item)

    def _desk_and_words(self) -> None:
        self._hearsay.hear(self.session.recorder)
        for posted in self._desk.take():
            self.session.serve(posted)
        self._troubles.look(self.session.recorder.pictures)


def _names(left: str | None, right: str | None) -> dict[Side, str]:
    names: dict[Side, str] = {}
    if left:
        names["left"] = left
    if right:
        names["right"] = right
    return names


def _read_forever(
    opened: Callable[[], Camera | Buttons],
    put: Callable[[Frame | Press], None],
    stop: threading.Event,
    pulse: Pulse,
) -> None:
    """Read a device into the inbox; open it again when it fails, ever more patiently."""
    failures = 0
    while not stop.is_set():
        try:
            pulse.tried()
            device = opened()
            pulse.opened()
            items = device.frames() if isinstance(device, Camera) else device.presses()
            for item in items:
                failures = 0
                pulse.heard()
                put(item)
                if stop.is_set():
                    break
            device.close()
            if stop.is_set():
                return
            raise SensorError("the device has ended")
        except Exception as error:  # a driver has errors of its own; the table must outlive them
            pulse.failed()
            patience = _PATIENCE_S[min(failures, len(_PATIENCE_S) - 1)]
            own = isinstance(error, TilewatchError)
            said = str(error) if own else f"{pulse.name}: {type(error).__name__}: {error}"
            _LOG.warning("%s; tried again in %.1f s", said, patience)
            failures += 1
            stop.wait(patience)
