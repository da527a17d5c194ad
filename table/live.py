"""``tilewatch run``: one table at work, from its devices to its pages, until it is stopped.

One loop owns the recorder. Cameras and buttons are read by threads of their own, which put what
they get into its inbox; a device that fails is opened again, ever more patiently, and the game goes
on by the clock meanwhile. Frames that the loop has no time for are dropped, oldest first; presses
never.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dashboard.accounts.store import invitation
from game.errors import TilewatchError
from game.events import GameStarted, TableDescribed, from_payload
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE, HUB_FILE
from record.retention import sweep
from sensors.drivers import SIMULATED
from table.build import build_table, open_resources
from table.config import TableConfig
from table.real_devices import run_real
from table.recorder import Listener
from table.recording_writer import RecordingOut
from table.running import RunningTable, Say
from table.serving import serve_pages
from table.setup.calibrated_reader import calibrated_reader
from table.simulated_devices import run_simulated
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
    """Keep an enrolled table in touch with its hub; it plays on whatever becomes of that."""
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
    """Refuse to add made-up games to those of a real table, or to go on with one at a real table.

    Raises ``TilewatchError``.
    """
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
    """The tile set of the game that is taken up; without one that of the configuration."""
    for game_id in log.game_ids()[-1:]:
        start = from_payload(log.events(game_id, limit=1)[0].payload)
        if isinstance(start, GameStarted):
            return start.tile_set
    return config.tile_set


def _camera_kind(settings: Mapping[str, Any]) -> object:
    camera = settings.get("camera")
    return camera.get("kind") if isinstance(camera, Mapping) else None


_DESCRIBED_WITHIN: Final = 10
"""Events at a game's beginning, among which is what describes its table."""


@contextlib.contextmanager
def opened(
    config: TableConfig,
    folder: Path,
    say: Say,
    listener: Listener | None = None,
    reader: ReadsBoards | None = None,
) -> Iterator[RunningTable]:
    """Open the table whose data is in ``folder``, ready to run."""
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(EventLog(folder / DATABASE, live=True))
        _require_own_games(log, folder, simulated=config.camera.simulated)
        for line in (*log.opening, *sweep(log, EvidenceStore(folder / EVIDENCE))):
            say(line)
        if log.trouble is not None:
            say(log.trouble)
        reads = reader or calibrated_reader(set_on_table(config, log), folder, say)
        yield build_table(open_resources(config, folder, log, say, stack), reads, listener)
