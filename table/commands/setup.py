"""``tilewatch setup``: from a bare machine to a table that keeps score."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from pathlib import Path
from typing import Final

from game.printable import printable
from table.commands import uses
from table.commands.arguments import called
from table.commands.terminal import fault

NAME = "setup"
HELP = "set a table up step by step, and start it"
DESCRIPTION = (
    "Walks from a bare machine to a scored game: the camera, its place, the light, the board, the "
    "tiles, the clock, the players and the pages. Each step is checked, a picture of it is written "
    "into setup/ in the data folder, and one remedy is named at a time. Broken off, it goes on "
    "where it was. It writes table.toml and starts the table. Exit status 1 when a step is not "
    "well or it was broken off."
)

INTERRUPTED: Final = 128 + signal.SIGINT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="the file to write (default: table.toml)"
    )
    uses.add_data(parser, uses.TABLE)
    parser.add_argument(
        "--answers", metavar="FILE", type=Path, help="take the answers from this TOML file"
    )
    parser.add_argument(
        "--again", metavar="STEP", action="append", default=[], help="do this step again"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a FILE that this set-up did not write"
    )
    parser.add_argument(
        "--host", default="127.0.0.1",
        help="of the page with the live picture; 0.0.0.0 for a machine without a screen "
        "(default: 127.0.0.1)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Walk through the steps, and run the table; 1 when it was broken off."""
    from game.errors import TilewatchError
    from table.setup.walk.asking import Asker, FileAsker, SetupStoppedError, TerminalAsker
    from table.setup.walk.walk import NAMES, Walk

    for name in args.again:
        if name not in NAMES:
            raise TilewatchError(f"--again: no step {name!r}; known are {', '.join(NAMES)}")
    asker: Asker
    if args.answers is not None:
        asker, page = FileAsker(args.answers, NAMES), None
    else:
        asker, page = TerminalAsker(_read, _say, Path.cwd()), args.host
    config, data = uses.to_set_up(args)
    walk = Walk(config, data, overwrite=args.overwrite, called=called())
    for name in args.again:
        walk.again(name)
    try:
        started = walk.run(asker, _say, page)
    except (SetupStoppedError, KeyboardInterrupt) as error:
        fault(str(error) or "interrupted")
        if args.answers is None:
            _say(f"`{_again(args)}` goes on from here")
        return 1 if isinstance(error, SetupStoppedError) else INTERRUPTED
    return _run_table(config) if started else 0


def _again(args: argparse.Namespace) -> str:
    """Return the command that goes on."""
    given = (("--config", args.config), ("--data", args.data))
    named = [(name, str(value)) for name, value in given if value is not None]
    return " ".join([called(), NAME, *(f"{name} {shlex.quote(value)}" for name, value in named)])


def _run_table(path: Path) -> int:
    from table.commands.run import run_until_stopped
    from table.config import load_config

    return run_until_stopped(load_config(path), None)


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
