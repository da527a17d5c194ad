"""A running table: takes items from its devices or its simulation, one after another.

``table.live`` puts it together; ``table.real_devices`` and ``table.simulated_devices`` feed it.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from game.events import SIDES, Side, TroubleNoted
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.result_slip import ResultSlip
from sensors.debounce import PressFilter
from sensors.interfaces import Frame, Press, RackFrame
from simulation import Announcement
from simulation.demo_clock import DemoClock
from simulation.source import PendingClaims, PlayersSeated, SimulatedSource
from table.config import TableConfig
from table.desk import Answer, DeskPress, PendingPost, PlayerPress, Point, ShownFrame, TableDesk
from table.folded_log import FoldedLog
from table.health.camera_monitor import Pace, PictureArrival
from table.health.limits import LATE_PRESS_NS
from table.health.monitor import HealthMonitor
from table.health.watchdog import Notify
from table.inbox import Inbox, PostedPress
from table.racks.history import RackSighting
from table.racks.watch import RackWatch
from table.recorder import Recorder
from table.recording_writer import RecordingOut
from table.session import TableSession
from table.setup.live_calibration import LiveCalibration
from table.time_base import PauseWatch, TimeBase
from table.word_list import WordList
from vision.rectify import Corners

Say = Callable[[str], None]

Item = Frame | RackFrame | Press | PostedPress | TroubleNoted | Announcement | PlayersSeated
"""Something that happens at a table."""


@dataclass(frozen=True, slots=True)
class Resources:
    """A table's configuration, its open files, and its terminal."""

    config: TableConfig
    folder: Path
    """The folder of the table's data."""
    log: EventLog
    folded: FoldedLog
    """The games of the log, folded once for all readers."""
    evidence: EvidenceStore
    words: WordList | None
    say: Say
    stack: contextlib.ExitStack
    """Closes what the table opens."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """The clock and the games of a simulated table."""

    clock: DemoClock
    source: SimulatedSource


@dataclass(frozen=True, slots=True)
class TableTime:
    """The time of a table."""

    now_ns: Callable[[], int]
    base: TimeBase
    rate: float = 1.0
    """The rate at which it runs, in multiples of real time."""
    simulation: Simulation | None = None


class RunningTable:
    """A table's parts, and the loop body that hands them each item. For one thread."""

    def __init__(
        self,
        resources: Resources,
        time: TableTime,
        inbox: Inbox,
        desk: TableDesk,
        session: TableSession,
        watch: PauseWatch,
        monitor: HealthMonitor,
        calibration: LiveCalibration | None,
    ) -> None:
        """``calibration`` is None if the table uses a reader other than the one that ships."""
        self.resources, self.time, self.inbox = resources, time, inbox
        self.log, self.now_ns = resources.log, time.now_ns
        self.desk, self.session, self.monitor = desk, session, monitor
        self._watch = watch
        self.calibration = calibration
        self.straightened: Callable[[Frame], Frame] = (
            (lambda frame: frame) if calibration is None else calibration.calibrated.straightened
        )
        """Removes the lens's distortion from a frame, if the table is calibrated."""
        self.camera = PictureArrival(monitor, judge=time.simulation is not None)
        self.pace = Pace(monitor)
        self.claims = PendingClaims()
        self.notify = Notify()
        self.stop = threading.Event()
        self.recording: RecordingOut | None = None
        self.rack_watches: Mapping[Side, RackWatch] = {}
        """The watches of the racks that have a camera, by side."""
        self.rack_sightings: SimpleQueue[RackSighting] = SimpleQueue()
        camera = resources.config.camera
        make_inbox = camera.entry.inbox
        self.phone = None if make_inbox is None else make_inbox(camera.options)
        """The inbox of a phone's pictures, if a phone is the camera."""
        self._page_presses = PressFilter()
        self._slip = ResultSlip(resources.log, resources.say, session.state)
        self._game = session.state.game_id
        self._doubted = ("", 0)

    def take(self, item: Item) -> None:
        """Dispatch one item to its handler."""
        session = self.session
        if isinstance(item, Frame):
            self.camera.frame(item)
            now_ns = self.now_ns()
            session.frame(item)
            if self.time.simulation is None:  # else the table waits for a slow machine
                self.pace.look(item.t_ns, now_ns, session.recorder.lost)
            self.desk.show(shown_frame(item, session.recorder))
        elif isinstance(item, Press):
            session.press(item)
        elif isinstance(item, PostedPress):
            session.serve(item.posted)
        elif isinstance(item, TroubleNoted):
            self._take_trouble(item)
        elif isinstance(item, Announcement):
            self.claims.add(item.event, "players")
        elif isinstance(item, RackFrame):
            self._take_rack(item)
        else:
            session.seat_players(dict(zip(SIDES, item.players, strict=True)))
        if self.recording is not None and isinstance(item, Frame | Press):
            self.recording.add(item)

    def _doubt_racks(self) -> None:
        """Let the director's pages know what does not agree about the racks, after each event."""
        state = self.session.state
        event = state.game_id, state.event_number
        if event != self._doubted:
            self._doubted = event
            self.desk.rack_doubts = self.session.racks.history(state).doubts

    def _take_rack(self, item: RackFrame) -> None:
        """Read a simulated rack; real ones are read in their cameras' threads."""
        seen = self.rack_watches[item.side].look(item.frame)
        if seen is not None:
            self.rack_sightings.put(seen)

    def check_watch(self) -> None:
        """Record a time without watching, before anything later is taken."""
        gap = self._watch.look()
        if gap is not None:
            self.session.time_unseen(gap)

    def check_time(self, now_ns: int) -> None:
        """Check what depends on time alone: a silent camera, a clock past its limit."""
        self.camera.at(now_ns, self.session)
        self.session.recorder.time(now_ns)

    def after_item(self) -> None:
        """Do the work of every round of the loop: announcements, requests, health, result slip."""
        if self.time.simulation is None:
            self.pace.round(self.now_ns())
        self.claims.record_into(self.session.recorder)
        while not self.rack_sightings.empty():
            self.session.rack(self.rack_sightings.get(), "racks")
        self._doubt_racks()
        self.session.open_racks(self.resources.config.public.delay_ns)
        for posted in self.desk.take():
            self._take_posted(posted)
        recorder = self.session.recorder
        self.monitor.look(
            recorder.held,
            recorder.state,
            lambda: {
                "pictures": recorder.pictures.trouble,
                "pairings": self.session.pairings_doubt,
            },
        )
        if self.calibration is not None:
            self.calibration.recheck(self.session.recorder.present)
        self._slip.announce(self.session.state)
        self.desk.phase = self.session.phase
        self.desk.uncounted = self.session.uncounted
        self._watch.reached(self.inbox.taken_until_ns(self.now_ns()))
        if self._game != self.session.state.game_id:
            self._game = self.session.state.game_id
            for watch in self.rack_watches.values():
                watch.begin()
            if self.calibration is not None:
                self.calibration.read_set(self.session.state.tile_set.id)
            give_back_freed()

    def _take_posted(self, posted: PendingPost) -> None:
        """Carry out a request. Like any press, one on a page waits for the pictures before it."""
        if self._refused(posted):
            return
        press = posted.post  # whose time may have been corrected
        if isinstance(press, Press) and self.time.simulation is None:
            self.inbox.put(PostedPress(press.t_ns, posted))
        else:
            self.session.serve(posted)

    def _refused(self, posted: PendingPost) -> bool:
        """Correct the time of a page's press; return True if it was refused, else False."""
        if not isinstance(posted.post, Press):
            return False
        refusal = self._page_press(posted, posted.post)
        if refusal is not None:
            posted.answer(Answer(None, refusal))
        return refusal is not None

    def _page_press(self, posted: PendingPost, press: DeskPress | PlayerPress) -> str | None:
        """Correct the time of a page's press; return the reason if it is refused, else None."""
        now_ns = self.now_ns()
        if press.t_ns < now_ns - LATE_PRESS_NS:
            return "that press is too old; press again"
        # A page's clock may be a little ahead of ours.
        posted.post = press = replace(press, t_ns=min(press.t_ns, now_ns))
        heard = self._page_presses.press(press.button, press.t_ns)
        faults = [each for each in heard if isinstance(each, TroubleNoted)]
        for fault in faults:
            self._take_trouble(fault)
        return "pressed twice at once: taken as one press" if len(faults) == len(heard) else None

    def _take_trouble(self, trouble: TroubleNoted) -> None:
        if trouble.code == "camera_lost" and trouble.state != "over":
            self.session.camera_lost = trouble.message
            self.camera.lost()
        self.monitor.take(trouble)


def give_back_freed() -> bool:
    """Return freed memory to the system; return False if the C library has no way to.

    The C library keeps freed memory for later use. A table frees pictures of several megabytes in
    several threads, between small objects that stay, so the kept memory would grow game by game.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))


def shown_frame(frame: Frame, recorder: Recorder) -> ShownFrame:
    """Return the frame, with the board's reading if nothing has moved since that was made."""
    look = recorder.present
    if look is None:
        return ShownFrame(frame, looked=recorder.looked)
    corners = _points(look.reading.corners)
    return ShownFrame(frame, corners, look.reading.rows, look.frame.t_ns, looked=True)


def _points(corners: Corners) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d
