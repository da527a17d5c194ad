"""``tilewatch run``: one table at work, from its devices to its pages, until it is stopped.

One loop owns the recorder. Separate threads read the camera and the buttons and put frames and
presses into the loop's inbox. A device that fails is opened again after ever longer pauses, and the
game goes on by the clock meanwhile. Frames that the loop has no time for are dropped, oldest first;
presses are never dropped.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from dashboard.accounts.store import invitation
from game.errors import TilewatchError
from game.events import GameStarted, PicturesDeleted, Side, TableDescribed, from_payload
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE, HUB_FILE
from record.picture_keeper import jpeg_of
from record.rack_key import RackKey
from record.retention import sweep
from sensors.drivers import SIMULATED
from simulation.demo_clock import DemoClock
from simulation.source import SimulatedSource
from table.calibrated_reader import Calibrated, calibrated_reader, rack_reader
from table.coming_games import ComingGames, RosterFile, Schedule
from table.config import Players, TableConfig
from table.desk import TableDesk
from table.folded_log import FoldedLog, steps_kept
from table.game_setup import GameSetup
from table.health.monitor import HealthMonitor
from table.inbox import Inbox
from table.racks.known import KnownRacks
from table.racks.watch import RackWatch
from table.real_devices import run_real
from table.recorder import Listener, RecorderStores
from table.recording_writer import RecordingOut
from table.running import Resources, RunningTable, Say, Simulation, TableTime
from table.serving import serve_pages
from table.session import TableSession
from table.setup.live_calibration import LiveCalibration
from table.simulated_devices import run_simulated
from table.time_base import LastEvent, PauseWatch, open_time_base
from table.word_list import load_word_list
from vision.tracking.observer import ReadsBoards


def run_table(config: TableConfig, record: Path | None, say: Say) -> int:
    """Run a table until it is stopped, or a simulated one until its games are over."""
    folder = config.folder
    with opened(config, folder, say) as table:
        if config.camera.simulated:
            say("this table is simulated: no camera is used, and its games are made up")
        if config.serve.on:
            say(f"open {serve_pages(table)} in a browser (Ctrl-C stops the table)")
            if (how := invitation(folder)) != "":
                say(how)
        say(f"{config.name}: {table.session.phase}, {table.session.state.game_id}")
        with contextlib.ExitStack() as stack:
            _tie(config, config.folder, table, say, stack)
            if record is not None:
                table.recording = stack.enter_context(RecordingOut(record, config))
            if config.camera.simulated:
                run_simulated(table)
            else:
                run_real(table)
    return 0


def _tie(
    config: TableConfig, folder: Path, table: RunningTable, say: Say, stack: contextlib.ExitStack
) -> None:
    """Connect an enrolled table to its hub; if that fails, the table plays on without it."""
    if not (folder / HUB_FILE).exists():
        return
    try:
        from hub.table_side.connector import HubConnector, Membership  # noqa: PLC0415 - most tables have no hub

        member = Membership.load(folder)
        if member is None:
            return
        tie = HubConnector(
            member,
            folder,
            table.log,
            table.desk,
            EvidenceStore(folder / EVIDENCE),
            rate=table.time.rate,
            name=config.name,
            game=lambda: table.session.state,
        )
    except (TilewatchError, ModuleNotFoundError) as error:
        remedy = " (sh install.sh --hub)" if isinstance(error, ModuleNotFoundError) else ""
        say(f"{error}{remedy}; the table plays on without its hub")
        return
    stack.callback(tie.stop)
    tie.start()
    say(f"the hub is at {member.host} port {member.port}")


def _require_own_games(log: EventLog, folder: Path, *, simulated: bool) -> None:
    """Raise ``TilewatchError`` if simulated and real games would be mixed in one log."""
    games = log.game_ids()
    for game_id in reversed(games if simulated else games[-1:]):
        for logged in log.events(game_id, limit=_DESCRIBED_WITHIN):
            event = from_payload(logged.payload)
            if not isinstance(event, TableDescribed):
                continue
            kind = _camera_kind(event.settings)
            if kind is not None and simulated and kind != SIMULATED:
                raise TilewatchError(
                    f"{folder}: holds games of a real table (camera {kind}), and this one is "
                    "simulated; name the table's file with --config, or another folder with --data"
                )
            if kind == SIMULATED and not simulated:
                raise TilewatchError(
                    f"{folder}: holds games of a simulated table, and this one is real; name "
                    "another folder with --data, or move that one away"
                )


def set_on_table(config: TableConfig, log: EventLog) -> str:
    """Return the tile set of the game to be resumed; without one that of the configuration."""
    for game_id in log.game_ids()[-1:]:
        start = from_payload(log.events(game_id, limit=1)[0].payload)
        if isinstance(start, GameStarted):
            return start.tile_set
    return config.tile_set


def _camera_kind(settings: Mapping[str, Any]) -> object:
    camera = settings.get("camera")
    return camera.get("kind") if isinstance(camera, Mapping) else None


_LOOK_BACK: Final = 50

_DESCRIBED_WITHIN: Final = 10
"""The number of events at a game's beginning, one of which describes its table."""


