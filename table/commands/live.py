"""``tilewatch demo``, ``setup`` and ``run``: a table that plays, simulated or real."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from game.errors import TilewatchError
from game.printable import printable
from table.commands.options import PATH, TABLE, Given, ReadsPictures, given, port
from table.commands.terminal import answer, fault, interrupted_by_signals, say

if TYPE_CHECKING:
    from table.config import TableConfig

INTERRUPTED: Final = 128 + signal.SIGINT


@click.command(cls=ReadsPictures)
@click.option("--host", default="127.0.0.1", help="address to serve on")
@click.option("--port", type=port, default=8000, help="port to serve on")
@click.option("--speed", type=float, default=1.0, help="times as fast as real; 0: no waiting")
@click.option("--seed", type=int, default=8, help="which games to play")
@click.option("--gcg", metavar="FILE", type=PATH, help="play this game record instead")
@click.option(
    "--once", is_flag=True,
    help="stop after one game, with status 1 if anything in it was read wrong",
)  # fmt: skip
@click.option(
    "--mischief", is_flag=True,
    help="tiles are knocked, turned and changed, clocks forgotten, plays challenged",
)  # fmt: skip
@click.option(
    "--pairings", metavar="FILE", type=PATH,
    help="an event's pairings (CSV, or TSH's tourney.js): table 1 gets their names, and the "
    "overlays show the event",
)  # fmt: skip
@click.option("--racks", is_flag=True, help="a camera at each rack, too, for commentators")
@click.option("--no-serve", is_flag=True, help="play without serving the pages")
@click.option(
    "--data", metavar="DIR", type=PATH, help="keep log and evidence here; no table.toml is read"
)
def demo(
    host: str,
    port: int,
    speed: float,
    seed: int,
    gcg: Path | None,
    once: bool,
    mischief: bool,
    pairings: Path | None,
    racks: bool,
    no_serve: bool,
    data: Path | None,
) -> int:
    """Watch a simulated table being read and scored.

    Plays games on a simulated table, reads them through the whole pipeline and shows them live in
    a browser. Needs no hardware and no network.
    """
    import contextlib
    import tempfile

    from sensors.options import SimulatedOptions
    from simulation.source import read_record
    from table.config import Camera, Players, Racks, Serve, TableConfig
    from table.demo import BETWEEN_GAMES_S, first_round, play

    if not 0 <= speed <= 100:
        raise TilewatchError(f"--speed {speed:g}: choose 0 (no waiting) to 100")
    if data is None:
        say("uses data in a folder that is deleted at the end; keep them with --data")
    simulated = Camera(kind="simulated")
    config = TableConfig(
        name="Demo table",
        tile_set="english" if gcg is None else read_record(gcg).tile_set,
        camera=simulated,
        simulated=SimulatedOptions(
            seed=seed, gcg=gcg, mischief=mischief, speed=speed, between_s=BETWEEN_GAMES_S
        ),
        players=Players(file=pairings, round=first_round(pairings)),
        racks=Racks(left=simulated, right=simulated) if racks else Racks(),
        serve=Serve(on=not no_serve, host=host, port=port),
    )
    try:
        with interrupted_by_signals(), contextlib.ExitStack() as stack:
            if data is None:
                data = Path(stack.enter_context(tempfile.TemporaryDirectory("-tilewatch")))
            outcome = play(config, data, once, _answer_at_once)
    except KeyboardInterrupt:
        _answer_at_once("")
        _answer_at_once("Stopped.")
        return INTERRUPTED if once else 0
    return 1 if outcome.differences else 0


def _answer_at_once(line: str) -> None:
    """Print a line of an answer that takes long."""
    answer(line)
    sys.stdout.flush()


@click.command(cls=ReadsPictures)
@click.option("--config", metavar="FILE", type=PATH, help="the file to write (default: table.toml)")
@click.option(
    "--data", metavar="DIR", type=PATH,
    help=f"data folder of the table (default: data in the configuration, else {TABLE.default})",
)  # fmt: skip
@click.option("--answers", metavar="FILE", type=PATH, help="take the answers from this TOML file")
@click.option("--again", metavar="STEP", multiple=True, help="do this step again")
@click.option("--overwrite", is_flag=True, help="replace a FILE that this set-up did not write")
@click.option(
    "--host", default="127.0.0.1",
    help="of the page with the live picture; 0.0.0.0 for a machine without a screen",
)  # fmt: skip
def setup(
    config: Path | None,
    data: Path | None,
    answers: Path | None,
    again: tuple[str, ...],
    overwrite: bool,
    host: str,
) -> int:
    """Set a table up step by step, and start it.

    Walks from a bare machine to a scored game: the camera, its place, the light, the board, the
    tiles, the clock, the players and the pages. Each step is checked, a picture of it is written
    into setup/ in the data folder, and one remedy is named at a time. Broken off, it goes on where
    it was. It writes table.toml and starts the table. Exit status 1 when a step is not well or it
    was broken off.
    """
    from table.config import load_config
    from table.setup.answers import Asker, FileAsker, SetupStoppedError, TerminalAsker
    from table.setup.walk import NAMES, Walk

    for name in again:
        if name not in NAMES:
            raise TilewatchError(f"--again: no step {name!r}; known are {', '.join(NAMES)}")
    asker: Asker
    if answers is not None:
        asker, page = FileAsker(answers, NAMES), None
    else:
        asker, page = TerminalAsker(_read, _say, Path.cwd()), host
    path, folder = Given((TABLE,), config, data).to_set_up()
    walk = Walk(path, folder, overwrite=overwrite, called=_called())
    for name in again:
        walk.again(name)
    try:
        started = walk.run(asker, _say, page)
    except (SetupStoppedError, KeyboardInterrupt) as error:
        fault(str(error) or "interrupted")
        if answers is None:
            named = (("--config", config), ("--data", data))
            words = (f" {name} {shlex.quote(str(one))}" for name, one in named if one is not None)
            _say(f"`{_called()} setup{''.join(words)}` goes on from here")
        return 1 if isinstance(error, SetupStoppedError) else INTERRUPTED
    return _run_until_stopped(load_config(path), None) if started else 0


def _called() -> str:
    """Return the program's name as the user typed it, for commands in messages."""
    name = sys.argv[0]
    return shlex.quote(name) if Path(name).name == "tilewatch" else "tilewatch"


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")  # indented, and a QR code keeps its spaces
    sys.stderr.flush()


