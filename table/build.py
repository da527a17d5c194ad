"""Puts a table together: its time, its session, its desk and what watches over them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from game.events import PicturesDeleted, Side
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import EVIDENCE
from record.picture_keeper import jpeg_of
from simulation.demo_clock import DemoClock
from simulation.source import SimulatedSource
from table.config import Players, TableConfig
from table.desk import TableDesk
from table.game_setup import GameSetup
from table.health.monitor import HealthMonitor
from table.inbox import Inbox
from table.recorder import Listener
from table.recorder_stores import RecorderStores
from table.roster import RosterFile, Schedule
from table.running import Resources, RunningTable, Say, Simulation, TableTime
from table.session import TableSession
from table.setup.calibrated_reader import Calibrated
from table.setup.live_calibration import LiveCalibration
from table.time_base import LastEvent, Watch, open_time_base
from table.word_list import load_word_list
from vision.tracking.observer import ReadsBoards

_LOOK_BACK: Final = 50


def open_resources(
    config: TableConfig, folder: Path, log: EventLog, say: Say, stack: contextlib.ExitStack
) -> Resources:
    """Return the files of the table whose data is in ``folder``."""
    tiles = load_tile_set(config.tile_set)
    words = load_word_list(config.word_list, tiles) if config.word_list else None
    return Resources(config, folder, log, EvidenceStore(folder / EVIDENCE), words, say, stack)


def build_table(
    resources: Resources, reader: ReadsBoards, listener: Listener | None = None
) -> RunningTable:
    """Return a table that is ready to run; what it opens is closed with ``resources.stack``."""
    log, say, stack = resources.log, resources.say, resources.stack
    time = _table_time(resources)
    inbox = Inbox()
    desk = TableDesk(time.now_ns, inbox.wake, jpeg_of)
    stack.callback(desk.close)
    session = _session(resources, time, reader, listener)
    if time.base.gap is not None:
        session.time_unseen(time.base.gap)
    watch = stack.enter_context(Watch(resources.folder, time.base, time.now_ns))
    monitor = HealthMonitor(
        log, say, desk.active_troubles, lambda event: session.record(event, "table"), time.now_ns
    )
    calibration = None
    if isinstance(reader, Calibrated):
        calibration = LiveCalibration(
            reader, resources.config, resources.folder, monitor, say, desk, lambda: session.state
        )
    return RunningTable(resources, time, inbox, desk, session, watch, monitor, calibration)


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
    source = SimulatedSource(config.simulated, folder, clock.now_ns)
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
    """The time of a log's newest event, deletions of pictures left out: nobody watched then."""
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
    return TableSession(
        config.name,
        reader,
        RecorderStores(resources.log, resources.evidence, snapshot),
        GameSetup(
            config.tile_set,
            config.rulebook,
            _names(config.players),
            words.named() if words else None,
            config.announced,
            hands=config.buttons.hands,
        ),
        time.now_ns,
        schedule=_schedule(config),
        listener=listener,
        settings=_settings(config, reader),
    )


def _schedule(config: TableConfig) -> Schedule:
    players, book = config.players, load_rulebook(config.rulebook)
    pairings = RosterFile(players.file, players.seat, book) if players.file else None
    return Schedule(players.round, pairings, players.first)


def _names(players: Players) -> dict[Side, str]:
    names: dict[Side, str | None] = {"left": players.left, "right": players.right}
    return {side: name for side, name in names.items() if name}


def _settings(config: TableConfig, reader: ReadsBoards) -> Mapping[str, Any]:
    """Return the settings that the log records of a table."""
    calibrated = reader.described() if isinstance(reader, Calibrated) else {}
    return config.model_dump(mode="json", exclude={"data"}) | calibrated