@contextlib.contextmanager
def opened(
    config: TableConfig,
    folder: Path,
    say: Say,
    listener: Listener | None = None,
    reader: ReadsBoards | None = None,
) -> Iterator[RunningTable]:
    """Open the table whose data is in ``folder``, ready to run."""
    _require_keys(config, folder)
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(EventLog(folder / DATABASE, live=True))
        _require_own_games(log, folder, simulated=config.camera.simulated)
        swept = sweep(log, EvidenceStore(folder / EVIDENCE), config.pictures.rule)
        for line in (*log.opening, *swept):
            say(line)
        if log.trouble is not None:
            say(log.trouble)
        reads = reader or calibrated_reader(set_on_table(config, log), folder, say)
        yield build_table(_resources(config, folder, log, say, stack), reads, listener)


def _resources(
    config: TableConfig, folder: Path, log: EventLog, say: Say, stack: contextlib.ExitStack
) -> Resources:
    """Return the files of the table whose data is in ``folder``."""
    tiles = load_tile_set(config.tile_set)
    words = load_word_list(config.word_list, tiles) if config.word_list else None
    folded = FoldedLog(
        log, steps_kept(late=bool(config.public.behind)), from_newest_game=not config.serve.on
    )
    return Resources(
        config, folder, log, folded, EvidenceStore(folder / EVIDENCE), words, say, stack
    )


def build_table(
    resources: Resources, reader: ReadsBoards, listener: Listener | None = None
) -> RunningTable:
    """Return a table that is ready to run; ``resources.stack`` closes all that it opens."""
    log, say, stack = resources.log, resources.say, resources.stack
    time = _table_time(resources)
    inbox = Inbox()
    desk = TableDesk(time.now_ns, inbox.wake, jpeg_of)
    stack.callback(desk.close)
    session = _session(resources, time, reader, listener)
    if time.base.gap is not None:
        session.time_unseen(time.base.gap)
    watch = stack.enter_context(PauseWatch(resources.folder, time.base, time.now_ns))
    monitor = HealthMonitor(
        log, say, desk.active_troubles, lambda event: session.record(event, "table"), time.now_ns
    )
    calibration = None
    if isinstance(reader, Calibrated):
        calibration = LiveCalibration(
            reader, resources.config, resources.folder, monitor, say, desk, lambda: session.state
        )
    table = RunningTable(resources, time, inbox, desk, session, watch, monitor, calibration)
    if sides := resources.config.racks.cameras:
        racks = rack_reader(session.state.tile_set.id)
        table.rack_watches = {side: RackWatch(side, racks) for side in sides}
    return table