def _read(prompt: str) -> str:
    sys.stderr.write(printable(prompt))
    sys.stderr.flush()
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line


@click.command(cls=ReadsPictures)
@given(TABLE)
@click.option("--record", metavar="DIR", type=PATH, help="write what is seen as a recording, too")
@click.option(
    "--https", is_flag=True,
    help="serve the pages over TLS, with a certificate of the table's own",
)  # fmt: skip
@click.option(
    "--gcg-file", metavar="FILE", type=PATH,
    help="rewrite this file with the game's record after every turn",
)  # fmt: skip
def run(given: Given, record: Path | None, https: bool, gcg_file: Path | None) -> int:
    """Record the games at a table, live.

    Watches a table through its camera and clock buttons, records game after game and serves the
    pages, until it is stopped. Started again it goes on where it was. Without a configuration it
    takes the camera of this machine; a simulated table is `tilewatch demo`, or configured.
    """
    from game.files import require_replaceable

    config = given.camera(given.table())
    named = {"gcg": gcg_file, "https": https or None}
    changes = {name: value for name, value in named.items() if value is not None}
    config = config.model_copy(update={"serve": config.serve.model_copy(update=changes)})
    if config.serve.gcg is not None:
        require_replaceable(config.serve.gcg)
    return _run_until_stopped(config, record)


def _run_until_stopped(config: TableConfig, record: Path | None) -> int:
    """Run a table until a signal stops it, recording into ``record`` if that is a folder."""
    from table.live import run_table

    try:
        with interrupted_by_signals():
            return run_table(config, record, say)
    except KeyboardInterrupt:
        say("Stopped; started again, the game goes on.")
        return 0
