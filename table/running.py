"""A table at work: its session, its devices or its simulation, its desk and its pages."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, cast

from dashboard.app import create_app
from dashboard.clock import clock_address
from dashboard.gcg_file import GcgFile
from dashboard.server import Server
from dashboard.site import Site, table_over
from game.events import SIDES, Button, GameEnded, Side, TroubleNoted, from_payload
from game.tileset import load_tile_set
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import EVIDENCE
from record.picture_keeper import jpeg_of
from record.result_slip import ResultSlip
from sensors.debounce import ButtonFault, PressFilter
from sensors.interfaces import Buttons, Camera, Frame, Press
from simulation import Announcement
from simulation.demo_clock import DemoClock
from simulation.source import Game, GameFinished, PlayersSeated, SimulatedSource
from simulation.stream import PendingClaims
from table.address import in_the_network
from table.config import TableConfig
from table.desk import Answer, Desk, PendingPost, Point, Shown
from table.device_reader import DeviceHandle, read_forever
from table.devices import button_word, edges_file, open_buttons, open_camera
from table.health.alerts import Alert, Code
from table.health.camera_monitor import CameraWatch
from table.health.monitor import HealthMonitor
from table.health.systemd import Notify
from table.health.watchdog import DeviceWatchdog, Heartbeat
from table.inbox import AlertChange, Inbox
from table.recorder import Listener, Recorder
from table.recording_writer import RecordingOut
from table.roster import RosterFile
from table.session import TableSession
from table.setup.calibrated_reader import Calibrated
from table.setup.capture import settings_of
from table.setup.live_calibration import LiveCalibration
from table.time_base import LastEvent, open_time_base
from table.word_list import load_word_list
from vision.rectify import Corners
from vision.tracking.observer import ReadsBoards

_LATE_NS: Final = 10_000_000_000
"""A press on a page that took longer to arrive is not taken any more."""

Say = Callable[[str], None]

Concluded = Callable[[Game, "RunningTable"], bool]
"""Told when a simulated game is over, before its players agree on the result; whether to go on."""


class RunningTable:
    """The parts of a running table. What it opens is closed with ``stack``."""

    def __init__(
        self,
        config: TableConfig,
        folder: Path,
        log: EventLog,
        reader: ReadsBoards,
        last: LastEvent | None,
        say: Say,
        stack: contextlib.ExitStack,
        listener: Listener | None = None,
    ) -> None:
        """``folder`` holds the table's data, ``last`` is the newest event of its ``log``."""
        self._config, self._say, self._stack = config, say, stack
        self._folder = folder
        self.log = log
        simulated = config.camera.kind == "simulated"
        self.recording: RecordingOut | None = None
        self._source: SimulatedSource | None = None
        self.rate = 1.0
        """How fast its clock runs beside real time."""
        if simulated:
            clock = DemoClock(config.simulated.speed)
            base = open_time_base(folder, last if config.simulated.speed else None)
            clock.shift(base.offset_ns)
            if last is not None and not config.simulated.speed:
                clock.set(max(clock.now_ns(), last.mono_ns))
            self._clock, self.rate = clock, clock.rate
            stack.callback(clock.stop)
            source = SimulatedSource(config.simulated, folder, clock.now_ns)
            self._source = stack.enter_context(source)
            if not config.simulated.speed:
                clock.set(source.reached_ns)
            elif (behind_ns := source.behind_ns(clock.now_ns())) > 0:
                clock.set(clock.now_ns() - behind_ns)
            self.now_ns: Callable[[], int] = clock.now_ns
        else:
            base = open_time_base(folder, last)
            self.now_ns = base.now_ns
        self._base = base
        self.inbox = Inbox()
        self.stop = threading.Event()
        self._evidence = EvidenceStore(folder / EVIDENCE)
        self.desk = Desk(self.now_ns, self.inbox.wake, jpeg_of)
        stack.callback(self.desk.close)
        players = config.players
        tiles = load_tile_set(config.tile_set)
        self._words = load_word_list(config.word_list, tiles) if config.word_list else None
        self.session = TableSession(
            config.name,
            reader,
            log,
            self._evidence,
            tile_set=config.tile_set,
            rulebook=config.rulebook,
            now_ns=self.now_ns,
            roster=RosterFile(players.file, players.table) if players.file else None,
            first_round=players.round,
            names=_names(players.left, players.right),
            spool=CrashSnapshot(folder / "spool"),
            listener=listener,
            word_list=self._words.named() if self._words else None,
            settings=config.model_dump(mode="json", exclude={"data"})
            | (reader.described() if isinstance(reader, Calibrated) else {}),
        )
        if base.lost and self.session.state.clocks.running is not None:
            # Nobody is charged for time that nobody can tell.
            self.session.press(Press("neutral", self.now_ns()))
        self.hearsay = PendingClaims()
        self._troubles = HealthMonitor(log, say, self.desk.conditions, self._note, self.now_ns)
        self._watch = CameraWatch(self._troubles, judge=simulated)
        self.setting_up: LiveCalibration | None = None
        """For a table that reads with the weights that ship, and not with a test's."""
        if isinstance(reader, Calibrated):
            self.setting_up = LiveCalibration(
                reader,
                config,
                folder,
                self._troubles,
                say,
                self.desk,
                lambda: self.session.state,
            )
        self._page: PressFilter[Button] = PressFilter()
        self._slip = ResultSlip(log, say, self.session.state)
        self._notify = Notify()

    def serve(self) -> str:
        """Serve the table's pages; where."""
        table = table_over(
            self.log,
            id="1",
            name=self._config.name,
            clock=self.now_ns,
            rate=self.rate,
            desk=self.desk,
            evidence=self._evidence,
            words=self._words.words if self._words else None,
            public=self._config.public,
            bench=self.setting_up.bench() if self.setting_up is not None else None,
            edges=self._edges_file(),
        )
        where = self._config.serve
        app = create_app(Site((table,)), self._folder, where.names, where.api, where.webhook_hosts)
        server = Server(app, where.host, where.port, where.trusted_proxy, where.limits)
        self._stack.callback(server.stop)
        server.start()
        if where.gcg is not None:
            self._stack.callback(GcgFile(table, where.gcg).stop)
        url = in_the_network(server.url, where.host)
        if self._config.buttons.kind == "web":
            self._say(f"the players' clock is at {url}{clock_address(app, table.id)}")
        return url

    def _edges_file(self) -> Path | None:
        """Where the raw edges of the clock's contacts are written, if it has contacts."""
        return edges_file(self._config.buttons, self._folder)

    # --- a simulated table ---

    def simulated(self, concluded: Concluded | None = None) -> None:
        """Everything that happens at it, in its time."""
        source = self._source
        assert source is not None
        if source.fresh and self.session.state.status == "running":
            # Another table's game was left in this folder.
            self.session.say(GameEnded("broken off", self.now_ns()), "table")
            self.session.next_game("table")
        events = [from_payload(e.payload) for e in self.log.events(self.session.state.game_id)]
        pressed = max(
            (e.mono_ns for e in self.log.events() if e.type == "ButtonPressed"), default=-1
        )
        self._notify.ready()
        self._watch.begin(None)
        for item in source.items(pressed, events):
            if not self._clock.wait_until(item.t_ns):
                break
            if not isinstance(item, GameFinished):
                self._watch.at(item.t_ns, self.session)
                self.session.recorder.time(item.t_ns)
                self._hand(self._straight(item) if isinstance(item, Frame) else item)
            elif concluded is not None:
                self.session.recorder.finish()
                self._desk_and_words()
                if not concluded(item.game, self):
                    break
            self._desk_and_words()
            self._notify.alive()
        self.session.recorder.finish()
        self._desk_and_words()

    # --- a real one ---

    def real(self) -> None:
        """Whatever its devices bring, until it is interrupted."""
        camera, buttons = self._config.camera, self._config.buttons
        stop = self.stop
        if buttons.driver.hint:
            self._say(buttons.driver.hint)

        def watching() -> Camera:
            bench = self.setting_up
            return open_camera(bench.calibrated.locked(camera) if bench else camera, self._put)

        devices: list[tuple[Callable[[], Camera | Buttons], Heartbeat, Code]] = [
            (watching, Heartbeat("camera", steady=True), "camera_lost")
        ]
        if buttons.driver.driver is not None:
            pulse, folder = Heartbeat("buttons", steady=False), self._folder
            devices.append(
                (lambda: open_buttons(buttons, self._put, folder), pulse, "buttons_lost")
            )
        holds = [DeviceHandle() for _ in devices]
        for hold in holds:
            self._stack.callback(hold.close)
        if self.setting_up is not None:
            self.setting_up.settings = lambda: settings_of(cast("Camera | None", holds[0].device))
        self._stack.callback(stop.set)
        vitals = DeviceWatchdog(*(pulse for _, pulse, _ in devices))
        threads = [
            threading.Thread(
                target=read_forever,
                args=(opened, self._put, stop, pulse, partial(self._failed, code)),
                kwargs={"hold": hold},
                name=pulse.name,
                daemon=True,
            )
            for (opened, pulse, code), hold in zip(devices, holds, strict=True)
        ]
        for thread in threads:
            thread.start()
        self._stack.callback(self._notify.stopping)
        self._notify.ready()
        hungry = False
        self._watch.begin(self.now_ns())
        while not self.stop.is_set():
            item = self.inbox.get(0.5)
            if not isinstance(item, Frame):
                now_ns = self.now_ns()
                self._watch.at(now_ns, self.session)
                self.session.recorder.time(now_ns)
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

    def _stands(self) -> str:
        state = self.session.state
        scores = ", ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES)
        told = (condition.message for condition in self.desk.trouble())
        return "; ".join((f"{self.session.phase}: {scores}", *told))

    def _put(self, item: Frame | Press | AlertChange) -> None:
        if isinstance(item, AlertChange):
            since_ns = self._base.of(item.t_ns)
            item = replace(item, condition=replace(item.condition, since_ns=since_ns))
        else:
            item = replace(item, t_ns=self._base.of(item.t_ns))
            if isinstance(item, Frame):
                item = self._straight(item)
        self.inbox.put(item)

    def _straight(self, frame: Frame) -> Frame:
        return frame if self.setting_up is None else self.setting_up.frame(frame)

    def _failed(self, code: Code, why: str | None) -> None:
        """A device has failed; None: it was opened. A camera is well once it gives pictures."""
        if why is not None or code != "camera_lost":
            condition = Alert(code, why or "", time.monotonic_ns())
            self._put(AlertChange(condition, over=why is None))

    # --- both ---

    def _note(self, event: TroubleNoted) -> None:
        self.session.say(event, "table")

    def _hand(self, item: Frame | Press | Announcement | PlayersSeated | AlertChange) -> None:
        session = self.session
        if isinstance(item, Frame):
            self._watch.frame(item)
            session.frame(item)
            self.desk.show(_shown(item, session.recorder))
        elif isinstance(item, Press):
            session.press(item)
        elif isinstance(item, AlertChange):
            self._word(item)
        elif isinstance(item, Announcement):
            self.hearsay.say(item.event, "players")
        else:
            session.sit_down(*item.players)
        if self.recording is not None and isinstance(item, Frame | Press):
            self.recording.add(item)

    def _word(self, word: AlertChange) -> None:
        condition = word.condition
        if word.over:
            self._troubles.end(condition.code, condition.what, condition.message, word.t_ns)
            return
        if condition.code == "camera_lost":
            self.session.camera_lost = condition.message
            self._watch.lost()
        self._troubles.begin(condition)

    def _serve_posted(self, posted: PendingPost) -> None:
        """Do what was posted; a page's buttons are held to the same times as any others."""
        post = posted.post
        if isinstance(post, Press):
            now_ns = self.now_ns()
            if post.t_ns < now_ns - _LATE_NS:
                posted.answer(Answer(None, "that press is too old; press again"))
                return
            # A page's clock may be a little ahead of ours.
            post = posted.post = replace(post, t_ns=min(post.t_ns, now_ns))
            told = self._page.press(post.button, post.t_ns)
            for trouble in told:
                if isinstance(trouble, ButtonFault):
                    self._word(button_word(trouble))
            if all(isinstance(each, ButtonFault) for each in told):
                posted.answer(Answer(None, "pressed twice at once: taken as one press"))
                return
        self.session.serve(posted)

    def _desk_and_words(self) -> None:
        self.hearsay.hear(self.session.recorder)
        for posted in self.desk.take():
            self._serve_posted(posted)
        self._troubles.look(self.session.recorder)
        if self.setting_up is not None:
            self.setting_up.look(self.session.recorder.present)
        self._slip.look(self.session.state)
        self.desk.phase = self.session.phase


def _shown(frame: Frame, recorder: Recorder) -> Shown:
    """The frame, with what was read if the board still lies as it did then."""
    look = recorder.present
    if look is None:
        return Shown(frame, looked=recorder.looked)
    corners = _points(look.reading.corners)
    return Shown(frame, corners, look.reading.rows, look.frame.t_ns, looked=True)


def _points(corners: Corners) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d


def _names(left: str | None, right: str | None) -> dict[Side, str]:
    names: dict[Side, str] = {}
    if left:
        names["left"] = left
    if right:
        names["right"] = right
    return names