def _table_time(resources: Resources) -> TableTime:
    config, folder, last = resources.config, resources.folder, last_event(resources.log)
    if not config.camera.simulated:
        base = open_time_base(folder, last)
        return TableTime(base.now_ns, base)
    speed = config.simulated.speed
    clock = DemoClock(speed)
    base = open_time_base(folder, last if speed else None)
    clock.shift(base.offset_ns)
    if last is not None and not speed:
        clock.set(max(clock.now_ns(), last.mono_ns))
    resources.stack.callback(clock.stop)
    source = SimulatedSource(
        config.simulated, folder, clock.now_ns, racks=bool(config.racks.cameras)
    )
    resources.stack.enter_context(source)
    if not speed:
        clock.set(source.reached_ns)
    elif (behind_ns := source.behind_ns(clock.now_ns())) > 0:
        clock.set(clock.now_ns() - behind_ns)
    if base.gap is not None:
        # Time that stands while nobody looks leaves no gap.
        until_ns = max(base.gap.from_ns, clock.now_ns())
        base = replace(base, gap=replace(base.gap, until_ns=until_ns) if speed else None)
    return TableTime(clock.now_ns, base, clock.rate, Simulation(clock, source))


def last_event(log: EventLog) -> LastEvent | None:
    """Return the times of a log's newest event; None for an empty log.

    Deletions of pictures are ignored, because the table was not watched then.
    """
    after = log.last_seq
    while after > 0:
        after = max(0, after - _LOOK_BACK)
        for one in reversed(log.events(after=after, limit=_LOOK_BACK)):
            if one.type != PicturesDeleted.__name__:
                return LastEvent(one.mono_ns, one.wall_ns)
    return None


def _session(
    resources: Resources, time: TableTime, reader: ReadsBoards, listener: Listener | None
) -> TableSession:
    config, words = resources.config, resources.words
    snapshot = CrashSnapshot(resources.folder / "spool")
    setup = GameSetup(
        config.tile_set,
        config.rulebook,
        _names(config.players),
        words.named() if words else None,
        config.announced,
        hands=config.buttons.hands,
    )
    return TableSession(
        reader,
        RecorderStores(resources.log, resources.evidence, snapshot),
        ComingGames(config.name, setup, time.now_ns, _schedule(config)),
        time.now_ns,
        folded=resources.folded,
        listener=listener,
        settings=_settings(config, reader),
        racks=KnownRacks(_rack_key(config, resources.folder)),
    )


def _rack_key(config: TableConfig, folder: Path) -> RackKey | None:
    """Return the broadcast role's key; a simulated table without one makes one for itself.

    Raises ``TilewatchError`` if it lies in the table's data, which is copied to others.
    """
    path = config.racks.key
    if path is None:
        return RackKey.generate() if config.camera.simulated else None
    if path.resolve().is_relative_to(folder.resolve()):
        raise TilewatchError(f"{path}: keep the key of the racks outside the table's data")
    return RackKey.load(path)


def _require_keys(config: TableConfig, folder: Path) -> None:
    """Raise ``TilewatchError`` if a key that the table needs cannot be read."""
    _rack_key(config, folder)
    if config.serve.on and config.woogles is not None and config.woogles.on:
        config.woogles.key(os.environ)


def _schedule(config: TableConfig) -> Schedule:
    players, book = config.players, load_rulebook(config.rulebook)
    pairings = RosterFile(players.file, players.seat, book) if players.file else None
    return Schedule(players.round, pairings, players.first)


def _names(players: Players) -> dict[Side, str]:
    names: dict[Side, str | None] = {"left": players.left, "right": players.right}
    return {side: name for side, name in names.items() if name}


def _settings(config: TableConfig, reader: ReadsBoards) -> Mapping[str, Any]:
    """Return the table's settings that are recorded in the log."""
    calibrated = reader.described() if isinstance(reader, Calibrated) else {}
    return config.model_dump(mode="json", exclude={"data"}) | calibrated
